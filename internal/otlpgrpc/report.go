package otlpgrpc

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/live"
)

// report tells of an answered call. One that nobody knows the project of is told to nobody.
func (c *call) report(ctx context.Context, began time.Time, err error) {
	if c.Live == nil {
		return
	}
	claim := c.Claims(ctx, c.header("authorization"))
	request := live.Request{
		ProjectID: cmp.Or(c.project, claim.ProjectID), At: began, Method: http.MethodPost, Path: c.method,
		Status: httpStatus(status.Convert(err)), Bytes: c.bytes, Accepted: c.outcome.Accepted, Rejected: c.outcome.Rejected,
		PublicKey: claim.PublicKey, Proved: c.proved, Ingest: true,
	}
	if request.ProjectID == "" {
		if !claim.Known {
			c.Live.Unknown(claim.PublicKey, c.method)
		}
		return
	}
	client, newest := ingest.Shown(c.header)
	request.SDKName, request.SDKVersion, request.Version4 = client.SDKName, client.SDKVersion, newest
	request.Code, request.Reason = explained(c.outcome, claim, err)
	c.Live.Request(request)
}

// explained says why a call, or a part of it, was refused, from what the client is told.
func explained(outcome ingest.Outcome, claim auth.Claim, err error) (live.Code, string) {
	code := live.Failed
	switch status.Code(err) { //nolint:exhaustive // the rest says no more than that it failed
	case codes.OK:
		if outcome.Rejected == 0 {
			return "", ""
		}
		return live.SpansRejected, outcome.Reason
	case codes.Unauthenticated:
		if code = live.WrongSecret; !claim.Valid {
			code = live.KeyNotValid
		}
	case codes.PermissionDenied:
		code = live.Forbidden
	case codes.InvalidArgument:
		code = live.Invalid
	case codes.ResourceExhausted:
		if code = live.TooLarge; httpStatus(status.Convert(err)) == http.StatusTooManyRequests {
			code = live.Overloaded
		}
	case codes.DeadlineExceeded:
		code = live.TooSlow
	case codes.Unavailable:
		code = live.Overloaded
	}
	return code, code.Why(status.Convert(err).Message())
}
