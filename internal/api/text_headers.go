package api

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// textHeaders see to it that a browser shows a text as a text, and asks again each time whether it is still the same.
// The tag names the row and its version: the same version never has another text.
func textHeaders(h http.Header, contentType, traceID string, start time.Time, version uint64) {
	row := sha256.Sum256(fmt.Appendf(nil, "%q %d %d", traceID, start.UnixMicro(), version))
	h.Set("Content-Type", contentType)
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("ETag", `"`+hex.EncodeToString(row[:16])+`"`)
	h.Set("Cache-Control", "private, no-cache")
}

// failing remembers why a read failed: http.ServeContent would send a part of a text as if it were the whole.
type failing struct {
	io.ReadSeeker
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.ReadSeeker.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}
