package alerts

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// The bounds of an alert.
const (
	maxName    = 200
	maxWindow  = 7 * 24 * 60 // minutes
	maxEvery   = 24 * 60
	maxTargets = 10
	maxLimit   = 64 // digits of a limit
)

var operators = map[string]func(sign int) bool{
	">":  func(sign int) bool { return sign > 0 },
	">=": func(sign int) bool { return sign >= 0 },
	"<":  func(sign int) bool { return sign < 0 },
	"<=": func(sign int) bool { return sign <= 0 },
}

// checkSettings refuses with fault.Invalid settings that cannot be evaluated, and keeps of the query what counts.
func checkSettings(s *model.AlertSettings, check func(string) error) error {
	s.Name = strings.TrimSpace(s.Name)
	switch n := utf8.RuneCountInString(s.Name); {
	case n < 1 || n > maxName || strings.ContainsAny(s.Name, "\r\n"):
		return fault.Invalidf("name", "must have 1 to %d characters in one line, got %d", maxName, n)
	case len(s.DashboardID) > 100 || len(s.TileID) > 100:
		return fault.Invalidf("dashboardId", "and tileId must not have more than 100 bytes")
	case s.WindowMinutes < 1 || s.WindowMinutes > maxWindow:
		return fault.Invalidf("windowMinutes", "must be 1 to %d", maxWindow)
	case s.EveryMinutes < 1 || s.EveryMinutes > maxEvery:
		return fault.Invalidf("everyMinutes", "must be 1 to %d", maxEvery)
	case len(s.TargetIDs) > maxTargets:
		return fault.Invalidf("targetIds", "must not be more than %d", maxTargets)
	}
	slices.Sort(s.TargetIDs)
	s.TargetIDs = slices.Compact(s.TargetIDs)
	if err := checkCondition(&s.Condition); err != nil {
		return err
	}
	return checkQuery(s, check)
}

func checkCondition(c *model.AlertCondition) error {
	limit, err := decimal.NewFromString(c.Limit)
	bad := len(c.Limit) > maxLimit || err != nil || limit.Exponent() > maxLimit || limit.Exponent() < -maxLimit
	switch c.Kind {
	case model.Threshold:
		if operators[c.Operator] == nil {
			return fault.Invalidf("condition.operator", "must be one of >, >=, <, <=")
		}
		if bad {
			return fault.Invalidf("condition.limit", "must be a number as text, such as \"2.5\"")
		}
		c.Direction = ""
	case model.WeekChange:
		if !slices.Contains([]string{"up", "down", "any"}, c.Direction) {
			return fault.Invalidf("condition.direction", "must be one of up, down, any")
		}
		if bad || !limit.IsPositive() {
			return fault.Invalidf("condition.limit", "must be a positive number of percent as text, such as \"50\"")
		}
		c.Operator = ""
	case model.Absence:
		*c = model.AlertCondition{Kind: model.Absence}
	default:
		return fault.Invalidf("condition.kind", "must be one of %s, %s, %s", model.Threshold, model.Absence, model.WeekChange)
	}
	return nil
}

// question is the part of a metrics query that an alert keeps.
type question struct {
	View    string            `json:"view"`
	Metrics []metric          `json:"metrics"`
	Filters []json.RawMessage `json:"filters"`
	From    string            `json:"fromTimestamp,omitempty"`
	To      string            `json:"toTimestamp,omitempty"`
}

type metric struct {
	Measure     string `json:"measure"`
	Aggregation string `json:"aggregation"`
}

// checkQuery keeps view, the only metric and filters. Dimensions would make many numbers of one.
func checkQuery(s *model.AlertSettings, check func(string) error) error {
	var q question
	if err := json.Unmarshal(s.Query, &q); err != nil {
		return fault.Invalidf("query", "must be a metrics query, a JSON object with view, metrics and filters").Because(err)
	}
	if len(q.Metrics) != 1 || q.Metrics[0].Aggregation == "histogram" {
		return fault.Invalidf("query.metrics", "must be one metric, and no histogram: an alert watches one number")
	}
	q.From, q.To = "", ""
	if q.Filters == nil {
		q.Filters = []json.RawMessage{}
	}
	kept, err := json.Marshal(q)
	if err != nil {
		return fmt.Errorf("encode the query of an alert: %w", err)
	}
	s.Query = kept
	text, err := asked(*s, time.Now(), false)
	if err == nil {
		err = check(text)
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok && f.Kind == fault.Invalid {
		return fault.Invalidf("query", "cannot be answered: %s", f.Public())
	}
	return err
}

// asked is the whole query for the window that ends at a time; with rows, for the number of rows in it.
func asked(s model.AlertSettings, end time.Time, rows bool) (string, error) {
	var q question
	if err := json.Unmarshal(s.Query, &q); err != nil {
		return "", fmt.Errorf("read the query of an alert: %w", err)
	}
	if rows {
		q.Metrics = []metric{{Measure: "count", Aggregation: "count"}}
	}
	end = end.UTC().Truncate(time.Millisecond)
	q.From = end.Add(-time.Duration(s.WindowMinutes) * time.Minute).Format(time.RFC3339Nano)
	q.To = end.Add(-time.Millisecond).Format(time.RFC3339Nano) // both ends count
	text, err := json.Marshal(q)
	return string(text), err
}

// describe says in words when an alert fires.
func describe(s model.AlertSettings) string {
	var q question
	what := "the number of rows"
	if json.Unmarshal(s.Query, &q) == nil && len(q.Metrics) == 1 && q.Metrics[0].Measure != "count" {
		what = q.Metrics[0].Aggregation + " of " + q.Metrics[0].Measure
	}
	window := fmt.Sprintf("over %d minutes", s.WindowMinutes)
	switch c := s.Condition; c.Kind {
	case model.Absence:
		return "no row " + window
	case model.WeekChange:
		way := map[string]string{"up": "rose", "down": "fell", "any": "changed"}[c.Direction]
		return fmt.Sprintf("%s %s %s by at least %s %% against a week ago", what, window, way, c.Limit)
	default:
		return fmt.Sprintf("%s %s is %s %s", what, window, c.Operator, c.Limit)
	}
}
