package ingest

import (
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// zstdWindowBytes is the largest window a frame may ask us to allocate.
const zstdWindowBytes = 32 << 20

// coding decompresses one Content-Encoding. Decoders are large, so they are used again.
type coding struct {
	idle sync.Pool
	open func(r io.Reader) (io.Reader, error)
	// reset points an idle decoder at the next body.
	reset func(decoder, r io.Reader) error
}

// decoder returns a reader of the decompressed body; it goes back to idle afterwards.
func (c *coding) decoder(r io.Reader) (io.Reader, error) {
	if decoder, ok := c.idle.Get().(io.Reader); ok {
		return decoder, c.reset(decoder, r)
	}
	return c.open(r)
}

// codings are the ways in which a body may be compressed.
type codings struct {
	gzip, zlib, flate, zstd coding
}

func newCodings() *codings {
	return &codings{
		gzip: coding{
			open:  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
			reset: func(decoder, r io.Reader) error { return decoder.(*gzip.Reader).Reset(r) },
		},
		zlib: coding{
			open:  func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
			reset: func(decoder, r io.Reader) error { return decoder.(zlib.Resetter).Reset(r, nil) },
		},
		flate: coding{
			open:  func(r io.Reader) (io.Reader, error) { return flate.NewReader(r), nil },
			reset: func(decoder, r io.Reader) error { return decoder.(flate.Resetter).Reset(r, nil) },
		},
		zstd: coding{
			open: func(r io.Reader) (io.Reader, error) {
				// Concurrency 1 decodes in the caller's goroutine, so an idle decoder needs no Close.
				return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindowBytes))
			},
			reset: func(decoder, r io.Reader) error { return decoder.(*zstd.Decoder).Reset(r) },
		},
	}
}

// The names of codings, beside "" and "identity" for a plain body.
const (
	codingGzip     = "gzip"
	codingXGzip    = "x-gzip"
	codingDeflate  = "deflate"
	codingZstd     = "zstd"
	codingIdentity = "identity"
)

// Decompresses reports whether a door knows a Content-Encoding, in lower case.
func Decompresses(name string) bool {
	switch name {
	case "", codingIdentity, codingGzip, codingXGzip, codingDeflate, codingZstd:
		return true
	}
	return false
}

// of finds the coding of a body, nil for a plain one. HTTP's deflate is a zlib stream, but some
// clients send the bare one.
func (c *codings) of(name string, raw []byte) *coding {
	switch name {
	case codingGzip, codingXGzip:
		return &c.gzip
	case codingZstd:
		return &c.zstd
	case codingDeflate:
		if isZlib(raw) {
			return &c.zlib
		}
		return &c.flate
	}
	return nil
}

// isZlib looks at the two bytes that begin a zlib stream.
func isZlib(raw []byte) bool {
	return len(raw) >= 2 && raw[0]&0x0f == 8 && (uint(raw[0])<<8|uint(raw[1]))%31 == 0
}

// decompress calls read with the plain form of a body.
func (c *codings) decompress(name string, raw []byte, read func(plain io.Reader) error) error {
	coding := c.of(name, raw)
	decoder, err := coding.decoder(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	defer coding.idle.Put(decoder)
	return read(decoder)
}
