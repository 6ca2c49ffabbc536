package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ratelimit"
)

// refusal is an answer of HTTP itself: a path, method or coding that we do not serve.
type refusal struct {
	status        int
	name, message string
}

func (e refusal) Error() string { return e.message }

// authError marks an error of finding out who calls: its body has no "error".
type authError struct{ error }

func (e authError) Unwrap() error { return e.error }

// errorBody is a thrown error. Error is the name of the error, or the list of issues of a request
// that does not fit its description.
type errorBody struct {
	Message string `json:"message"`
	Error   any    `json:"error,omitempty"`
	Code    string `json:"code,omitempty"`
	Details any    `json:"details,omitempty"`
}

// issue is one parameter that cannot be used.
type issue struct {
	Code    string `json:"code"`
	Path    []any  `json:"path"` // strings and indexes
	Message string `json:"message"`
}

var internalBody = errorBody{Message: "Internal Server Error", Error: "InternalServerError"}

// kinds maps every kind of fault to its status and name.
var kinds = map[fault.Kind]struct {
	status int
	name   string
}{
	fault.Internal:        {http.StatusInternalServerError, "InternalServerError"},
	fault.Invalid:         {http.StatusBadRequest, "InvalidRequestError"},
	fault.Unauthenticated: {http.StatusUnauthorized, "UnauthorizedError"},
	fault.Forbidden:       {http.StatusForbidden, "ForbiddenError"},
	fault.NotFound:        {http.StatusNotFound, "LangfuseNotFoundError"},
	fault.Conflict:        {http.StatusConflict, "LangfuseConflictError"},
	fault.TooLarge:        {http.StatusRequestEntityTooLarge, "PayloadTooLargeError"},
	fault.Limited:         {http.StatusTooManyRequests, "TooManyRequestsError"},
	fault.Unavailable:     {http.StatusServiceUnavailable, "ServiceUnavailableError"},
	fault.Exhausted:       {http.StatusUnprocessableEntity, "Request timed out"},
	fault.Precondition:    {http.StatusPreconditionFailed, "PreconditionFailedError"},
	fault.Misdirected:     {http.StatusMisdirectedRequest, "MisdirectedRequestError"},
}

// describe turns an error into the status and body that clients see.
func describe(err error) (int, errorBody) {
	if r, ok := errors.AsType[refusal](err); ok {
		return r.status, errorBody{Message: r.message, Error: r.name}
	}
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok || f.Kind == fault.Internal {
		return http.StatusInternalServerError, internalBody
	}
	kind := kinds[f.Kind]
	if _, ok := errors.AsType[authError](err); ok {
		return kind.status, errorBody{Message: f.Public()}
	}
	if f.Kind == fault.Limited {
		return kind.status, errorBody{Message: f.Public(), Code: "rate_limited", Details: rateOf(err)}
	}
	if issues := issuesOf(err); len(issues) > 0 {
		return kind.status, errorBody{Message: "Invalid request data", Error: issues}
	}
	return kind.status, errorBody{Message: f.Public(), Error: kind.name}
}

// rateJSON says how much a project may do, and when it may do more.
type rateJSON struct {
	RetryAfterSeconds int     `json:"retryAfterSeconds"`
	Limit             float64 `json:"limit"` // per second
	Remaining         int     `json:"remaining"`
	ResetAt           string  `json:"resetAt"`
}

// rateOf is nil unless err is about a rate.
func rateOf(err error) any {
	if over, ok := errors.AsType[*ratelimit.ExceededError](err); ok {
		return rateJSON{RetryAfterSeconds: retryAfter(err), Limit: over.Limit, ResetAt: stamp(over.ResetAt)}
	}
	return nil
}

// rateHeaders says the same to clients that read headers only; they take the time in seconds since 1970.
func rateHeaders(h http.Header, err error) {
	over, ok := errors.AsType[*ratelimit.ExceededError](err)
	if !ok {
		return
	}
	h.Set("X-RateLimit-Limit", strconv.FormatFloat(over.Limit, 'g', -1, 64))
	h.Set("X-RateLimit-Remaining", "0")
	h.Set("X-RateLimit-Reset", strconv.FormatInt(over.ResetAt.Add(time.Second-1).Unix(), 10))
}

// joined is what errors.Join returns.
type joined interface {
	error
	Unwrap() []error
}

// issuesOf lists the invalid fields that err, or the errors it joins, name.
func issuesOf(err error) []issue {
	if many, ok := errors.AsType[joined](err); ok {
		var all []issue
		for _, e := range many.Unwrap() {
			all = append(all, issuesOf(e)...)
		}
		return all
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok && f.Kind == fault.Invalid && f.Field != "" {
		return []issue{{Code: "invalid_value", Path: pathOf(f.Field), Message: f.Public()}}
	}
	return nil
}

// pathOf splits the path of a member, such as filter.0.value.
func pathOf(field string) []any {
	var path []any
	for step := range strings.SplitSeq(field, ".") {
		if index, err := strconv.Atoi(step); err == nil {
			path = append(path, index)
			continue
		}
		path = append(path, step)
	}
	return path
}

// fail answers with the common error bodies.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, body := s.failed(w, r, err)
	writeJSON(w, status, body)
}

// failed logs an error that is ours and sets the headers that go with it. It cuts the connection
// when the caller is gone, or when part of an answer is out already and would pass for the whole.
func (s *server) failed(w http.ResponseWriter, r *http.Request, err error) (int, errorBody) {
	status, body := describe(err)
	infoOf(r).account.err = err
	// A body that came too slowly ends the context, too, but its caller is still there.
	if status != http.StatusRequestTimeout && errors.Is(r.Context().Err(), context.Canceled) {
		panic(http.ErrAbortHandler)
	}
	if level := slog.LevelWarn; status >= http.StatusInternalServerError {
		if status == http.StatusInternalServerError {
			level = slog.LevelError
		}
		s.Log.LogAttrs(r.Context(), level, "request failed",
			slog.String("request_id", infoOf(r).id), slog.String("route", r.Pattern), slog.Int("status", status),
			slog.String("project", infoOf(r).project), slog.String("error", err.Error()))
	}
	if sent, ok := w.(*response); ok && sent.status != 0 {
		panic(http.ErrAbortHandler)
	}
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter(err)))
		rateHeaders(w.Header(), err)
	}
	return status, body
}

// retryAfter is in how many seconds the same may be sent again. Where nobody says so it is one: exporters give up when told to
// wait for more than their few seconds.
func retryAfter(err error) int {
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		return max(1, int(math.Ceil(f.RetryAfter().Seconds())))
	}
	return 1
}

// writeJSON sends a small answer. An error of writing means that the caller is gone.
func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body)
}

const jsonType = "application/json; charset=utf-8"
