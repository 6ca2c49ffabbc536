package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/fault"
)

func TestKindSurvivesWrapping(t *testing.T) {
	t.Parallel()
	cause := errors.New("connection refused by 10.0.0.7")
	err := fmt.Errorf("read page: %w", fault.Unavailablef("the store is away").Hint("try again").Because(cause))
	if !fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Invalid) || fault.Is(nil, fault.Internal) {
		t.Errorf("kind of %v is %d", err, fault.KindOf(err))
	}
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), "10.0.0.7") {
		t.Errorf("the cause is gone from %v", err)
	}
	if fault.KindOf(cause) != fault.Internal {
		t.Error("an error nobody classified is not ours")
	}
}

func TestPublicHidesTheCause(t *testing.T) {
	t.Parallel()
	f := fault.Invalidf("limit", "must be at most %d", 1000).Hint("follow meta.cursor").Because(errors.New("secret"))
	if got, want := f.Public(), "limit must be at most 1000; follow meta.cursor"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
