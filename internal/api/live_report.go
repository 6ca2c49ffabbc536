package api

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/live"
)

// Paths of requests that bring something in. Those below otelPath count also where nothing is served.
const (
	otelPath      = "/api/public/otel"
	ingestionPath = "/api/public/ingestion"
)

var errContentType = fault.New(fault.Invalid, "Invalid content type")

// account is what a request did, for those who listen.
type account struct {
	err     error         // with which it was answered
	bytes   int64         // of its body
	worked  time.Duration // since its body was there
	outcome ingest.Outcome
	proved  bool // its key came with the secret
	silent  bool // nobody is told
}

// report tells of a request that was answered: of one that brings something in always, of others that
// a key of theirs was used. A request that nobody knows the project of is told to nobody.
func (s *server) report(w *response, r *http.Request, began time.Time) {
	info := infoOf(r)
	path := strings.TrimPrefix(r.URL.Path, s.BasePath)
	brings := path == ingestionPath || path == otelPath || strings.HasPrefix(path, otelPath+"/")
	switch {
	case s.Live == nil || info.account.silent || r.Method == http.MethodOptions || w.status == 0:
		return
	case !brings && !s.Live.Heard(info.project):
		return
	}
	claim := s.claimed(r)
	request := live.Request{
		ProjectID: cmp.Or(info.project, claim.ProjectID), At: began, Method: r.Method, Path: path, Status: w.status,
		Bytes: info.account.bytes, Accepted: info.account.outcome.Accepted, Rejected: info.account.outcome.Rejected,
		PublicKey: claim.PublicKey, Proved: info.account.proved, Ingest: brings,
	}
	if request.ProjectID == "" {
		if !claim.Known {
			s.Live.Unknown(claim.PublicKey, path)
		}
		return
	}
	client, newest := ingest.Shown(r.Header.Get)
	request.SDKName, request.SDKVersion, request.Version4 = client.SDKName, client.SDKVersion, newest
	request.Code, request.Reason = explained(r, info.account, claim)
	s.Live.Request(request)
}

func (s *server) claimed(r *http.Request) auth.Claim {
	if s.Claims == nil {
		return auth.Claim{}
	}
	return s.Claims(r.Context(), r.Header.Get("Authorization"))
}

// explained says why a request, or a part of it, was refused.
func explained(r *http.Request, a account, claim auth.Claim) (live.Code, string) {
	if a.err == nil {
		if a.outcome.Rejected > 0 {
			return live.SpansRejected, cmp.Or(a.outcome.Reason, "some of what was sent cannot be used")
		}
		return "", ""
	}
	status, body := describe(a.err)
	code := live.CodeOf(a.err)
	if refused, ok := errors.AsType[refusal](a.err); ok {
		code = map[int]live.Code{
			http.StatusNotFound: live.WrongPath, http.StatusMethodNotAllowed: live.WrongMethod,
			http.StatusUnsupportedMediaType: live.ContentEncoding, http.StatusRequestTimeout: live.TooSlow,
		}[refused.status]
	}
	reason := body.Message
	switch issues := issuesOf(a.err); {
	case errors.Is(a.err, errContentType):
		code, reason = live.ContentType, "Content-Type "+r.Header.Get("Content-Type")+" is not supported; send application/x-protobuf or application/json"
	case status == http.StatusUnauthorized && !claim.Valid:
		code = live.KeyNotValid
	case len(issues) > 0:
		reason = issues[0].Message
	}
	return code, code.Why(reason)
}
