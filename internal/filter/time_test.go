package filter_test

import (
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/filter"
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-05-01T10:00:00Z": morning, "2026-05-01T10:00:00.0009Z": morning, "2026-05-01T10:00:00,123456789Z": morning.Add(123 * time.Millisecond),
		"2026-05-01T12:00:00+02:00": morning, "2026-05-01T12:00:00+0200": morning, "2026-05-01 10:00:00.123456+00:00": morning.Add(123 * time.Millisecond),
		"2026-05-01 10:00:00": morning, "2026-05-01T10:00": morning, "2026-05-01t10:00:00z": morning, "2026-05-01T10:00Z": morning,
		"2026-05-01 10:00:00 UTC": morning, "2026-05-01 12:00:00 +02:00": morning, " 2026-05-01T10:00:00.000 ": morning,
		"2026-05-01": day, "2026-05": day, "2026": day.AddDate(0, -4, 0), "5/1/2026": day, "05/01/2026": day, "May 1, 2026": day, "1 May 2026": day,
		"Fri, 01 May 2026 10:00:00 GMT": morning, "Fri May 01 2026 12:00:00 GMT+0200 (Central European Summer Time)": morning,
		"1969-12-31T23:59:59.9999Z": time.Date(1969, 12, 31, 23, 59, 59, 999_000_000, time.UTC), "0000-01-01": time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		if got, ok := filter.ParseTime(text); !ok || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%q is %v (%t), want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "x", "2026-13-01", "2026-02-30", "2026-05-01T25:00:00Z", "2026-05-01T10:00:00 02:00", "1777629600000", "99999-01-01", "2026-05-01 10:00:00 PST", "now", "2026-05-01T10:00:00Zjunk"} {
		if got, ok := filter.ParseTime(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
