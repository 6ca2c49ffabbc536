package otlpgrpc

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

// message is a message as it came.
type message struct {
	coding string // "" when it is not compressed
	bytes  []byte
}

// answer is an encoded message to send.
type answer []byte

// rawCodec moves bytes and decodes nothing.
type rawCodec struct{}

// Name is that of the codec whose place it takes.
func (rawCodec) Name() string { return "proto" }

// Marshal sends an answer.
func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	a, ok := v.(answer)
	if !ok {
		return nil, fmt.Errorf("send %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(a)}, nil
}

// Unmarshal takes a message and finds out whether it is compressed.
func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(*message)
	if !ok {
		return fmt.Errorf("receive %T", v)
	}
	m.bytes = data.Materialize()
	if len(m.bytes) >= markBytes && m.bytes[0] == 0 {
		for _, c := range held {
			if m.bytes[1] == c.mark {
				m.coding, m.bytes = c.name, m.bytes[markBytes:]
				break
			}
		}
	}
	return nil
}

// markBytes is the size of the mark before a message that is still compressed: a zero, which
// begins no protobuf message, and a byte for the coding.
const markBytes = 2

// heldCoding is a compressor of gRPC that leaves received messages compressed. They wait for their
// turn like this, and are decompressed then, within the bounds of the door: gRPC itself would
// decompress every message as it arrives, however many there are.
type heldCoding struct {
	name string
	mark byte
	pack func(w io.Writer) (io.WriteCloser, error)
}

var held = []heldCoding{
	{"gzip", 1, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }},
	{"zstd", 2, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) }},
	{"deflate", 3, func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(w), nil }},
}

// registerCodings makes gRPC accept the codings. Its registry is one per process; we are its only
// user there, and our answers are never compressed.
var registerCodings = sync.OnceFunc(func() {
	for _, c := range held {
		encoding.RegisterCompressor(c)
	}
})

// Name is the coding's name on the wire.
func (c heldCoding) Name() string { return c.name }

// Compress is for clients in the same process.
func (c heldCoding) Compress(w io.Writer) (io.WriteCloser, error) { return c.pack(w) }

// Decompress marks the message and leaves it as it is.
func (c heldCoding) Decompress(r io.Reader) (io.Reader, error) {
	return io.MultiReader(bytes.NewReader([]byte{0, c.mark}), r), nil
}
