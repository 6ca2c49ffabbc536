package filter_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
)

func TestCursorRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := filter.Position{
			StartTime: time.UnixMicro(rapid.Int64Range(0, 1<<52).Draw(t, "start")).UTC(),
			TraceID:   rapid.String().Draw(t, "trace"), ID: rapid.StringN(1, 30, -1).Draw(t, "id"),
		}
		got, err := filter.DecodeCursor(filter.EncodeCursor(want))
		if err != nil || got != want {
			t.Fatalf("got %+v (%v), want %+v", got, err, want)
		}
	})
}

func TestForeignCursorsAreInvalid(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "%%%", "AAAA", "e30", "eyJ2IjoyLCJ0IjoxLCJyIjoidCIsImkiOiJpIn0", "bnVsbA"} {
		if _, err := filter.DecodeCursor(text); !fault.Is(err, fault.Invalid) {
			t.Errorf("cursor %q gives %v, want Invalid", text, err)
		}
	}
}
