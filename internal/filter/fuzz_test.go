package filter_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
)

// FuzzParse: a text is a list of conditions on columns of the catalog, each of which can be written
// down again, or it is refused as the client's mistake.
func FuzzParse(f *testing.F) {
	for _, field := range filter.Observations {
		for _, kind := range field.Types() {
			f.Add(exampleOf(field.Column, kind, field.Operators(kind)[0]))
		}
	}
	for _, seed := range []string{
		"", "null", "[]", "[null]", "{}", "[[]]", "[{", `[{"type":"number","column":"latency","operator":">","value":1e309}]`,
		`[{"type":"datetime","column":"startTime","operator":">","value":"2026-05-01 10:00"}]`, "[{\"type\":\"string\",\"column\":\"name\",\"operator\":\"=\",\"value\":\"\xff\\ud800\"}]",
		`[{"type":"positionInTrace","column":"","operator":"="}]`, `[{"type":"booleanObject","column":"metadata","operator":"=","key":"k","value":true}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := filter.Parse(text, filter.Observations)
		if err != nil {
			if !fault.Is(err, fault.Invalid) || got != nil {
				t.Fatalf("%q gives %v and %#v", text, got, err)
			}
			var shown *fault.Fault
			if errors.As(err, &shown) && len(shown.Public()) > 2000 {
				t.Errorf("%q: the message has %d bytes", text, len(shown.Public()))
			}
			return
		}
		for _, c := range got {
			if at, ok := c.(filter.Time); ok && !writable(at.At) {
				return
			}
		}
		again, err := filter.Parse(rendered(t, got), filter.Observations)
		if diff := cmp.Diff(got, again); err != nil || diff != "" {
			t.Errorf("%q, written again as %s: %v\n%s", text, rendered(t, got), err, diff)
		}
	})
}

// FuzzCursor: a cursor is a position that can be written again, or it is refused as the client's mistake.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{
		"", "x", "e30", "bnVsbA", "W10", "eyJ2IjoyfQ", "eyJ2IjoxLCJ0Ijo5MjIzMzcyMDM2ODU0Nzc1ODA3LCJyIjoiIiwiaSI6ImEifQ",
		filter.EncodeCursor(filter.Position{StartTime: morning, TraceID: "t", ID: "s5"}), filter.EncodeCursor(filter.Position{ID: "\xff"}),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := filter.DecodeCursor(text)
		if err != nil {
			if !fault.Is(err, fault.Invalid) || got != (filter.Position{}) {
				t.Fatalf("%q gives %v and %#v", text, got, err)
			}
			return
		}
		again, err := filter.DecodeCursor(filter.EncodeCursor(got))
		if err != nil || again != got {
			t.Errorf("%q is %v, written again %v (%v)", text, got, again, err)
		}
	})
}

// FuzzParseTime: what is read as a time has the precision of stored times and reads the same when
// written as RFC 3339.
func FuzzParseTime(f *testing.F) {
	for _, seed := range []string{"2026-05-01T10:00:00.123456Z", "2026-05-01", "5/1/2026", "Fri, 01 May 2026 10:00:00 GMT", "0000-01-01T00:00:00+14:00", "2026-05-01t", "2026-05-01 (x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := filter.ParseTime(text)
		if !ok {
			return
		}
		if got.Nanosecond()%int(time.Millisecond) != 0 || got.Location() != time.UTC {
			t.Errorf("%q is %v", text, got)
		}
		if !writable(got) {
			return
		}
		if again, ok := filter.ParseTime(got.Format(time.RFC3339Nano)); !ok || !again.Equal(got) {
			t.Errorf("%q is %v, written again %v", text, got, again)
		}
	})
}

// writable reports whether RFC 3339 has a form for a time. A zone can lead out of its years.
func writable(at time.Time) bool { return at.Year() >= 0 && at.Year() <= 9999 }
