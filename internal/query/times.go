package query

import (
	"errors"
	"regexp"
	"time"
)

// dateTime is what RFC 3339 allows, seconds and fraction being optional. time.Parse alone would
// let through single-digit hours and decimal commas.
var dateTime = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)$`)

// ParseTime reads a date-time with a zone, strictly. (filter.ParseTime is the lenient one.)
func ParseTime(text string) (time.Time, error) {
	parts := dateTime.FindStringSubmatch(text)
	if parts == nil || (parts[2] == "" && parts[3] != "") {
		return time.Time{}, errors.New("not a date-time")
	}
	seconds := parts[2]
	if seconds == "" {
		seconds = ":00"
	}
	fraction := parts[3][:min(len(parts[3]), len(".123456789"))]
	return time.Parse(time.RFC3339Nano, parts[1]+seconds+fraction+parts[4])
}
