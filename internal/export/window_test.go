package export

import (
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

func TestWindows(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		t.Helper()
		parsed, err := time.Parse("2006-01-02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, c := range []struct {
		frequency, reached, horizon, to string // to empty: nothing is due
	}{
		{Every20Minutes, "2026-05-01 12:00", "2026-05-01 12:19", ""},
		{Every20Minutes, "2026-05-01 12:00", "2026-05-01 12:20", "2026-05-01 12:20"},
		{Every20Minutes, "2026-05-01 12:00", "2026-05-01 15:39", "2026-05-01 15:20"},
		{Hourly, "2026-05-01 12:00", "2026-05-01 12:59", ""},
		{Hourly, "2026-05-01 12:30", "2026-05-01 13:00", "2026-05-01 13:00"},
		{Daily, "2026-05-01 00:00", "2026-05-01 23:59", ""},
		{Daily, "2026-02-28 00:00", "2026-03-01 00:00", "2026-03-01 00:00"},
		{Weekly, "2026-05-04 00:00", "2026-05-10 23:59", ""},
		{Weekly, "2026-05-04 00:00", "2026-05-11 00:00", "2026-05-11 00:00"},
		{Weekly, "2026-05-01 00:00", "2026-05-03 23:59", ""},
		{Daily, "2026-06-01 00:00", "2026-05-01 00:00", ""},
	} {
		e := model.Export{Until: at(c.reached), Settings: model.ExportSettings{Frequency: c.frequency}}
		w, ok := due(e, at(c.horizon))
		if ok != (c.to != "") || ok && (!w.To.Equal(at(c.to)) || !w.From.Equal(at(c.reached))) {
			t.Errorf("%+v: %v, %t", c, w, ok)
		}
		if next := following(c.frequency, at(c.horizon)); !next.After(at(c.horizon)) || boundary(c.frequency, next) != next {
			t.Errorf("%+v: the next boundary is %s", c, next)
		}
	}
}

func TestSegmentsOfProjects(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, id := range []string{"cm1abc", "My Project", "a/b", "..", "", "hex-61", "a", "ä", "a~"} {
		s := segment(id)
		if other, taken := seen[s]; taken {
			t.Errorf("%q and %q are both %q", id, other, s)
		}
		seen[s] = id
	}
}
