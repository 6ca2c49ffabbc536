// Package tracestoretest holds the contract suite of the trace store and a store in memory
// that is plain enough to be the truth the others are compared with.
package tracestoretest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var _ Stores = (*Memory)(nil)

// Memory is a trace store in memory: every read looks at every row of the project.
// It is safe for concurrent use. The zero value is empty and ready.
type Memory struct {
	mu       sync.RWMutex
	projects map[string]map[rowKey]*model.Observation
	// given are all versions that ever gave something to their trace: what was given stays.
	given      map[traceKey][]*model.Observation
	tombstones map[tombstoneKey]uint64
	erased     map[tombstoneKey]uint64 // the version at which each was

	partials   map[tracestore.Entity]map[partialKey]tracestore.Partial
	rejections map[rejectionKey]tracestore.Rejection
	scores     map[string]map[scoreKey]*model.Score
	decisions  map[decisionKey]model.Decision
}

// rowKey is what makes two rows of a project the same row.
type rowKey struct {
	trace, id   string
	startMicros int64
}

func keyOf(o *model.Observation) rowKey {
	return rowKey{o.TraceID, o.ID, o.StartTime.UnixMicro()}
}

// Ping reports that memory is there.
func (m *Memory) Ping(ctx context.Context) error { return ctx.Err() }

// Insert keeps the highest version of every row.
func (m *Memory) Insert(ctx context.Context, rows []*model.Observation) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("insert %d rows: %w", len(rows), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.projects == nil {
		m.projects = map[string]map[rowKey]*model.Observation{}
		m.given = map[traceKey][]*model.Observation{}
	}
	for _, o := range rows {
		rows := m.projects[o.ProjectID]
		if rows == nil {
			rows = map[rowKey]*model.Observation{}
			m.projects[o.ProjectID] = rows
		}
		if trace := (traceKey{o.ProjectID, o.TraceID}); !o.Deleted {
			m.given[trace] = append(m.given[trace], clone(o))
		}
		if held := rows[keyOf(o)]; held == nil || held.Version < o.Version {
			o = clone(o)
			if o.Deleted {
				takeTexts(o, &model.Observation{})
			}
			rows[keyOf(o)] = o
		}
	}
	return nil
}

// Amend keeps the texts of the row that is there.
func (m *Memory) Amend(ctx context.Context, rows []*model.Observation) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("amend %d rows: %w", len(rows), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, o := range rows {
		held := m.projects[o.ProjectID][keyOf(o)]
		if held == nil || held.Version >= o.Version {
			continue
		}
		o = clone(o)
		takeTexts(o, held)
		m.projects[o.ProjectID][keyOf(o)] = o
	}
	return nil
}

// Observations returns one page.
func (m *Memory) Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read observations: %w", err)
	}
	rows, err := m.matching(q.ProjectID, q.Where, q.OwnOnly)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b *model.Observation) int { return newestFirst(positionOf(a), positionOf(b)) })
	if q.After != nil {
		rows = slices.DeleteFunc(rows, func(o *model.Observation) bool {
			return newestFirst(positionOf(o), *q.After) <= 0
		})
	}
	rows = rows[:min(len(rows), q.Limit)]
	for _, o := range rows {
		if !q.IO {
			takeTexts(o, &model.Observation{})
		}
		if !q.Metadata {
			dropMetadata(o)
		}
		if q.Brief {
			dropDetails(o)
		}
	}
	return rows, nil
}

// CountObservations counts the rows that match.
func (m *Memory) CountObservations(ctx context.Context, projectID string, where []filter.Condition) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("count observations: %w", err)
	}
	rows, err := m.matching(projectID, where, false)
	return uint64(len(rows)), err
}

// matching returns copies of the rows of a project that meet every condition, with what they inherit
// unless only their own is wanted.
func (m *Memory) matching(projectID string, where []filter.Condition, ownOnly bool) ([]*model.Observation, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var matches []*model.Observation
	for _, o := range m.visible(projectID) {
		ok, err := meetsAll(o, where)
		if err != nil {
			return nil, err
		}
		if ok && ownOnly {
			o = clone(m.projects[projectID][keyOf(o)])
		}
		if ok {
			matches = append(matches, o)
		}
	}
	return matches, nil
}

func onlyColumn(got, want filter.Column) error {
	if got != want {
		return fmt.Errorf("the condition does not apply to column %q", got)
	}
	return nil
}

func positionOf(o *model.Observation) filter.Position {
	return filter.Position{StartTime: o.StartTime, TraceID: o.TraceID, ID: o.ID}
}

// newestFirst orders positions as pages show them.
func newestFirst(a, b filter.Position) int {
	return cmp.Or(
		b.StartTime.Compare(a.StartTime),
		cmp.Compare(xxHash32(b.TraceID), xxHash32(a.TraceID)),
		strings.Compare(b.ID, a.ID),
		strings.Compare(b.TraceID, a.TraceID),
	)
}

func clone(o *model.Observation) *model.Observation {
	c := *o
	c.Tags = slices.Clone(o.Tags)
	c.UsageDetails = maps.Clone(o.UsageDetails)
	c.CostDetails = maps.Clone(o.CostDetails)
	c.Metadata = slices.Clone(o.Metadata)
	c.ToolDefinitions, c.ToolCalls = slices.Clone(o.ToolDefinitions), slices.Clone(o.ToolCalls)
	if o.Experiment != nil {
		x := *o.Experiment
		x.Metadata, x.ItemMetadata = slices.Clone(x.Metadata), slices.Clone(x.ItemMetadata)
		c.Experiment = &x
	}
	return &c
}

// takeTexts replaces the texts of o, which are loaded with IO, by those of from.
func takeTexts(o, from *model.Observation) {
	o.Input, o.Output, o.Happenings = from.Input, from.Output, from.Happenings
	takeJSON(o.ToolDefinitions, from.ToolDefinitions)
	takeJSON(o.ToolCalls, from.ToolCalls)
	if o.Experiment != nil {
		o.Experiment.ItemExpectedOutput = ""
		if from.Experiment != nil {
			o.Experiment.ItemExpectedOutput = from.Experiment.ItemExpectedOutput
		}
	}
}

func takeJSON(tools, from []model.Tooling) {
	for i := range tools {
		tools[i].JSON = ""
		if i < len(from) {
			tools[i].JSON = from[i].JSON
		}
	}
}

func dropMetadata(o *model.Observation) {
	o.Metadata = nil
	if o.Experiment != nil {
		o.Experiment.Metadata, o.Experiment.ItemMetadata = nil, nil
	}
}

// dropDetails drops what a brief read leaves out.
func dropDetails(o *model.Observation) {
	o.Model, o.ModelID, o.ModelParameters, o.PricingTier, o.PricingTierID = "", "", "", "", ""
	o.UsageDetails, o.UsageOrigin, o.CostDetails, o.CostOrigin = nil, "", nil, ""
	o.PromptID, o.PromptName, o.PromptVersion = "", "", 0
	o.ToolDefinitions, o.ToolCalls, o.Experiment = nil, nil, nil
	o.ServiceName, o.ServiceVersion, o.ScopeName, o.ScopeVersion, o.SDKName, o.SDKVersion = "", "", "", "", "", ""
}
