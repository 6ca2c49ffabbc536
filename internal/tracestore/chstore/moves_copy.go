package chstore

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
)

// Copied is how much of a project went to another store.
type Copied struct {
	Table string
	Rows  uint64
}

// CopyProject sends the rows of a project to another store, all of them or those that came since a time, and reports each
// table when it is done. Rows keep their versions, so copying them twice is copying them once. It returns from when on the
// next copy has to go on.
//
// Promise: every row that was stored before the call, and since the time given, is in the other store when it returns nil.
func (s *Store) CopyProject(ctx context.Context, to *Store, projectID string, since time.Time, report func(Copied)) (next time.Time, err error) {
	err = s.onNodes(ctx, func(ctx context.Context, node *pool) error {
		clock, err := clockOf(ctx, node)
		if err != nil {
			return err
		}
		if next.IsZero() || clock.Before(next) {
			next = clock
		}
		node.options.ReadTimeout = archiveWithin
		for _, t := range movedTables() {
			rows, err := s.copyTable(ctx, node, to, t, projectID, since)
			if err != nil {
				return fmt.Errorf("copy %s: %w", t.table, err)
			}
			report(Copied{t.table, rows})
		}
		return nil
	})
	return next, err
}

func clockOf(ctx context.Context, node *pool) (time.Time, error) {
	var now proto.ColUInt32
	if err := one(ctx, node, "SELECT toUInt32(toUnixTimestamp(now())) AS now", proto.Results{{Name: "now", Data: &now}}); err != nil {
		return time.Time{}, fmt.Errorf("read the clock of the trace store: %w", err)
	}
	return time.Unix(int64(now.Row(0)), 0), nil
}

// copyTable copies one partition after the other: the target makes few parts of each.
func (s *Store) copyTable(ctx context.Context, node *pool, to *Store, t moved, projectID string, since time.Time) (rows uint64, err error) {
	local := layout{s.config}.Local(t.table)
	partitions, err := partitionsWith(ctx, node, local, projectID, since)
	if err != nil {
		return 0, err
	}
	for _, partition := range partitions {
		var p params
		columns := t.columns()
		_, results := resultOf(columns)
		n, err := stream(ctx, node, to, columns, ch.Query{
			Body: "SELECT " + castColumns(columns) + " FROM " + local + " WHERE project_id = " + p.text(projectID) +
				" AND _partition_id = " + p.text(partition) + " AND " + newParts(&p, local, since),
			Parameters: p.list,
			Result:     results,
		}, newTableBlock(t.table, columns).statement)
		if err != nil {
			return rows, fmt.Errorf("partition %s: %w", partition, err)
		}
		rows += n
	}
	return rows, nil
}

// copySettings are those of inserts, but that the engine gathers blocks into large parts.
func copySettings(c Config) []ch.Setting {
	return append(c.insertSettings(), unlikeOthers(), setting("min_insert_block_size_rows", 200_000), setting("min_insert_block_size_bytes", 64<<20))
}

// stream lets the blocks of a read be those of an insert: the same columns are filled by one and sent by the other, in turns.
func stream(ctx context.Context, from *pool, to *Store, columns []namedColumn, read ch.Query, insert string) (rows uint64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	filled, sent, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	read.OnResult = func(ctx context.Context, block proto.Block) error {
		if block.Rows == 0 {
			return nil
		}
		rows += uint64(block.Rows)
		if err := pass(ctx, filled); err != nil {
			return err
		}
		return await(ctx, sent)
	}
	reading := false
	next := func(ctx context.Context) error {
		if reading {
			if err := pass(ctx, sent); err != nil {
				return err
			}
		} else {
			reading = true
			go func() { ended <- from.do(ctx, read) }()
		}
		select {
		case <-filled:
			return nil
		case err := <-ended:
			ended <- err // for who waits for the end
			for _, c := range columns {
				c.data.Reset() // what is left in them was sent
			}
			if err == nil {
				err = io.EOF
			}
			return err
		}
	}
	options := withSettings(to.inserts.options, copySettings(to.config))
	options.ReadTimeout = archiveWithin
	target := newPool(options, 1) // of its own: an insert that streams cannot begin anew on another connection
	defer target.close()
	err = target.do(ctx, ch.Query{Body: insert, Input: inputOf(columns), OnInput: next})
	cancel()
	if reading {
		if readErr := <-ended; err == nil {
			err = readErr
		}
	}
	return rows, err
}

func pass(ctx context.Context, to chan<- struct{}) error {
	select {
	case to <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func await(ctx context.Context, from <-chan struct{}) error {
	select {
	case <-from:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
