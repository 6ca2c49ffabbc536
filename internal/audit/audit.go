// Package audit remembers who did what: sign-ins, and changes of keys, people, projects and settings.
package audit

import (
	"context"
	"encoding/base64"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// writeWithin bounds how long a request waits for its event to be written.
const writeWithin = 2 * time.Second

// Service keeps and reads events. It is safe for concurrent use.
type Service struct {
	store metastore.AuditLog
	log   *slog.Logger
}

// New makes a service.
func New(store metastore.AuditLog, log *slog.Logger) *Service { return &Service{store, log} }

// Record adds an event for each of the organizations it concerns; none: for the operator alone. It gives them id and time.
//
// What happened is not undone when it cannot be written down: then the server's own log has the event, as an error.
func (s *Service) Record(ctx context.Context, e model.AuditEvent, organizations ...string) {
	if len(organizations) == 0 {
		organizations = []string{e.OrganizationID}
	}
	events := make([]model.AuditEvent, len(organizations))
	for i, organization := range organizations {
		events[i] = e
		events[i].ID, events[i].At, events[i].OrganizationID = uuid.Must(uuid.NewV7()).String(), time.Now().UTC(), organization
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeWithin) // who hangs up has done it nonetheless
	defer cancel()
	if err := s.store.AppendAudit(ctx, events); err != nil {
		s.log.ErrorContext(ctx, "the audit log could not be written", "action", e.Action, "actor_kind", e.ActorKind, "actor_id", e.ActorID,
			"organizations", organizations, "project", e.ProjectID, "object", e.ObjectID, "request_id", e.RequestID, "error", err)
	}
}

// Page returns events and the cursor of the next page, empty on the last one. fault.Invalid for a cursor that is none.
func (s *Service) Page(ctx context.Context, q metastore.AuditQuery, cursor string) ([]model.AuditEvent, string, error) {
	if cursor != "" {
		after, ok := readCursor(cursor)
		if !ok {
			return nil, "", fault.New(fault.Invalid, "Invalid cursor format")
		}
		q.After = &after
	}
	limit := q.Limit
	q.Limit++ // whether there are more
	events, err := s.store.AuditEvents(ctx, q)
	if err != nil || len(events) <= limit {
		return events, "", err
	}
	last := events[limit-1]
	return events[:limit], writeCursor(metastore.AuditPosition{At: last.At, ID: last.ID}), nil
}

// Shorten removes events older than so many days; 0 keeps all.
func (s *Service) Shorten(ctx context.Context, days int, now time.Time) error {
	if days <= 0 {
		return nil
	}
	count, err := s.store.DeleteAuditBefore(ctx, now.AddDate(0, 0, -days))
	if count > 0 {
		s.log.InfoContext(ctx, "old events of the audit log were removed", "events", count)
	}
	return err
}

// cursorForm begins the text of a cursor, before it is encoded.
const cursorForm = "1:"

func writeCursor(p metastore.AuditPosition) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorForm + strconv.FormatInt(p.At.UnixMicro(), 10) + ":" + p.ID))
}

func readCursor(text string) (p metastore.AuditPosition, ok bool) {
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return p, false
	}
	rest, ok := strings.CutPrefix(string(plain), cursorForm)
	if !ok {
		return p, false
	}
	at, id, ok := strings.Cut(rest, ":")
	micros, err := strconv.ParseInt(at, 10, 64)
	if !ok || err != nil || metastore.CheckID("cursor", id) != nil {
		return p, false
	}
	return metastore.AuditPosition{At: time.UnixMicro(micros).UTC(), ID: id}, true
}
