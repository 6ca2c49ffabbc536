package otlpgrpc

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/sondehq/sonde/internal/fault"
)

// internalText is all that clients learn of a fault of ours.
const internalText = "Internal Server Error"

// kinds maps every kind of fault to its code. Exporters try again after Unavailable, and after
// ResourceExhausted only when it comes with a delay; ours never does: a message stays too large.
var kinds = map[fault.Kind]codes.Code{
	fault.Invalid: codes.InvalidArgument, fault.Unauthenticated: codes.Unauthenticated, fault.Forbidden: codes.PermissionDenied,
	fault.NotFound: codes.NotFound, fault.Conflict: codes.Aborted, fault.TooLarge: codes.ResourceExhausted,
	fault.Limited: codes.Unavailable, fault.Unavailable: codes.Unavailable, fault.Exhausted: codes.DeadlineExceeded,
}

// retryDelay goes with every Unavailable: exporters give up when told to wait for long.
const retryDelay = time.Second

// failed turns an error into the status that the client sees, and logs one that is ours.
func (c *call) failed(ctx context.Context, err error) error {
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

func describe(err error) *status.Status {
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		code, known := kinds[f.Kind]
		if !known {
			return status.New(codes.Internal, internalText)
		}
		st := status.New(code, f.Public())
		if code != codes.Unavailable {
			return st
		}
		if detailed, err := st.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(retryDelay)}); err == nil {
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
func httpStatus(code codes.Code) int {
	switch code {
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
		return http.StatusRequestEntityTooLarge
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
