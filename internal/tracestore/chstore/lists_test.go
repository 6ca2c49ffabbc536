package chstore

import (
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// The statements of lists, one file each. Values that clients send are nowhere in them.
func TestListsSQL(t *testing.T) {
	t.Parallel()
	const secret = "client's text"
	from := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	roots := []filter.Condition{
		filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: from}, filter.IsTrue{Column: filter.IsRootObservation, Want: true},
	}
	users := filter.OneOf{Column: filter.UserID, Values: []string{secret}}
	rows := sample{where: roots, lowest: from}
	dead := buried{traces: graves{ids: map[string]uint64{secret: 7}}, scores: graves{ids: map[string]uint64{secret: 8}}}
	for name, render := range map[string]func() (string, params, error){
		"timeline": func() (string, params, error) {
			return timelineSQL(tracestore.TimelineQuery{ProjectID: secret, Width: time.Minute}, rows, dead)
		},
		"timeline_latency": func() (string, params, error) {
			return timelineSQL(tracestore.TimelineQuery{ProjectID: secret, Width: time.Minute, Latency: true}, rows, buried{})
		},
		"effects": func() (string, params, error) {
			level := filter.OneOf{Column: filter.Level, Values: []string{secret}}
			return effectsSQL(tracestore.EffectQuery{ProjectID: secret, Each: []filter.Condition{level, users}}, rows, buried{})
		},
		"comparison": func() (string, params, error) {
			q := tracestore.CompareQuery{ProjectID: secret, Selection: []filter.Condition{users}, Values: 5, Keys: 16}
			fields := []filter.Column{filter.Type, filter.Tags, tracestore.Prompt, tracestore.MetadataKeys, tracestore.MetadataField(secret)}
			return comparisonSQL(q, fields, rows, buried{})
		},
		"facets_scores": func() (string, params, error) {
			return facetsSQL(tracestore.FacetQuery{ProjectID: secret, Fields: []filter.Column{tracestore.ScoreNames}, Limit: 5}, rows, dead)
		},
		"activities_users": func() (string, params, error) {
			return activitiesSQL(tracestore.ActivityQuery{ProjectID: secret, By: filter.UserID, Prefix: secret, Order: tracestore.ByTotalCost, Limit: 50}, rows, buried{})
		},
		"activities_sessions": func() (string, params, error) {
			q := tracestore.ActivityQuery{ProjectID: secret, By: filter.SessionID, Order: tracestore.ByLastSeen, Asc: true, Limit: 50, Offset: 50}
			return activitiesSQL(q, rows, dead)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sql, _, err := render()
			if err != nil {
				t.Fatal(err)
			}
			compareSQL(t, name, sql, secret)
		})
	}
}

// What no table of ours names has no SQL.
func TestUnknownFieldsHaveNoSQL(t *testing.T) {
	t.Parallel()
	const hostile = "'; DROP TABLE observations"
	if sql, _, err := facetsSQL(tracestore.FacetQuery{Fields: []filter.Column{hostile}}, sample{}, buried{}); err == nil {
		t.Errorf("facets by an unknown field: %s", sql)
	}
	for _, q := range []tracestore.ActivityQuery{{By: hostile, Order: tracestore.ByLastSeen}, {By: filter.UserID, Order: hostile}, {By: filter.Name, Order: tracestore.ByLastSeen}} {
		if sql, _, err := activitiesSQL(q, sample{}, buried{}); err == nil {
			t.Errorf("activities by %s: %s", q.By, sql)
		}
	}
}
