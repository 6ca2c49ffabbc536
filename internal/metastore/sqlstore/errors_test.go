package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
)

func TestTranslate(t *testing.T) {
	t.Parallel()
	pg := func(code string) error { return &pgconn.PgError{Code: code} }
	tests := []struct {
		name string
		err  error
		kind fault.Kind
		is   error
	}{
		{"no row", sql.ErrNoRows, fault.Internal, metastore.ErrNotFound},
		{"unique", pg("23505"), fault.Internal, metastore.ErrExists},
		{"foreign key", pg("23503"), fault.Internal, metastore.ErrNotFound},
		{"not null", pg("23502"), fault.Internal, nil},
		{"syntax", pg("42601"), fault.Internal, nil},
		{"no table", pg("42P01"), fault.Internal, nil},
		{"connection failure", pg("08006"), fault.Unavailable, nil},
		{"wrong password", pg("28P01"), fault.Unavailable, nil},
		{"no database", pg("3D000"), fault.Unavailable, nil},
		{"serialization", pg("40001"), fault.Unavailable, nil},
		{"deadlock", pg("40P01"), fault.Unavailable, nil},
		{"too many connections", pg("53300"), fault.Unavailable, nil},
		{"disk full", pg("53100"), fault.Unavailable, nil},
		{"shutdown", pg("57P01"), fault.Unavailable, nil},
		{"starting", pg("57P03"), fault.Unavailable, nil},
		{"demoted", pg("25006"), fault.Unavailable, nil},
		{"broken connection", io.ErrUnexpectedEOF, fault.Unavailable, io.ErrUnexpectedEOF},
		{"closed pool", sql.ErrConnDone, fault.Unavailable, sql.ErrConnDone},
		{"deadline", context.DeadlineExceeded, fault.Unavailable, context.DeadlineExceeded},
		{"canceled", context.Canceled, fault.Internal, context.Canceled},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := translate("try", test.err)
			if fault.KindOf(got) != test.kind {
				t.Errorf("kind = %v, want %v (%v)", fault.KindOf(got), test.kind, got)
			}
			if test.is != nil && !errors.Is(got, test.is) {
				t.Errorf("translate = %v, want %v in it", got, test.is)
			}
			for _, other := range []error{metastore.ErrExists, metastore.ErrNotFound} {
				if errors.Is(got, other) && !errors.Is(test.is, other) {
					t.Errorf("translate = %v, which is not %v", got, other)
				}
			}
		})
	}
	if err := translate("try", nil); err != nil {
		t.Errorf("translate nothing = %v", err)
	}
}
