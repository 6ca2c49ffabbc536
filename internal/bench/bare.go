package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// openStore connects to a database of the server's engine, as its owner.
func (s *server) openStore(database string, connections int) (*chstore.Store, error) {
	node, err := s.engineNode(database)
	if err != nil {
		return nil, err
	}
	return chstore.Open(chstore.Config{Nodes: []string{node}, Inserts: 2 * connections})
}

// engineNode is the address of a database of the server's engine.
func (s *server) engineNode(database string) (string, error) {
	address, err := os.ReadFile(filepath.Join(s.data, "engine.url"))
	if err != nil {
		return "", fmt.Errorf("find the engine: %w", err)
	}
	return strings.TrimSuffix(string(address), "/"+chstore.DefaultDatabase) + "/" + database, nil
}

// bareRun is one way to insert bare.
type bareRun struct {
	connections, batchRows int
	rowsPerSecond          float64
	engineCPU, clientCPU   time.Duration
}

// bare inserts the same rows, mapped and built into columns before the clock starts, into tables
// made by the same migrations in a database of their own. Short runs find the three best ways;
// those are measured over all rows, and the best counts.
func (s *server) bare(ctx context.Context, bodies []body, result *IngestResult, p *Progress) error {
	p.say("mapping the same spans for bare inserts")
	rows, err := mapBodies(bodies)
	if err != nil {
		return err
	}
	var runs []bareRun
	for _, batchRows := range []int{5_000, 10_000, 20_000} {
		batches := prepare(rows[:min(len(rows), 80_000)], batchRows)
		for connections := 1; connections <= 4; connections++ {
			run, err := s.bareOnce(ctx, batches, bareRun{connections: connections, batchRows: batchRows})
			if err != nil {
				return err
			}
			p.say("bare, %d connections, batches of %d: %.0f rows/s", connections, batchRows, run.rowsPerSecond)
			runs = append(runs, run)
		}
	}
	slices.SortFunc(runs, func(a, b bareRun) int { return int(b.rowsPerSecond - a.rowsPerSecond) })
	var best bareRun
	for _, candidate := range runs[:3] {
		run, err := s.bareOnce(ctx, prepare(rows, candidate.batchRows), candidate)
		if err != nil {
			return err
		}
		p.say("bare over all rows, %d connections, batches of %d: %.0f rows/s", run.connections, run.batchRows, run.rowsPerSecond)
		if run.rowsPerSecond > best.rowsPerSecond {
			best = run
		}
	}
	result.BareRows, result.BareConnections, result.BareBatchRows = round(best.rowsPerSecond, 0), best.connections, best.batchRows
	result.BareEngineMicros = perSpan(best.engineCPU, len(rows))
	result.BareClientMicros = perSpan(best.clientCPU, len(rows))
	return nil
}

// mapBodies makes the rows that the writer makes.
func mapBodies(bodies []body) ([]*model.Observation, error) {
	var rows []*model.Observation
	at := time.Now().UTC()
	for i := range bodies {
		mapped, err := otlp.Map(bodies[i].plain, otlp.Source{ProjectID: projectID, AcceptedAt: at.Add(time.Duration(i) * time.Microsecond)})
		if err != nil {
			return nil, fmt.Errorf("map body %d: %w", i, err)
		}
		rows = append(rows, mapped...)
	}
	return rows, nil
}

func prepare(rows []*model.Observation, batchRows int) []*chstore.Prepared {
	var batches []*chstore.Prepared
	for batch := range slices.Chunk(rows, batchRows) {
		batches = append(batches, chstore.Prepare(batch))
	}
	return batches
}

func (s *server) bareOnce(ctx context.Context, batches []*chstore.Prepared, run bareRun) (bareRun, error) {
	admin, err := s.openStore(chstore.DefaultDatabase, 1)
	if err != nil {
		return run, err
	}
	defer admin.Close()
	if err := admin.Exec(ctx, "CREATE DATABASE bare"); err != nil {
		return run, err
	}
	store, err := s.openStore("bare", run.connections)
	if err != nil {
		return run, err
	}
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return run, err
	}
	enginePid, err := s.enginePid()
	if err != nil {
		return run, err
	}
	before, err := s.measureAll(enginePid)
	if err != nil {
		return run, err
	}
	began := time.Now()
	rows, err := insertAll(ctx, store, batches, run.connections)
	if err != nil {
		return run, err
	}
	took := time.Since(began)
	after, err := s.measureAll(enginePid)
	if err != nil {
		return run, err
	}
	stored, err := store.CountObservations(ctx, projectID, nil)
	if err != nil {
		return run, err
	}
	if int(stored) != rows {
		return run, fmt.Errorf("inserted %d rows bare, found %d", rows, stored)
	}
	run.rowsPerSecond = float64(rows) / took.Seconds()
	run.engineCPU, run.clientCPU = after.engine-before.engine, after.self-before.self
	return run, admin.Exec(ctx, "DROP DATABASE bare SYNC")
}

func insertAll(ctx context.Context, store *chstore.Store, batches []*chstore.Prepared, connections int) (int, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, rows atomic.Int64
	var inserters sync.WaitGroup
	for range connections {
		inserters.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= len(batches) {
					return
				}
				if err := store.InsertPrepared(ctx, batches[i]); err != nil {
					cancel(err)
					return
				}
				rows.Add(int64(batches[i].Rows))
			}
		})
	}
	inserters.Wait()
	return int(rows.Load()), context.Cause(ctx)
}

// cpuTimes are what the three sides have used.
type cpuTimes struct{ server, engine, self time.Duration }

func (s *server) measureAll(engine int) (cpuTimes, error) {
	var times cpuTimes
	for _, m := range []struct {
		pid  int
		into *time.Duration
	}{{s.pid(), &times.server}, {engine, &times.engine}, {os.Getpid(), &times.self}} {
		u, err := measure(m.pid)
		if err != nil {
			return times, err
		}
		*m.into = u.cpu
	}
	return times, nil
}
