package bench

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// StorageResult has one entry per corpus.
type StorageResult struct {
	Corpora []CorpusResult `json:"corpora"`
}

// CorpusResult is what the spans of one corpus take on disk, merged, beside one wide table in
// time order with the same columns and codecs.
type CorpusResult struct {
	Corpus           string  `json:"corpus"`
	Spans            int     `json:"spans"`
	RawBytesPerSpan  float64 `json:"raw_bytes_per_span"`
	BytesPerSpan     float64 `json:"bytes_per_span"`
	WideBytesPerSpan float64 `json:"wide_bytes_per_span"`
	Ratio            float64 `json:"ratio"` // wide to ours, without indexes
	Exact            bool    `json:"exact"`

	SpineBytesPerSpan   float64 `json:"spine_bytes_per_span"`
	PayloadBytesPerSpan float64 `json:"payload_bytes_per_span"`
	TracesBytesPerSpan  float64 `json:"traces_bytes_per_span"`
	IndexBytesPerSpan   float64 `json:"index_bytes_per_span"`

	RowsPerSecond    float64 `json:"rows_per_s"`
	EngineCPUMicros  float64 `json:"engine_cpu_us_per_span"`       // insert
	CompactCPUMicros float64 `json:"engine_merge_cpu_us_per_span"` // the merge of everything at the end
	PageIO           float64 `json:"page_io_p50_ms"`               // 50 rows with input, output and metadata
	PageIOCPU        float64 `json:"page_io_engine_cpu_ms"`
}

// leastRatio is how many times smaller than the wide table a corpus must be.
var leastRatio = map[string]float64{"30": 4, "mixed": 2}

// Verdict fails when a promise does not hold.
func (r StorageResult) Verdict() error {
	if len(r.Corpora) == 0 {
		return errors.New("there was no corpus")
	}
	var broken []error
	for _, c := range r.Corpora {
		if !c.Exact {
			broken = append(broken, fmt.Errorf("corpus %s: what was read is not what was stored", c.Corpus))
		}
		if least := leastRatio[c.Corpus]; c.Ratio < least {
			broken = append(broken, fmt.Errorf("corpus %s is %.2f times smaller than a wide table, wanted %.0f", c.Corpus, c.Ratio, least))
		}
	}
	return errors.Join(broken...)
}

// StorageOptions bound the run.
type StorageOptions struct {
	Corpora []string // numbers of turns, and "mixed"
	Spans   int      // of each corpus
	Seed    uint64
}

// wideMemory is what merges of the wide table want; those of our tables stay below 300 MB.
const wideMemory = "3GiB"

// Storage stores each corpus in tables of its own, merges them and compares.
func Storage(ctx context.Context, o StorageOptions, p *Progress) (result StorageResult, err error) {
	for _, name := range o.Corpora {
		if _, err := newFleet(name, o.Seed); err != nil {
			return result, err
		}
	}
	s, err := newServer("--engine-memory", wideMemory)
	if err != nil {
		return result, err
	}
	defer func() { err = joinRemove(err, s) }()
	if _, err := s.start(ctx); err != nil {
		return result, err
	}
	for _, name := range o.Corpora {
		one, err := s.storeCorpus(ctx, name, o, p)
		if err != nil {
			return result, fmt.Errorf("corpus %s: %w", name, err)
		}
		result.Corpora = append(result.Corpora, one)
	}
	return result, nil
}

// storeCorpus takes one corpus from spans to figures, in a database that it drops again.
func (s *server) storeCorpus(ctx context.Context, name string, o StorageOptions, p *Progress) (CorpusResult, error) {
	result := CorpusResult{Corpus: name, Spans: o.Spans}
	admin, err := s.openStore(chstore.DefaultDatabase, 1)
	if err != nil {
		return result, err
	}
	defer admin.Close()
	database := "corpus_" + name
	if err := admin.Exec(ctx, "CREATE DATABASE "+database); err != nil {
		return result, err
	}
	store, err := s.openStore(database, 1)
	if err != nil {
		return result, err
	}
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return result, err
	}
	c := &corpusRun{server: s, store: store, result: &result, digests: make(map[string][sha256.Size]byte, o.Spans)}
	for _, step := range []struct {
		doing string
		do    func(context.Context) error
	}{
		{"inserting", func(ctx context.Context) error { return c.insert(ctx, name, o) }},
		{"merging", c.compact},
		{"reading everything back", c.readBack},
		{"filling the wide table", c.compare},
	} {
		p.say("corpus %s: %s", name, step.doing)
		if err := step.do(ctx); err != nil {
			return result, err
		}
	}
	return result, admin.Exec(ctx, "DROP DATABASE "+database+" SYNC")
}

// corpusRun is one corpus on its way.
type corpusRun struct {
	server  *server
	store   *chstore.Store
	result  *CorpusResult
	digests map[string][sha256.Size]byte // of what went in, by trace and span
	marks   []*filter.Position           // places all over the corpus
}

// The bounds of the writer's batches.
const (
	batchRows  = 10_000
	batchBytes = 48 << 20
)

