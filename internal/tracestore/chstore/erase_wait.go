package chstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/fault"
)

// erasePoll is the time between two looks at what the engine does in the background.
const erasePoll = 250 * time.Millisecond

// erasedTables are those that hold what clients sent.
const erasedTables = "database = currentDatabase() AND NOT startsWith(table, '.')"

// awaitMutations waits until the engine has rewritten everything. One that fails is tried again by the engine;
// it does not end by waiting here. One that had to make room, as when a part beside it is dropped, goes on.
func awaitMutations(ctx context.Context, node *pool, c Config) (err error) {
	merges := mergeTurns{node: node, since: time.Now()}
	defer func() { err = errors.Join(err, merges.release(ctx)) }()
	return poll(ctx, func() (bool, error) {
		var left proto.ColUInt64
		var reason proto.ColStr
		err := one(ctx, node, "SELECT count() AS n, maxIf(latest_fail_reason, position(latest_fail_reason, '(ABORTED)') = 0) AS reason FROM system.mutations WHERE "+erasedTables+" AND NOT is_done",
			proto.Results{{Name: "n", Data: &left}, {Name: "reason", Data: &reason}})
		switch {
		case err != nil:
			return false, fmt.Errorf("look at mutations: %w", err)
		case left.Row(0) > 0 && reason.Row(0) != "":
			return false, fault.Unavailablef("the trace store cannot rewrite its parts now").
				Hint("the engine tries again by itself; look at system.mutations").Because(fmt.Errorf("mutation: %s", reason.Row(0)))
		case left.Row(0) == 0:
			return true, nil
		case c.Replicated:
			return false, nil
		}
		return false, merges.next(ctx)
	})
}

// part names a part of a table.
type part struct{ table, name string }

// awaitOldParts waits until the parts that are replaced now are gone from disk. Parts that are replaced later
// were rewritten already. Detached parts cannot be rewritten: somebody must decide about them.
func awaitOldParts(ctx context.Context, node *pool) error {
	var detached proto.ColUInt64
	err := one(ctx, node, "SELECT count() AS n FROM system.detached_parts WHERE "+erasedTables, proto.Results{{Name: "n", Data: &detached}})
	if err != nil {
		return fmt.Errorf("look for detached parts: %w", err)
	}
	if n := detached.Row(0); n > 0 {
		return fault.Unavailablef("%d detached parts of the trace store may hold what is to be erased", n).
			Hint("attach or drop them, see system.detached_parts")
	}
	waiting, err := oldParts(ctx, node)
	if err != nil {
		return err
	}
	var nudged time.Time
	return poll(ctx, func() (bool, error) {
		if len(waiting) == 0 {
			return true, nil
		}
		if time.Since(nudged) > nudgeEvery {
			nudged = time.Now()
			if err := nudge(ctx, node, waiting); err != nil {
				return false, err
			}
		}
		there, err := oldParts(ctx, node)
		for p := range waiting {
			if !there[p] {
				delete(waiting, p)
			}
		}
		return len(waiting) == 0, err
	})
}

// nudgeEvery is how often the engine is asked to look after tables with replaced parts.
const nudgeEvery = 2 * time.Second

// nudge wakes the engine's cleaner, which looks at a table every half a minute and, where it found nothing for a
// while, every five minutes only.
func nudge(ctx context.Context, node *pool, waiting map[part]bool) error {
	tables := map[string]bool{}
	for p := range waiting {
		tables[p.table] = true
	}
	for table := range tables {
		if err := node.do(ctx, ch.Query{Body: "SYSTEM START CLEANUP " + table}); err != nil {
			return fmt.Errorf("wake the cleaner of %s: %w", table, err)
		}
	}
	return nil
}

// oldParts lists replaced parts from before the newest mutation of their table; later ones hold nothing hidden.
func oldParts(ctx context.Context, node *pool) (map[part]bool, error) {
	var table, name proto.ColStr
	list := map[part]bool{}
	err := node.do(ctx, ch.Query{
		Body: "SELECT p.table AS table, p.name AS name FROM system.parts AS p INNER JOIN" +
			" (SELECT table, max(arrayMax(block_numbers.number)) AS newest FROM system.mutations WHERE " + erasedTables + " GROUP BY table) AS m" +
			" ON p.table = m.table WHERE p.database = currentDatabase() AND NOT p.active AND p.data_version < m.newest",
		Result: proto.Results{{Name: "table", Data: &table}, {Name: "name", Data: &name}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range table.Rows() {
				list[part{table.Row(i), name.Row(i)}] = true
			}
			return nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("look for replaced parts: %w", err)
	}
	return list, nil
}

// one reads one row of aggregates.
func one(ctx context.Context, node *pool, statement string, results proto.Results) error {
	if err := node.do(ctx, ch.Query{Body: statement, Result: results}); err != nil {
		return err
	}
	if n := results.Rows(); n != 1 {
		return fmt.Errorf("%d rows in place of one", n)
	}
	return nil
}

// poll asks until the answer is yes, or ctx ends.
func poll(ctx context.Context, ask func() (bool, error)) error {
	for {
		done, err := ask()
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(erasePoll):
		}
	}
}
