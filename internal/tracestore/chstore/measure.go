package chstore

import (
	"context"
	"fmt"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/model"
)

// Prepared is a batch whose column blocks were built beforehand: the bare insert that the whole
// way is measured against.
type Prepared struct {
	blocks *blocks
	Rows   int
}

// Prepare builds the blocks of a batch.
func Prepare(rows []*model.Observation) *Prepared {
	b := newBlocks()
	b.fill(rows)
	return &Prepared{blocks: b, Rows: len(rows)}
}

// InsertPrepared sends a prepared batch as Insert would, with the same settings.
func (s *Store) InsertPrepared(ctx context.Context, p *Prepared) error {
	return s.insertBlocks(ctx, p.blocks)
}

// Exec runs a statement that returns nothing.
func (s *Store) Exec(ctx context.Context, statement string) error {
	return s.inserts.do(ctx, ch.Query{Body: statement})
}

// Number runs a statement that returns one number; the statement names it n and makes it Float64.
func (s *Store) Number(ctx context.Context, statement string) (float64, error) {
	return s.number(ctx, statement, params{})
}

func (s *Store) number(ctx context.Context, statement string, p params) (float64, error) {
	var n proto.ColFloat64
	err := s.reads.do(ctx, ch.Query{Body: statement, Parameters: p.list, Result: proto.Results{{Name: "n", Data: &n}}})
	if err != nil || n.Rows() != 1 {
		return 0, fmt.Errorf("read one number, got %d: %w", n.Rows(), err)
	}
	return n.Row(0), nil
}

// ActiveParts counts the parts of our tables that reads have to look at.
func (s *Store) ActiveParts(ctx context.Context) (float64, error) {
	return s.Number(ctx, "SELECT toFloat64(count()) AS n FROM system.parts WHERE active AND database = currentDatabase()")
}

// Merges counts the merges of our tables that run now.
func (s *Store) Merges(ctx context.Context) (float64, error) {
	return s.Number(ctx, "SELECT toFloat64(count()) AS n FROM system.merges WHERE database = currentDatabase()")
}

// DiskBytes sums what our tables take on disk.
func (s *Store) DiskBytes(ctx context.Context) (float64, error) {
	return s.Number(ctx, "SELECT toFloat64(sum(bytes_on_disk)) AS n FROM system.parts WHERE active AND database = currentDatabase()")
}

// StoredRows counts the folded rows of all projects in a table.
func (s *Store) StoredRows(ctx context.Context, table string) (float64, error) {
	return s.Number(ctx, "SELECT toFloat64(count()) AS n FROM "+table+" FINAL")
}

// Event reads one of the engine's own counters since its start, such as DelayedInserts.
func (s *Store) Event(ctx context.Context, name string) (float64, error) {
	var p params
	statement := "SELECT toFloat64(sum(value)) AS n FROM system.events WHERE event = " + p.text(name)
	n, err := s.number(ctx, statement, p)
	if err != nil {
		return 0, fmt.Errorf("read the engine's counter %s: %w", name, err)
	}
	return n, nil
}
