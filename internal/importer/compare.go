package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Comparison is what became of the rows of a kind that were looked at in the target.
type Comparison struct {
	Compared, Missing, Different int
	Findings                     []Finding // the first of them
}

func (c *Comparison) find(id, format string, args ...any) {
	if len(c.Findings) < maxFindings {
		c.Findings = append(c.Findings, Finding{id, fmt.Sprintf(format, args...)})
	}
}

// settling is how long the target may take to show what it has accepted.
const settling = 2 * time.Minute

// comparer holds records of the source against rows of the target.
type comparer struct {
	target *client
	// read finds the rows of records in the target; one that is there twice comes twice.
	read func(ctx context.Context, target *client, of []record) ([]record, error)
	// recordOf reads a row of the source.
	recordOf func(raw json.RawMessage) (record, error)
	// source, if it is given, shows metadata cut, and is asked for the whole.
	source *client
	cut    cutMetadata

	page   []record
	result Comparison
	until  time.Time // when a missing row is given up
}

func (c *comparer) begin() {
	c.page = nil
	c.cut.begin()
}

func (c *comparer) row(ctx context.Context, raw json.RawMessage) error {
	if c.source != nil {
		var o observation
		if err := json.Unmarshal(raw, &o); err != nil {
			return fmt.Errorf("read an observation: %w", err)
		}
		if c.cut.isCut(&o) {
			return c.cut.keep(o, func(held []observation) error { return c.whole(ctx, held) })
		}
	}
	r, err := c.recordOf(raw)
	c.page = append(c.page, r)
	return err
}

// whole takes rows whose metadata the source shows cut.
func (c *comparer) whole(ctx context.Context, held []observation) error {
	if err := c.cut.fill(ctx, c.source, held); err != nil {
		return err
	}
	for i := range held {
		c.page = append(c.page, recordOfRow(&held[i], true))
	}
	return nil
}

func (c *comparer) end(ctx context.Context) (Tally, error) {
	if held := c.cut.held; len(held) > 0 {
		c.cut.begin()
		if err := c.whole(ctx, held); err != nil {
			return Tally{}, err
		}
	}
	return Tally{Rows: len(c.page)}, c.compare(ctx, c.page)
}

// The bounds of a request for rows by id.
const (
	maxCompared = 100
	maxIDBytes  = 6 << 10
)

