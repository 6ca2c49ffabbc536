package bench

import (
	"encoding/binary"
	"errors"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/sondehq/sonde/internal/eventlog"
)

// The engine's blocks: a checksum, then method, sizes and content.
const (
	blockChecksum = 16
	blockHead     = 9 // method and two sizes; the first size counts them

	methodNone     = 0x02
	methodLZ4      = 0x82
	methodZSTD     = 0x90
	methodMultiple = 0x91

	maxBlock = 1 << 30
)

var errNoBlock = errors.New("not a compressed block")

var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) { return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)) })

// nextBlock decodes the first block and returns what is behind it. Blocks of codecs that only concern numbers
// come back as they are.
func nextBlock(data []byte) (block, rest []byte, err error) {
	if len(data) < blockChecksum+blockHead {
		return nil, nil, errNoBlock
	}
	body := data[blockChecksum:]
	size := int(binary.LittleEndian.Uint32(body[1:]))
	length := int(binary.LittleEndian.Uint32(body[5:]))
	if size < blockHead || size > len(body) || length > maxBlock {
		return nil, nil, errNoBlock
	}
	method := body[0]
	if method != methodNone && method != methodLZ4 && method < methodZSTD {
		return nil, nil, errNoBlock
	}
	if block, err = undo(method, body[blockHead:size], length); err != nil {
		block = body[blockHead:size] // of a codec that concerns numbers; what is behind it must still be seen
	}
	return block, body[size:], nil
}

func undo(method byte, content []byte, length int) ([]byte, error) {
	switch method {
	case methodNone:
		return content, nil
	case methodZSTD:
		decoder, err := zstdDecoder()
		if err != nil {
			return nil, err
		}
		return decoder.DecodeAll(content, make([]byte, 0, min(length, 1<<20)))
	case methodLZ4:
		return lz4Block(content, length)
	case methodMultiple:
		return multiple(content)
	case 0x92, 0x93, 0x94, 0x95, 0x96, 0x97: // T64, DoubleDelta, Gorilla and their like
		return content, nil
	}
	return nil, errNoBlock
}

// multiple undoes the codec that was applied last, which is the one that compresses texts.
func multiple(content []byte) ([]byte, error) {
	if len(content) < 1 || len(content) < 1+int(content[0])+blockHead {
		return nil, errNoBlock
	}
	inner := content[1+int(content[0]):]
	size := int(binary.LittleEndian.Uint32(inner[1:]))
	length := int(binary.LittleEndian.Uint32(inner[5:]))
	if size < blockHead || size > len(inner) || length > maxBlock {
		return nil, errNoBlock
	}
	return undo(inner[0], inner[blockHead:size], length)
}

// lz4Block undoes LZ4 without a frame.
func lz4Block(in []byte, length int) ([]byte, error) {
	out := make([]byte, 0, min(length, 1<<20))
	for at := 0; at < len(in); {
		token := in[at]
		at++
		literals, next, ok := lz4Length(in, at, int(token>>4))
		if !ok || next+literals > len(in) {
			return nil, errNoBlock
		}
		out = append(out, in[next:next+literals]...)
		if at = next + literals; at == len(in) {
			break
		}
		if at+2 > len(in) {
			return nil, errNoBlock
		}
		back := int(binary.LittleEndian.Uint16(in[at:]))
		match, next, ok := lz4Length(in, at+2, int(token&15))
		at = next
		if !ok || back == 0 || back > len(out) || len(out)+match+4 > length {
			return nil, errNoBlock
		}
		for range match + 4 {
			out = append(out, out[len(out)-back])
		}
	}
	return out, nil
}

// lz4Length reads a length that may go on in further bytes.
func lz4Length(in []byte, at, length int) (n, next int, ok bool) {
	if length < 15 {
		return length, at, true
	}
	for at < len(in) {
		length += int(in[at])
		at++
		if in[at-1] != 255 {
			return length, at, true
		}
	}
	return 0, 0, false
}

// The log's files: records, each a head, the subject, headers, the message and a hash.
const (
	recordHead   = 22
	recordHash   = 8
	withHeaders  = 1 << 31
	headerLength = 4
)

// inRecords walks the records of a file of the log and looks into their envelopes.
func (s *scan) inRecords(data []byte) bool {
	for len(data) > recordHead+recordHash {
		size := binary.LittleEndian.Uint32(data)
		length, subject := int(size&^withHeaders), int(binary.LittleEndian.Uint16(data[20:]))
		if length > len(data) || length < recordHead+subject+recordHash {
			return false
		}
		message := data[recordHead+subject : length-recordHash]
		if size&withHeaders != 0 && len(message) >= headerLength {
			if n := int(binary.LittleEndian.Uint32(message)); n <= len(message)-headerLength {
				message = message[headerLength+n:]
			}
		}
		if envelope, err := eventlog.DecodeEnvelope(message); err == nil {
			s.result.Decoded += int64(len(envelope.Payload))
			if s.in(envelope.Payload) {
				return true
			}
		}
		data = data[length:]
	}
	return false
}
