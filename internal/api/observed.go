package api

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/selfobs"
)

// requestIDHeader names a request in our answer and in our log; a caller may choose the id.
const requestIDHeader = "X-Request-Id"

// requestInfo is what the edge remembers of a request for its log line.
type requestInfo struct {
	id      string
	project string
	account account
	note    note // what its handler adds to the audit log
}

type infoKey struct{}

func infoOf(r *http.Request) *requestInfo {
	info, _ := r.Context().Value(infoKey{}).(*requestInfo)
	return info
}

// response remembers what was sent.
type response struct {
	http.ResponseWriter
	status int // 0: nothing sent yet
	bytes  int64
}

func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// observed gives every request an id, common headers and a log line, and survives its panics.
func (s *server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		started := time.Now()
		info := &requestInfo{id: requestID(r)}
		packed := newCompressor(rw, r)
		w := &response{ResponseWriter: packed}
		r = r.WithContext(context.WithValue(r.Context(), infoKey{}, info))
		commonHeaders(w.Header(), r, info.id)
		defer func() { //nolint:contextcheck // r carries the context
			cause := recover()
			if cause != nil && cause != http.ErrAbortHandler { //nolint:errorlint // a panic value, not an error that was wrapped
				cause = s.panicked(w, r, cause)
			}
			if cause == nil {
				packed.end()
			}
			s.Log.LogAttrs(r.Context(), slog.LevelDebug, "request served",
				slog.String("request_id", info.id), slog.String("method", r.Method), slog.String("route", r.Pattern),
				slog.Int("status", w.status), slog.Int64("bytes", w.bytes), slog.String("project", info.project),
				slog.Duration("took", time.Since(started)))
			s.report(w, r, started)
			if s.Observe != nil {
				s.Observe(s.requestOf(r, w.status, started))
			}
			if cause != nil {
				panic(cause)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// requestOf is what the server shows of a request to its operator.
func (s *server) requestOf(r *http.Request, status int, began time.Time) selfobs.Request {
	info := infoOf(r)
	request := selfobs.Request{
		ID: info.id, Protocol: selfobs.HTTP, Route: s.routeName(r), Status: status, Began: began, Took: time.Since(began), SDK: ingest.ReadSDK(r.Header.Get).SDKName,
	}
	if info.account.outcome.Accepted > 0 && status < http.StatusMultipleChoices {
		request.Acknowledged = info.account.worked
	}
	return request
}

// uiRoute stands for all pages and files of the UI.
const uiRoute = "ui"

// routeName is the route of an answered request, free of anything the caller chose.
func (s *server) routeName(r *http.Request) string {
	switch r.Pattern {
	case "", "/":
		return "other"
	case uiRoute:
		return uiRoute
	}
	return strings.TrimPrefix(r.Pattern, s.BasePath)
}

func commonHeaders(h http.Header, r *http.Request, id string) {
	h.Set(requestIDHeader, id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("X-Robots-Tag", "noindex")
	if r.TLS != nil { // a browser that came by TLS once comes by nothing else for a year
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	allowOrigin(h, r)
}

// requestID takes the caller's id when it is short and plain enough for a log.
func requestID(r *http.Request) string {
	id := r.Header.Get(requestIDHeader)
	if id == "" || len(id) > 128 {
		return rand.Text()
	}
	for _, c := range []byte(id) {
		if c <= ' ' || c > '~' {
			return rand.Text()
		}
	}
	return id
}

// panicked answers for a handler that panicked. When part of an answer is out already it returns
// the panic that cuts the connection, so that nobody takes the part for the whole.
func (s *server) panicked(w *response, r *http.Request, cause any) any {
	s.Log.LogAttrs(r.Context(), slog.LevelError, "handler panicked",
		slog.String("request_id", infoOf(r).id), slog.String("route", r.Pattern),
		slog.String("panic", fmt.Sprint(cause)), slog.String("stack", string(debug.Stack())))
	if w.status != 0 {
		return http.ErrAbortHandler
	}
	writeJSON(w, http.StatusInternalServerError, internalBody)
	return nil
}
