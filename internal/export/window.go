package export

import (
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// The frequencies of the contract.
const (
	Every20Minutes = "every_20_minutes"
	Hourly         = "hourly"
	Daily          = "daily"
	Weekly         = "weekly"
)

// The modes of the contract: where the first window begins.
const (
	FullHistory    = "FULL_HISTORY"
	FromToday      = "FROM_TODAY"
	FromCustomDate = "FROM_CUSTOM_DATE"
)

// beginning is before everything that was ever accepted.
var beginning = time.Unix(0, 0).UTC()

// window is a range of times of acceptance.
type window struct {
	From time.Time `json:"from"` // inclusive
	To   time.Time `json:"to"`   // exclusive
}

// boundary is the last end of a window at or before at. Weeks begin on Monday, all in UTC.
func boundary(frequency string, at time.Time) time.Time {
	at = at.UTC()
	day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
	switch frequency {
	case Every20Minutes:
		return at.Truncate(20 * time.Minute)
	case Hourly:
		return at.Truncate(time.Hour)
	case Weekly:
		return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	default:
		return day
	}
}

// following is the first end of a window after at.
func following(frequency string, at time.Time) time.Time {
	last := boundary(frequency, at)
	switch frequency {
	case Every20Minutes:
		return last.Add(20 * time.Minute)
	case Hourly:
		return last.Add(time.Hour)
	case Weekly:
		return last.AddDate(0, 0, 7)
	default:
		return last.AddDate(0, 0, 1)
	}
}

// reached is up to when rows are exported.
func reached(e model.Export) time.Time {
	switch {
	case !e.Until.IsZero():
		return e.Until
	case e.Settings.Mode == FullHistory:
		return beginning
	}
	return e.Settings.StartDate
}

// due is the window to export next, when it has ended at the horizon. What was missed, or lies in the past
// of the first run, is one long window of as many files as it takes.
func due(e model.Export, horizon time.Time) (window, bool) {
	w := window{From: reached(e), To: boundary(e.Settings.Frequency, horizon)}
	return w, w.From.Before(w.To)
}

// checkFrequency and checkMode refuse words that are none.
func checkFrequency(word string) error {
	switch word {
	case Every20Minutes, Hourly, Daily, Weekly:
		return nil
	}
	return fault.Invalidf("exportFrequency", "must be one of %s, %s, %s, %s", Every20Minutes, Hourly, Daily, Weekly)
}

func checkMode(word string) error {
	switch word {
	case FullHistory, FromToday, FromCustomDate:
		return nil
	}
	return fault.Invalidf("exportMode", "must be one of %s, %s, %s", FullHistory, FromToday, FromCustomDate)
}
