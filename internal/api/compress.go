package api

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// minCompressed is the size from which an answer is compressed.
const minCompressed = 1024

// compressible are the types of answers that are worth it. An answer with an ETag stays as it is: its tag names the
// plain bytes, and ranges of them may be asked for.
var compressible = map[string]bool{"application/json": true, ndjsonType: true}

// compressor packs an answer by gzip, if its caller takes that and the answer is one for it. The first bytes are held
// back until that is known.
type compressor struct {
	http.ResponseWriter
	accepted bool
	status   int    // 0: nothing written yet
	held     []byte // while it is not decided
	decided  bool
	packer   *gzip.Writer // nil: plain
}

var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one that there is
	return w
}}

func newCompressor(w http.ResponseWriter, r *http.Request) *compressor {
	return &compressor{ResponseWriter: w, accepted: acceptsGzip(r.Header.Values("Accept-Encoding"))}
}

// acceptsGzip reads what codings a caller takes. Without a word about gzip it takes none.
func acceptsGzip(headers []string) bool {
	for part := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		coding, parameter, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		_, quality, given := strings.Cut(strings.ReplaceAll(strings.ToLower(parameter), " ", ""), "q=")
		weight, err := strconv.ParseFloat(quality, 64)
		return !given || err == nil && weight > 0
	}
	return false
}

// WriteHeader holds the status back together with the first bytes.
func (c *compressor) WriteHeader(status int) {
	if c.status != 0 || status < http.StatusOK {
		c.ResponseWriter.WriteHeader(status)
		return
	}
	c.status = status
	h := c.Header()
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	if status != http.StatusOK || !compressible[kind] || h.Get("ETag") != "" || h.Get("Content-Encoding") != "" {
		c.decide(false)
		return
	}
	h.Add("Vary", "Accept-Encoding")
	if !c.accepted {
		c.decide(false)
	}
}

// decide sends the header.
func (c *compressor) decide(pack bool) {
	c.decided = true
	if pack {
		c.Header().Set("Content-Encoding", "gzip")
		c.Header().Del("Content-Length")
		c.packer = packers.Get().(*gzip.Writer)
		c.packer.Reset(c.ResponseWriter)
	}
	c.ResponseWriter.WriteHeader(c.status)
}

func (c *compressor) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	if !c.decided {
		if len(c.held)+len(p) < minCompressed {
			c.held = append(c.held, p...)
			return len(p), nil
		}
		c.decide(true)
	}
	if err := c.release(); err != nil {
		return 0, err
	}
	return c.send(p)
}

func (c *compressor) send(p []byte) (int, error) {
	if c.packer != nil {
		return c.packer.Write(p)
	}
	return c.ResponseWriter.Write(p) //nolint:gosec // what it is was decided by who wrote it
}

// release sends what was held back.
func (c *compressor) release() error {
	held := c.held
	c.held = nil
	if len(held) == 0 {
		return nil
	}
	_, err := c.send(held)
	return err
}

// FlushError sends everything so far on its way.
func (c *compressor) FlushError() error {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	if !c.decided {
		c.decide(true)
	}
	if err := c.release(); err != nil {
		return err
	}
	if c.packer != nil {
		if err := c.packer.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(c.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (c *compressor) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// end finishes an answer that is whole. One that is not must be cut instead.
func (c *compressor) end() {
	if c.status != 0 && !c.decided {
		c.decide(false)
	}
	_ = c.release() // an error means that the caller is gone
	if c.packer != nil {
		_ = c.packer.Close()
		packers.Put(c.packer)
		c.packer = nil
	}
}
