package chstore

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
)

// The engine rewrites a part only when it finds nothing to merge. Beside a load that keeps a small machine busy it always finds
// something, and a delete would never be done. So merges and mutations take turns while somebody waits for mutations: merges
// lose no more than these times, in which some hundred parts come together at most.
const (
	mergesTurn    = 5 * time.Second
	mutationsTurn = 20 * time.Second
)

// mergeBounds are settings of a table under which no two parts can be merged.
const (
	mergeBounds      = "max_bytes_to_merge_at_min_space_in_pool = 1, max_bytes_to_merge_at_max_space_in_pool = 1"
	mergeBoundsNames = "max_bytes_to_merge_at_min_space_in_pool, max_bytes_to_merge_at_max_space_in_pool"
)

// mergeTurns says when merges have to wait. Replicated tables need none: they keep a queue of both.
type mergeTurns struct {
	node  *pool
	held  bool
	since time.Time
}

// next begins the next turn if the present one is over.
func (t *mergeTurns) next(ctx context.Context) error {
	switch took := time.Since(t.since); {
	case !t.held && took > mergesTurn:
		return t.hold(ctx)
	case t.held && took > mutationsTurn:
		return t.release(ctx)
	}
	return nil
}

func (t *mergeTurns) hold(ctx context.Context) error {
	tables, err := tablesWhere(ctx, t.node, "SELECT DISTINCT table AS name FROM system.mutations WHERE "+erasedTables+" AND NOT is_done")
	if err != nil {
		return err
	}
	t.held, t.since = true, time.Now()
	for _, table := range tables {
		if err := t.node.do(ctx, ch.Query{Body: "ALTER TABLE " + table + " MODIFY SETTING " + mergeBounds}); err != nil {
			return fmt.Errorf("hold merges of %s: %w", table, err)
		}
	}
	return nil
}

// release lets tables merge again, also when ctx has ended.
func (t *mergeTurns) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWithin)
	defer cancel()
	t.held, t.since = false, time.Now()
	return releaseMerges(ctx, t.node)
}

const releaseWithin = 10 * time.Second

// releaseMerges lets all tables merge, whoever held them: a process that died held some, too. One that still waits for
// mutations holds them again in its next turn.
func releaseMerges(ctx context.Context, node *pool) error {
	tables, err := tablesWhere(ctx, node, "SELECT name FROM system.tables WHERE database = currentDatabase() AND position(create_table_query, 'max_bytes_to_merge_at_max_space_in_pool = 1') > 0")
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := node.do(ctx, ch.Query{Body: "ALTER TABLE " + table + " RESET SETTING " + mergeBoundsNames}); err != nil {
			return fmt.Errorf("release merges of %s: %w", table, err)
		}
	}
	return nil
}

// tablesWhere lists the tables that a statement names.
func tablesWhere(ctx context.Context, node *pool, statement string) (tables []string, err error) {
	var name proto.ColStr
	err = node.do(ctx, ch.Query{
		Body: statement, Result: proto.Results{{Name: "name", Data: &name}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range name.Rows() {
				tables = append(tables, name.Row(i))
			}
			return nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("look for tables: %w", err)
	}
	return tables, nil
}
