package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/sondehq/sonde/internal/fault"
)

const (
	// keptBufferBytes is the largest buffer that waits for the next request; a rare large body
	// must not hold its memory for ever.
	keptBufferBytes = 4 << 20
	// zstdWindowBytes is the largest window a frame may ask us to allocate.
	zstdWindowBytes = 32 << 20
)

// bodyReader reads request bodies, decompressed, up to a bound that also holds while
// decompressing: a small body that grows without end costs no more than one that is too large.
type bodyReader struct {
	maxBytes int64
	buffers  sync.Pool
	codings  map[string]*coding
}

// coding decompresses one Content-Encoding. Decoders are large, so they are used again.
type coding struct {
	idle sync.Pool
	open func(r io.Reader) (io.Reader, error)
	// reset points an idle decoder at the next body.
	reset func(decoder, r io.Reader) error
}

func newBodyReader(maxBytes int64) *bodyReader {
	gz := &coding{
		open:  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		reset: func(decoder, r io.Reader) error { return decoder.(*gzip.Reader).Reset(r) },
	}
	deflate := &coding{
		open:  func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
		reset: func(decoder, r io.Reader) error { return decoder.(zlib.Resetter).Reset(r, nil) },
	}
	zst := &coding{
		open: func(r io.Reader) (io.Reader, error) {
			// Concurrency 1 decodes in the caller's goroutine, so an idle decoder needs no Close.
			return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindowBytes))
		},
		reset: func(decoder, r io.Reader) error { return decoder.(*zstd.Decoder).Reset(r) },
	}
	return &bodyReader{
		maxBytes: maxBytes,
		buffers:  sync.Pool{New: func() any { return new(bytes.Buffer) }},
		codings:  map[string]*coding{"gzip": gz, "x-gzip": gz, "deflate": deflate, "zstd": zst},
	}
}

// read calls use with the decompressed body, which is only valid until use returns.
func (b *bodyReader) read(w http.ResponseWriter, r *http.Request, use func(body []byte) error) error {
	name := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding")))
	coding := b.codings[name]
	if coding == nil && name != "" && name != "identity" {
		return refusal{
			http.StatusUnsupportedMediaType, "UnsupportedMediaTypeError",
			fmt.Sprintf("Content-Encoding %q is not supported; send gzip, deflate, zstd or identity", name),
		}
	}
	if r.ContentLength > b.maxBytes {
		return b.tooLarge()
	}
	buffer, _ := b.buffers.Get().(*bytes.Buffer)
	defer func() {
		if buffer.Cap() <= keptBufferBytes {
			buffer.Reset()
			b.buffers.Put(buffer)
		}
	}()
	source := &sourceReader{from: http.MaxBytesReader(w, r.Body, b.maxBytes)}
	if err := b.fill(buffer, source, coding); err != nil {
		return err
	}
	return use(buffer.Bytes())
}

func (b *bodyReader) fill(buffer *bytes.Buffer, source *sourceReader, c *coding) error {
	var plain io.Reader = source
	if c != nil {
		decoder, err := c.decoder(source)
		if err != nil {
			return b.readError(source, err)
		}
		defer c.idle.Put(decoder)
		plain = decoder
	}
	n, err := buffer.ReadFrom(io.LimitReader(plain, b.maxBytes+1))
	switch {
	case n > b.maxBytes:
		return b.tooLarge()
	case err != nil:
		return b.readError(source, err)
	}
	return nil
}

func (c *coding) decoder(r io.Reader) (io.Reader, error) {
	if decoder, ok := c.idle.Get().(io.Reader); ok {
		return decoder, c.reset(decoder, r)
	}
	return c.open(r)
}

func (b *bodyReader) tooLarge() error {
	return fault.New(fault.TooLarge, "The request body is larger than %d bytes", b.maxBytes).
		Hint("send smaller batches, or raise the limit in the server's configuration")
}

// readError tells a body that did not arrive from one that arrived and cannot be decompressed.
func (b *bodyReader) readError(source *sourceReader, err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](source.err); ok {
		return b.tooLarge()
	}
	if source.err != nil {
		return fault.New(fault.Invalid, "Failed to read request body").Because(source.err)
	}
	return fault.New(fault.Invalid, "Failed to decompress request body").Because(err)
}

// sourceReader remembers why the body could not be read.
type sourceReader struct {
	from io.Reader
	err  error
}

func (s *sourceReader) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}
