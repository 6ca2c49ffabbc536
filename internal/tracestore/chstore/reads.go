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
}

func newReaders(config Config, options, forProjects ch.Options) *readers {
	r := &readers{
		within:   config.ReadWithin,
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
	leave, err := r.turns.take(ctx, project)
	if err != nil {
		return err
	}
	defer leave()
	return r.projects.do(ctx, q)
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
	rows := uint64(0)
	q.OnProgress = func(_ context.Context, p proto.Progress) error {
		if rows += p.Rows; rows > most {
			return errTooManyRows
		}
		return nil
	}
}
