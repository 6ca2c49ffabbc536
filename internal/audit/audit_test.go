package audit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/audit"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
)

func TestPages(t *testing.T) {
	t.Parallel()
	s := audit.New(metastoretest.NewMemory(), slog.New(slog.DiscardHandler))
	for i := range 7 {
		s.Record(t.Context(), model.AuditEvent{Action: fmt.Sprint("key.", i)}, "o", "other")
	}
	var seen []string
	cursor := ""
	for range 10 {
		page, next, err := s.Page(t.Context(), metastore.AuditQuery{Organization: "o", Limit: 2}, cursor)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page {
			seen = append(seen, e.Action)
			if e.OrganizationID != "o" || e.ID == "" || e.At.IsZero() {
				t.Errorf("event %+v", e)
			}
		}
		if cursor = next; next == "" {
			break
		}
	}
	if got := strings.Join(seen, " "); got != "key.6 key.5 key.4 key.3 key.2 key.1 key.0" {
		t.Errorf("a walk shows %s", got)
	}
	for _, cursor := range []string{"x", "MTp4", "MTox", "MjoxOjI"} {
		if _, _, err := s.Page(t.Context(), metastore.AuditQuery{Organization: "o", Limit: 2}, cursor); !fault.Is(err, fault.Invalid) {
			t.Errorf("cursor %q: %v", cursor, err)
		}
	}
}

func TestOldEventsGo(t *testing.T) {
	t.Parallel()
	s := audit.New(metastoretest.NewMemory(), slog.New(slog.DiscardHandler))
	s.Record(t.Context(), model.AuditEvent{Action: "x"}, "o")
	for _, c := range []struct{ days, later, left int }{{0, 1000, 1}, {365, 364, 1}, {365, 366, 0}} {
		if err := s.Shorten(t.Context(), c.days, time.Now().AddDate(0, 0, c.later)); err != nil {
			t.Fatal(err)
		}
		if left, _, err := s.Page(t.Context(), metastore.AuditQuery{Organization: "o", Limit: 2}, ""); err != nil || len(left) != c.left {
			t.Errorf("%+v: %d left, %v", c, len(left), err)
		}
	}
}

type broken struct{ metastore.AuditLog }

func (broken) AppendAudit(ctx context.Context, _ []model.AuditEvent) error {
	if ctx.Err() != nil {
		return errors.New("the caller's context is not ours")
	}
	return errors.New("disk full")
}

// An event that cannot be stored is in the server's own log, also when its caller has hung up.
func TestWhatCannotBeWrittenIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	audit.New(broken{}, slog.New(slog.NewTextHandler(&log, nil))).Record(ctx, model.AuditEvent{Action: "key.create", ObjectID: "k1"}, "o")
	for _, part := range []string{"level=ERROR", "key.create", "k1", "disk full"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("%q is missing in %s", part, log.String())
		}
	}
}