// compare looks records up, as many at a time as an address holds.
func (c *comparer) compare(ctx context.Context, records []record) error {
	for len(records) > 0 {
		ids := make([]string, 0, maxCompared)
		for _, r := range records[:min(len(records), maxCompared)] {
			ids = append(ids, r.ID)
		}
		some := records[:fitting(ids, maxIDBytes)]
		records = records[len(some):]
		if err := c.lookUp(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// lookUp compares some records, and waits for those that are not there yet.
func (c *comparer) lookUp(ctx context.Context, some []record) error {
	if c.until.IsZero() {
		c.until = time.Now().Add(settling)
	}
	var rows map[string][]record
	for {
		found, err := c.read(ctx, c.target, some)
		if err != nil {
			return fmt.Errorf("read back from the target: %w", err)
		}
		rows = map[string][]record{}
		for _, r := range found {
			rows[r.ID] = append(rows[r.ID], r)
		}
		if !slices.ContainsFunc(some, func(r record) bool { return len(rows[r.ID]) == 0 }) || time.Now().After(c.until) {
			break
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for i := range some {
		c.judge(&some[i], rows[some[i].ID])
	}
	return nil
}

func (c *comparer) judge(want *record, found []record) {
	c.result.Compared++
	switch {
	case len(found) == 0:
		c.result.Missing++
		c.result.find(want.Name, "is missing")
	case len(found) > 1:
		c.result.Different++
		c.result.find(want.Name, "is there %d times", len(found))
	default:
		if names := want.differences(&found[0]); len(names) > 0 {
			c.result.Different++
			c.result.find(want.Name, "differs in %s", strings.Join(names, ", "))
		}
	}
}

// readBack reads rows of observations back by the newer read, which every Sonde has.
type readBack struct {
	ofTrace bool
	// byTime reads everything between the first and the last row, which is faster for rows that follow each other than ids are.
	byTime bool
}

func (b readBack) rows(ctx context.Context, target *client, of []record) (found []record, err error) {
	var ids, long []string
	first, last := of[0].At, of[0].At
	for _, r := range of {
		ids = append(ids, r.ID)
		first, last = min(first, r.At), max(last, r.At)
		for _, key := range r.Long {
			if !slices.Contains(long, key) {
				long = append(long, key)
			}
		}
	}
	query, err := byID(ids, first, last)
	if err != nil {
		return nil, err
	}
	if b.byTime {
		query.Del("filter")
	}
	query.Set("fields", newerObservations.query.Get("fields"))
	if len(long) > 0 {
		query.Set("expandMetadata", strings.Join(long, ","))
	}
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	for {
		var m meta
		before := len(found)
		err = target.stream(ctx, newerObservations.path, query, func(body io.Reader) (err error) {
			found = found[:before]
			m, err = readPage(body, func(raw json.RawMessage) error {
				r, err := observationRecord(raw, b.ofTrace)
				if wanted[r.ID] {
					found = append(found, r)
				}
				return err
			})
			return err
		})
		if err != nil || m.Cursor == "" {
			return found, err
		}
		query.Set("cursor", m.Cursor)
	}
}

// observationRecord is the record of a row of either side.
func observationRecord(raw json.RawMessage, ofTrace bool) (record, error) {
	var o observation
	if err := json.Unmarshal(raw, &o); err != nil {
		return record{}, fmt.Errorf("read an observation: %w", err)
	}
	return recordOfRow(&o, ofTrace), nil
}

// recordOfRow tells a row that stands for a trace from others.
func recordOfRow(o *observation, ofTrace bool) record {
	if o.standsForTrace() {
		t := o.trace()
		return recordOfTrace(&t)
	}
	return recordOf(o, ofTrace)
}

func traceRecord(raw json.RawMessage) (record, error) {
	var t trace
	if err := json.Unmarshal(raw, &t); err != nil {
		return record{}, fmt.Errorf("read a trace: %w", err)
	}
	return recordOfTrace(&t), nil
}

// targetScores reads scores back.
func targetScores(ctx context.Context, target *client, of []record) (found []record, err error) {
	ids := make([]string, len(of))
	first, last := of[0].At, of[0].At
	for i, r := range of {
		ids[i] = r.ID
		first, last = min(first, r.At), max(last, r.At)
	}
	from, to, err := around(first, last)
	if err != nil {
		return nil, err
	}
	query := url.Values{
		"id": {strings.Join(ids, ",")}, "limit": {"100"}, "fields": newerScores.query["fields"],
		"fromTimestamp": {from}, "toTimestamp": {to},
	}
	err = target.stream(ctx, newerScores.path, query, func(body io.Reader) error {
		found = nil
		_, err := readPage(body, func(raw json.RawMessage) error {
			r, err := scoreRecord(raw, nil)
			found = append(found, r)
			return err
		})
		return err
	})
	return found, err
}

// scoreRecord is the record of a score of either side; the ids of the source are those of the target by the state.
func scoreRecord(raw json.RawMessage, state *State) (record, error) {
	var s score
	if err := json.Unmarshal(raw, &s); err != nil {
		return record{}, fmt.Errorf("read a score: %w", err)
	}
	s.settle()
	if state != nil {
		s.ConfigID = cmp.Or(state.Configs[s.ConfigID], s.ConfigID)
		s.DatasetRunID = cmp.Or(state.Runs[s.DatasetRunID], s.DatasetRunID)
	}
	return recordOfScore(&s), nil
}

// verify compares the sample of a step, or all rows of it, which reads the source once more.
func (im *importer) verify(ctx context.Context, kind string, s *Step) (Comparison, error) {
	c := &comparer{target: im.target, read: targetScores, recordOf: func(raw json.RawMessage) (record, error) { return scoreRecord(raw, im.state) }}
	lists := []list{newerScores, olderScores, oldestScores}
	switch kind {
	case kindTraces:
		c.read, c.recordOf, lists = readBack{}.rows, traceRecord, []list{olderTraces}
	case kindObservations:
		ofTrace := s.Newer
		c.read, lists = readBack{ofTrace: ofTrace, byTime: im.config.Verify == VerifyAll}.rows, []list{newerObservations, olderObservations}
		c.recordOf = func(raw json.RawMessage) (record, error) { return observationRecord(raw, ofTrace) }
		if s.Newer {
			c.source = im.source
		}
	}
	if im.config.Verify == VerifySample || kind == kindTraces && im.state.step(kindObservations).Newer { // those come with the observations
		records := make([]record, len(s.Sample))
		for i := range s.Sample {
			records[i] = s.Sample[i].record
		}
		slices.SortFunc(records, func(a, b record) int { return cmp.Compare(a.At, b.At) }) // rows of one time lie together
		err := c.compare(ctx, records)
		return c.result, err
	}
	l, err := choose(ctx, im.source, lists...)
	if err != nil {
		return c.result, err
	}
	again := &Step{}
	err = im.walk(ctx, "comparing "+kind, again, l, c, nil)
	return c.result, err
}
