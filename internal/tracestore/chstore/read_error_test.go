package chstore

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/tracestore"
)

// What a read may do about an error: ask for less, try again, or nothing.
func TestReadErrors(t *testing.T) {
	t.Parallel()
	exception := func(code proto.Error, message string) error { return &ch.Exception{Code: code, Message: message} }
	for _, c := range []struct {
		err       error
		expensive bool
		kind      fault.Kind
	}{
		{exception(proto.ErrTooManyRows, ""), true, fault.Internal},
		{exception(proto.ErrTimeoutExceeded, ""), true, fault.Internal},
		{exception(proto.ErrTooSlow, ""), true, fault.Internal},
		{exception(proto.ErrTooManyBytes, ""), true, fault.Internal},
		{exception(proto.ErrTooManyRowsOrBytes, ""), true, fault.Internal},
		{exception(proto.ErrMemoryLimitExceeded, "Query memory limit exceeded: would use 2 GiB"), true, fault.Internal},
		{exception(proto.ErrMemoryLimitExceeded, "User memory limit exceeded: would use 2 GiB"), false, fault.Unavailable},
		{exception(proto.ErrMemoryLimitExceeded, "(total) memory limit exceeded"), false, fault.Unavailable},
		{exception(proto.ErrTooManySimultaneousQueries, ""), false, fault.Unavailable},
		{errTooManyRows, true, fault.Internal},
		{context.DeadlineExceeded, true, fault.Internal},
		{context.Canceled, false, fault.Internal},
		{fault.Unavailablef("x"), false, fault.Unavailable},
		{exception(proto.ErrUnknownTable, ""), false, fault.Internal},
	} {
		err := readError("read", fmt.Errorf("wrapped: %w", c.err))
		if errors.Is(err, tracestore.ErrTooExpensive) != c.expensive || fault.KindOf(err) != c.kind || !errors.Is(err, c.err) {
			t.Errorf("%v became %v", c.err, err)
		}
	}
}
