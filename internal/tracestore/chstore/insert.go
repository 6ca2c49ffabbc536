package chstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	"golang.org/x/sync/errgroup"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// nearDays is how many days of start times one insert takes along; rows of other days follow in
// inserts of their own, farDays at a time, so that a client with clocks all over the calendar
// delays nobody and never runs into the engine's bound on partitions.
const (
	nearDays = 8
	farDays  = 64
)

// Insert stores the rows: payloads and trace facts first, then the spine, so that a visible row
// always has both; texts under a tombstone go last, when it hides them. It returns after the engine
// has fsynced the parts.
func (s *Store) Insert(ctx context.Context, rows []*model.Observation) error {
	for _, rows := range byDays(rows) {
		if err := s.insertRows(ctx, rows); err != nil {
			return err
		}
	}
	return nil
}

// Amend stores new versions in the spine alone. Facts stay, because the row lends what it lent.
func (s *Store) Amend(ctx context.Context, rows []*model.Observation) error {
	for _, rows := range byDays(rows) {
		b := s.blocks.get()
		for _, o := range rows {
			b.spine.append(o)
		}
		err := s.insertBlocks(ctx, b)
		s.blocks.put(b)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) insertRows(ctx context.Context, rows []*model.Observation) error {
	b := s.blocks.get()
	defer s.blocks.put(b)
	b.fill(rows)
	return s.insertBlocks(ctx, b)
}

// insertBlocks sends the blocks: payloads and traces side by side, the spine after both.
func (s *Store) insertBlocks(ctx context.Context, b *blocks) error {
	var inserts errgroup.Group
	for _, block := range []tableBlock{b.payloadsBlock, b.tracesBlock} {
		inserts.Go(func() error { return s.insertBlock(ctx, block) })
	}
	if err := inserts.Wait(); err != nil {
		return err
	}
	if err := s.insertBlock(ctx, b.spineBlock); err != nil {
		return err
	}
	return s.insertBlock(ctx, b.erasedBlock)
}

func (s *Store) insertBlock(ctx context.Context, block tableBlock) error {
	if block.rows() == 0 {
		return nil
	}
	err := s.inserts.do(ctx, ch.Query{Body: block.statement, Input: block.input, Settings: []ch.Setting{unlikeOthers()}})
	switch {
	case err == nil:
		return nil
	case ch.IsErr(err, refusals...):
		return fmt.Errorf("insert into %s: %w: %w", block.table, tracestore.ErrRefused, err)
	}
	return fmt.Errorf("insert into %s: %w", block.table, err)
}

// unlikeOthers lets no insert be taken for the repetition of another one, which the engine drops: it notes what it has seen before
// it has it, and one that dies between the two remembers rows that it lost. What comes twice is folded.
func unlikeOthers() ch.Setting {
	return ch.Setting{Key: "insert_deduplication_token", Value: rand.Text(), Important: true}
}

// refusals are the engine's answers that concern the rows themselves. Everything else (memory,
// disk, too many parts, shutdown, a table that is not there yet) may pass, and never makes a row
// a dead letter.
var refusals = []proto.Error{
	6, 25, 26, 27, 38, 41, 72, // cannot parse
	53,  // type mismatch
	69,  // argument out of bound
	117, // incorrect data
	128, // too large array
	131, // too large string
	321, // value out of range of its type
	407, // decimal overflow
	469, // violated constraint
}

// byDays splits rows so that each group spans few days, the busiest days first.
func byDays(rows []*model.Observation) [][]*model.Observation {
	counts := map[int64]int{}
	for _, o := range rows {
		counts[day(o)]++
	}
	if len(counts) <= nearDays {
		return [][]*model.Observation{rows}
	}
	days := make([]int64, 0, len(counts))
	for d := range counts {
		days = append(days, d)
	}
	slices.SortFunc(days, func(a, b int64) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return int(b - a)
	})
	group := map[int64]int{}
	for i, d := range days {
		if i >= nearDays {
			group[d] = 1 + (i-nearDays)/farDays
		}
	}
	groups := make([][]*model.Observation, 1+(len(days)-nearDays+farDays-1)/farDays)
	for _, o := range rows {
		g := group[day(o)]
		groups[g] = append(groups[g], o)
	}
	return groups
}

func day(o *model.Observation) int64 { return o.StartTime.Unix() / int64(24*time.Hour/time.Second) }

// blocks are the column blocks of one batch. They are reused: growing them anew for every batch is
// most of what an insert would allocate.
type blocks struct {
	payloads, erased *payloads
	traces           *traces
	spine            *spine

	payloadsBlock, erasedBlock, tracesBlock, spineBlock tableBlock
}

type tableBlock struct {
	table     string
	statement string
	input     proto.Input
	columns   []namedColumn
}

func (t tableBlock) rows() int { return t.columns[0].data.Rows() }

func newBlocks() *blocks {
	b := &blocks{payloads: newPayloads(), erased: newPayloads(), traces: newTraces(), spine: newSpine(parts{details: true, metadata: true})}
	b.payloadsBlock = newTableBlock("payloads", b.payloads.insertColumns())
	b.erasedBlock = newTableBlock("payloads", b.erased.insertColumns())
	b.tracesBlock = newTableBlock("traces", b.traces.insertColumns())
	b.spineBlock = newTableBlock("observations", b.spine.insertColumns())
	return b
}

func newTableBlock(table string, columns []namedColumn) tableBlock {
	return tableBlock{
		table: table, columns: columns, input: inputOf(columns),
		statement: "INSERT INTO " + table + " (" + namesOf(columns) + ") VALUES",
	}
}

// fill builds the columns of all tables from rows. A tombstone gives its trace nothing.
func (b *blocks) fill(rows []*model.Observation) {
	for _, o := range rows {
		b.spine.append(o)
		if o.Deleted {
			b.erased.appendErased(o)
			continue
		}
		b.payloads.append(o)
	}
	for _, f := range gatherFacts(rows) {
		b.traces.append(f)
	}
}

func (b *blocks) reset() {
	for _, t := range []tableBlock{b.payloadsBlock, b.erasedBlock, b.tracesBlock, b.spineBlock} {
		for _, c := range t.columns {
			c.data.Reset()
		}
	}
}

// blockPool keeps the emptied blocks of finished inserts. A garbage collection does not empty it,
// as it would a sync.Pool: blocks of a busy writer are tens of megabytes that would all be grown again.
type blockPool chan *blocks

func (p blockPool) get() *blocks {
	select {
	case b := <-p:
		return b
	default:
		return newBlocks()
	}
}

func (p blockPool) put(b *blocks) {
	b.reset()
	select {
	case p <- b:
	default:
	}
}
