package otlpgrpc

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/sondehq/sonde/internal/cells"
	"github.com/sondehq/sonde/internal/fault"
)

// internalText is all that clients learn of a fault of ours.
const internalText = "Internal Server Error"

// kinds maps every kind of fault to its code. Exporters try again after Unavailable, and after
// ResourceExhausted only when it comes with a delay, as that of a rate does; a message that is too large stays so.
var kinds = map[fault.Kind]codes.Code{
	fault.Invalid: codes.InvalidArgument, fault.Unauthenticated: codes.Unauthenticated, fault.Forbidden: codes.PermissionDenied,
	fault.NotFound: codes.NotFound, fault.Conflict: codes.Aborted, fault.TooLarge: codes.ResourceExhausted,
	fault.Limited: codes.ResourceExhausted, fault.Unavailable: codes.Unavailable, fault.Exhausted: codes.DeadlineExceeded,
	fault.Misdirected: codes.FailedPrecondition,
}

// retryDelay goes with what says nothing of a delay: exporters give up when told to wait for long.
const retryDelay = time.Second

// failed turns an error into the status that the client sees, and logs one that is ours.
func (c *call) failed(ctx context.Context, err error) error {
	c.tellCell(err)
	st := describe(err)
	if code := st.Code(); code == codes.Internal || code == codes.Unavailable {
		level := slog.LevelWarn
		if code == codes.Internal {
			level = slog.LevelError
		}
		c.Log.LogAttrs(ctx, level, "request failed", slog.String("request_id", c.id), slog.String("route", c.method),
			slog.String("code", code.String()), slog.String("project", c.project), slog.String("error", err.Error()))
	}
	return st.Err()
}

// tellCell says to a router in front of several cells what the headers of HTTP answers do.
func (c *call) tellCell(err error) {
	if elsewhere, ok := errors.AsType[*cells.ElsewhereError](err); ok {
		_ = c.stream.SetHeader(metadata.Pairs("x-sonde-cell", cells.Shown(elsewhere.Cell))) // fails once an answer is out; there is none yet
	}
	if _, ok := errors.AsType[*cells.HeldError](err); ok {
		_ = c.stream.SetHeader(metadata.Pairs("x-sonde-held", "1")) // the same
	}
}

func describe(err error) *status.Status {
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		code, known := kinds[f.Kind]
		if !known {
			return status.New(codes.Internal, internalText)
		}
		st := status.New(code, f.Public())
		wait := cmp.Or(f.RetryAfter(), retryDelay)
		if code != codes.Unavailable && f.Kind != fault.Limited {
			return st
		}
		if detailed, err := st.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(wait)}); err == nil {
			return detailed
		}
		return st
	}
	if st, ok := status.FromError(err); ok { // gRPC itself says what is wrong
		return st
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return status.FromContextError(err)
	}
	return status.New(codes.Internal, internalText)
}

// httpStatus is what the API over HTTP answers in the same case, so that metrics count alike.
func httpStatus(st *status.Status) int {
	switch st.Code() {
	case codes.OK:
		return http.StatusOK
	case codes.InvalidArgument:
		return http.StatusBadRequest
	case codes.Unauthenticated:
		return http.StatusUnauthorized
	case codes.PermissionDenied:
		return http.StatusForbidden
	case codes.NotFound, codes.Unimplemented:
		return http.StatusNotFound
	case codes.ResourceExhausted:
		if len(st.Details()) > 0 { // it says when to come again
			return http.StatusTooManyRequests
		}
		return http.StatusRequestEntityTooLarge
	case codes.FailedPrecondition:
		return http.StatusMisdirectedRequest
	case codes.Unavailable:
		return http.StatusServiceUnavailable
	case codes.DeadlineExceeded:
		return http.StatusRequestTimeout
	case codes.Canceled:
		return 0 // the caller left
	default:
		return http.StatusInternalServerError
	}
}
