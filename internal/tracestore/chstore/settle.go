package chstore

import (
	"context"
	"fmt"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	"golang.org/x/sync/errgroup"
)

// settledAtOnce is how many partitions are merged at the same time: as many as the engine's pool takes.
const settledAtOnce = 2

// Settle merges every partition to one part now, as the engine does by itself with those that got nothing
// for a day. Measurements of settled data need not wait for that day.
func (s *Store) Settle(ctx context.Context) error {
	var table, partition proto.ColStr
	var statements []string
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT table, partition_id FROM system.parts WHERE database = currentDatabase() AND active" +
			" GROUP BY table, partition_id HAVING count() > 1 ORDER BY table, partition_id",
		Result: proto.Results{{Name: "table", Data: &table}, {Name: "partition_id", Data: &partition}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range table.Rows() {
				statements = append(statements, fmt.Sprintf("OPTIMIZE TABLE %s PARTITION ID '%s' FINAL", table.Row(i), partition.Row(i)))
			}
			return nil
		},
	})
	if err != nil {
		return fmt.Errorf("list partitions: %w", err)
	}
	var merges errgroup.Group
	merges.SetLimit(settledAtOnce)
	for _, statement := range statements {
		merges.Go(func() error {
			if err := s.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
			return nil
		})
	}
	return merges.Wait()
}
