package api

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/query"
)

// params reads the query string and collects every parameter that cannot be used.
type params struct {
	values url.Values
	issues []error
}

func readParams(r *http.Request) (*params, error) {
	// A semicolon is a plain character, as browsers and other servers have it.
	values, err := url.ParseQuery(strings.ReplaceAll(r.URL.RawQuery, ";", "%3B"))
	if err != nil {
		return nil, fault.New(fault.Invalid, "The query string is not percent-encoded correctly").Because(err)
	}
	return &params{values: values}, nil
}

// err joins what was found wrong.
func (p *params) err() error { return errors.Join(p.issues...) }

func (p *params) invalid(key, format string, args ...any) {
	p.issues = append(p.issues, fault.Invalidf(key, format, args...))
}

// text returns the only value of key; present tells an empty value from a missing one.
func (p *params) text(key string) (value string, present bool) {
	values, present := p.values[key]
	if len(values) > 1 {
		p.invalid(key, "must be given once, got %d values", len(values))
		return "", false
	}
	if !present {
		return "", false
	}
	return values[0], true
}

// list returns all values of key, each of which may be a comma-separated list.
func (p *params) list(key string) []string { return p.values[key] }

func (p *params) choice(key string, choices []string) (string, bool) {
	value, present := p.text(key)
	if present && !slices.Contains(choices, value) {
		p.invalid(key, "must be one of %s", strings.Join(choices, ", "))
		return "", false
	}
	return value, present
}

func (p *params) flag(key string) (value, present bool) {
	text, present := p.choice(key, []string{"true", "false"})
	return text == "true", present
}

// number returns the whole number under key, fallback when it is missing or empty.
func (p *params) number(key string, fallback int) int {
	text, _ := p.text(key)
	if text = strings.TrimSpace(text); text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		p.invalid(key, "must be a whole number")
		return fallback
	}
	return n
}

func (p *params) time(key string) (time.Time, bool) {
	text, present := p.text(key)
	if !present {
		return time.Time{}, false
	}
	at, err := query.ParseTime(text)
	if err != nil {
		p.invalid(key, "must be an ISO 8601 date-time with a zone, such as 2026-05-01T10:00:00.000Z or 2026-05-01T10:00:00%%2B02:00")
		return time.Time{}, false
	}
	return at, true
}
