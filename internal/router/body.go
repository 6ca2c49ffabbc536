package router

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

const (
	// holdBytes is the largest body that is kept for a second attempt. Larger ones pass through, and have only one.
	holdBytes = 4 << 20
	// roomBytes is what all of them may take together.
	roomBytes = 256 << 20
)

// room bounds what bodies of requests take.
type room struct{ used atomic.Int64 }

// heldBody is a body that can be sent again if held.
type heldBody struct {
	held  bool
	bytes []byte
	rest  io.ReadCloser // of one that is not held, behind bytes
	free  func()
}

// hold reads a body as far as it may be kept.
func (r *room) hold(request *http.Request) (*heldBody, error) {
	body := &heldBody{held: true, free: func() {}}
	if request.Body == nil || request.Body == http.NoBody || request.ContentLength == 0 {
		return body, nil
	}
	size := request.ContentLength
	if size < 0 {
		size = holdBytes
	}
	if size > holdBytes || r.used.Add(size) > roomBytes {
		if size <= holdBytes {
			r.used.Add(-size)
		}
		body.held, body.rest = false, request.Body
		return body, nil
	}
	body.free = func() { r.used.Add(-size) }
	var buffer bytes.Buffer
	_, err := io.CopyN(&buffer, request.Body, size)
	if errors.Is(err, io.EOF) && request.ContentLength < 0 {
		err = nil
	} else if err == nil && request.ContentLength < 0 {
		body.held, body.rest = false, request.Body // it may be longer
	}
	body.bytes = buffer.Bytes()
	if err != nil {
		body.free()
	}
	return body, err
}

// put gives the body to an attempt.
func (b *heldBody) put(request *http.Request) {
	switch {
	case !b.held:
		request.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(b.bytes), b.rest), b.rest}
	case len(b.bytes) == 0:
		request.Body, request.ContentLength = nil, 0
	default:
		request.ContentLength = int64(len(b.bytes))
		request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.bytes)), nil }
		request.Body, _ = request.GetBody() // never fails
	}
}
