package chstore

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/tracestore"
)

// ownReads is how many statements the server reads for itself at once: the writer's, of jobs, of probes.
const ownReads = 4

// readers run reads: those for projects by turns and as the user for reads, the server's own apart from
// them, so that nobody who reads can keep the writer from storing.
type readers struct {
	turns         *turns
	projects, own *pool
	within        time.Duration
	observe       func(outcome string, took time.Duration, used map[string]float64)
	rows, memory  uint64 // the bounds of a statement
}

func newReaders(config Config, options, forProjects ch.Options) *readers {
	r := &readers{
		within: config.ReadWithin, observe: config.ObserveRead, rows: config.ReadRows, memory: config.ReadMemoryBytes,
		turns:    newTurns(config.Reads, config.ReadsPerProject, config.ReadWait),
		projects: newPool(withSettings(forProjects, config.readSettings()), config.Reads),
		own:      newPool(withSettings(options, config.readSettings()), ownReads),
	}
	r.projects.maxRows, r.own.maxRows = config.ReadRows, config.ReadRows
	return r
}

func (r *readers) do(ctx context.Context, q ch.Query) error {
	project, ok := tracestore.ProjectOf(ctx)
	if !ok {
		return r.own.do(ctx, q)
	}
	ctx, cancel := context.WithTimeout(ctx, r.within)
	defer cancel()
	began := time.Now()
	leave, err := r.turns.take(ctx, project)
	if err != nil {
		r.told(began, turnOutcome(err), measured{})
		return err
	}
	defer leave()
	var used measured
	used.measure(&q)
	err = r.projects.do(ctx, q)
	r.told(began, readOutcome(err), used)
	return err
}

// told tells the operator how a read for a project ended.
func (r *readers) told(began time.Time, outcome string, used measured) {
	if r.observe == nil {
		return
	}
	took := time.Since(began)
	shares := map[string]float64{"time": took.Seconds() / r.within.Seconds()}
	if used.rows > 0 {
		shares["rows"] = float64(used.rows) / float64(r.rows)
	}
	if used.memory > 0 {
		shares["memory"] = float64(used.memory) / float64(r.memory)
	}
	r.observe(outcome, took, shares)
}

func (r *readers) close() {
	r.projects.close()
	r.own.close()
}

// errTooManyRows ends a statement that goes through more rows than it may. The engine's own bound on rows
// judges by an estimate beforehand, and would refuse the first page of a large table, which reads little.
var errTooManyRows = fmt.Errorf("%w on rows", tracestore.ErrTooExpensive)

// countRows makes q end when it has gone through more than most rows.
func countRows(q *ch.Query, most uint64) {
	rows, also := uint64(0), q.OnProgress
	q.OnProgress = func(ctx context.Context, p proto.Progress) error {
		if also != nil {
			if err := also(ctx, p); err != nil {
				return err
			}
		}
		if rows += p.Rows; rows > most {
			return errTooManyRows
		}
		return nil
	}
}
