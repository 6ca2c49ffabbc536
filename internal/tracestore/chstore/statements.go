package chstore

import (
	"context"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
)

// Statement is one statement as it goes to the engine, with the values that travel beside it.
type Statement struct {
	SQL        string
	Parameters []proto.Parameter

	query ch.Query // with the columns of its result and any table that travels with it
}

type statementsKey struct{}

// OnStatement calls note with every read that is made under the returned context. Golden files of SQL
// and the bench, which runs the same statements bare, listen here.
func OnStatement(ctx context.Context, note func(Statement)) context.Context {
	return context.WithValue(ctx, statementsKey{}, note)
}

func noteStatement(ctx context.Context, q ch.Query) {
	if note, ok := ctx.Value(statementsKey{}).(func(Statement)); ok {
		note(Statement{SQL: q.Body, Parameters: q.Parameters, query: q})
	}
}

// Replay runs a noted read again with everything that went with it, decodes the result and throws it
// away. It uses the columns of the first run: replay only what has ended, one at a time.
func (s *Store) Replay(ctx context.Context, statement Statement) error {
	q := statement.query
	q.OnResult = func(context.Context, proto.Block) error { return nil }
	if err := s.reads.do(ctx, q); err != nil {
		return readError("replay a statement", err)
	}
	return nil
}
