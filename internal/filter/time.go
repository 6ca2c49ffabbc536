package filter

import (
	"strings"
	"time"
)

// layouts are the forms of times that clients send besides RFC 3339: what a JavaScript Date reads,
// without the forms whose meaning depends on where it is read. A time without zone is one of UTC.
var layouts = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05 Z07:00", "2006-01-02T15:04:05 MST", "2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "2006-01-02T15:04",
	"2006-01-02", "2006-01", "2006", "2006/01/02", "2006/01/02T15:04:05",
	"1/2/2006", "1/2/2006 15:04:05", "1/2/2006, 3:04:05 PM",
	"Mon, 2 Jan 2006 15:04:05 MST", "Mon, 2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 MST", "2 Jan 2006", "2 January 2006",
	"Jan 2, 2006", "January 2, 2006", "Jan 2, 2006 15:04:05", "January 2, 2006 15:04:05",
	"Mon Jan 2 2006 15:04:05 GMT-0700", "Mon Jan 2 2006 15:04:05", "Mon Jan 2 2006",
}

// ParseTime reads a time leniently: a date alone is its first moment, a space may stand for the T, and
// a zone that is missing is UTC. What is below a millisecond is cut off.
func ParseTime(text string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	// The name of the zone that Date.prototype.toString puts behind its offset.
	if head, _, ok := strings.Cut(text, " ("); ok {
		text = head
	}
	if len(text) > len("2006-01-02") && text[4] == '-' && (text[10] == ' ' || text[10] == 't') {
		text = text[:10] + "T" + text[11:]
	}
	if rest, ok := strings.CutSuffix(text, "z"); ok {
		text = rest + "Z"
	}
	for _, layout := range layouts {
		at, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if zone, _ := at.Zone(); strings.HasSuffix(layout, "MST") && zone != "UTC" && zone != "GMT" {
			return time.Time{}, false // other abbreviations are read as UTC by Go and mean several zones
		}
		return at.UTC().Truncate(time.Millisecond), true
	}
	return time.Time{}, false
}