// insert makes spans, maps them as the writer does and stores them in its batches.
func (c *corpusRun) insert(ctx context.Context, name string, o StorageOptions) error {
	f, err := newFleet(name, o.Seed)
	if err != nil {
		return err
	}
	raw, batches := 0, 0
	var took, cpu time.Duration
	for left := o.Spans; left > 0; batches++ {
		var rows []*model.Observation
		for size := 0; left > 0 && len(rows) < batchRows && size < batchBytes; {
			spans := f.take(min(spansPerBody, left))
			plain := encodeRequest(spans)
			mapped, err := otlp.Map(plain, otlp.Source{ProjectID: projectID, AcceptedAt: spans[len(spans)-1].end})
			if err != nil {
				return fmt.Errorf("map spans: %w", err)
			}
			rows = append(rows, mapped...)
			left, size, raw = left-len(spans), size+len(plain), raw+len(plain)
		}
		for _, o := range rows {
			c.digests[o.TraceID+o.ID] = digest(o)
		}
		spent, err := c.engineCPU(func() error {
			began := time.Now()
			defer func() { took += time.Since(began) }()
			return c.store.Insert(ctx, rows)
		})
		if err != nil {
			return err
		}
		cpu += spent
	}
	c.result.RawBytesPerSpan = round(float64(raw)/float64(o.Spans), 0)
	c.result.RowsPerSecond = round(float64(o.Spans)/took.Seconds(), 0)
	c.result.EngineCPUMicros = perSpan(cpu, o.Spans)
	return nil
}

// engineCPU is what the engine used while do ran.
func (c *corpusRun) engineCPU(do func() error) (time.Duration, error) {
	pid, err := c.server.enginePid()
	if err != nil {
		return 0, err
	}
	before, err := measure(pid)
	if err != nil {
		return 0, err
	}
	if err := do(); err != nil {
		return 0, err
	}
	after, err := measure(pid)
	return after.cpu - before.cpu, err
}

// compact merges our tables and measures them.
func (c *corpusRun) compact(ctx context.Context) error {
	r := c.result
	cpu, err := c.engineCPU(func() error {
		for _, table := range []string{"observations", "payloads", "traces"} {
			if err := c.store.Compact(ctx, table); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.CompactCPUMicros = perSpan(cpu, r.Spans)
	index := 0.0
	for _, t := range []struct {
		name string
		into *float64
	}{{"observations", &r.SpineBytesPerSpan}, {"payloads", &r.PayloadBytesPerSpan}, {"traces", &r.TracesBytesPerSpan}} {
		size, err := c.store.Footprint(ctx, t.name)
		if err != nil {
			return err
		}
		*t.into = size.Data / float64(r.Spans)
		index += size.Index
	}
	r.BytesPerSpan = round(r.SpineBytesPerSpan+r.PayloadBytesPerSpan+r.TracesBytesPerSpan, 1)
	r.IndexBytesPerSpan = round(index/float64(r.Spans), 1)
	for _, figure := range []*float64{&r.SpineBytesPerSpan, &r.PayloadBytesPerSpan, &r.TracesBytesPerSpan} {
		*figure = round(*figure, 1)
	}
	return nil
}

// readBack walks all pages and compares each row with what went in; then it times pages.
func (c *corpusRun) readBack(ctx context.Context) error {
	query := tracestore.ObservationQuery{ProjectID: projectID, Limit: 1000, IO: true, Metadata: true}
	equal := 0
	for {
		rows, err := c.store.Observations(ctx, query)
		if err != nil {
			return err
		}
		for _, o := range rows {
			key := o.TraceID + o.ID
			if want, ok := c.digests[key]; ok && want == digest(o) {
				equal++
				delete(c.digests, key)
			}
		}
		if len(rows) < query.Limit {
			break
		}
		last := rows[len(rows)-1]
		query.After = &filter.Position{StartTime: last.StartTime, TraceID: last.TraceID, ID: last.ID}
		c.marks = append(c.marks, query.After)
	}
	c.result.Exact = equal == c.result.Spans && len(c.digests) == 0
	return c.timePages(ctx)
}

// timePages reads pages as people do, all over the corpus.
func (c *corpusRun) timePages(ctx context.Context) error {
	const pages = 40
	if len(c.marks) == 0 {
		return nil // all fits on one page
	}
	var times []time.Duration
	cpu, err := c.engineCPU(func() error {
		for i := range pages {
			began := time.Now()
			_, err := c.store.Observations(ctx, tracestore.ObservationQuery{
				ProjectID: projectID, Limit: 50, IO: true, Metadata: true, After: c.marks[i*len(c.marks)/pages],
			})
			if err != nil {
				return err
			}
			times = append(times, time.Since(began))
		}
		return nil
	})
	c.result.PageIO = percentile(times, 0.5)
	c.result.PageIOCPU = round(float64(cpu.Milliseconds())/pages, 1)
	return err
}

// compare stores the same rows wide.
func (c *corpusRun) compare(ctx context.Context) error {
	if err := c.store.FillWide(ctx); err != nil {
		return err
	}
	if err := c.store.Compact(ctx, chstore.Wide); err != nil {
		return err
	}
	rows, err := c.store.StoredRows(ctx, chstore.Wide)
	if err != nil {
		return err
	}
	if int(rows) != c.result.Spans {
		return fmt.Errorf("the wide table has %.0f rows of %d", rows, c.result.Spans)
	}
	size, err := c.store.Footprint(ctx, chstore.Wide)
	if err != nil {
		return err
	}
	c.result.WideBytesPerSpan = round(size.Data/rows, 1)
	c.result.Ratio = round(c.result.WideBytesPerSpan/c.result.BytesPerSpan, 2)
	return nil
}

// digest stands for the texts of a row, byte for byte.
func digest(o *model.Observation) [sha256.Size]byte {
	h := sha256.New()
	write := func(text string) {
		_ = binary.Write(h, binary.LittleEndian, uint64(len(text))) // a hash takes everything
		_, _ = io.WriteString(h, text)
	}
	write(o.Input)
	write(o.Output)
	for _, e := range o.Metadata {
		write(e.Name)
		write(e.Value)
		write(string(rune(e.Type)))
	}
	return [sha256.Size]byte(h.Sum(nil))
}
