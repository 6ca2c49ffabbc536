package metastoretest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var auditTests = map[string]func(*testing.T, metastore.Store){
	"audit log":                        testAudit,
	"audit log of organizations":       testAuditTenants,
	"audit log outlives what it tells": testAuditOutlives,
}

func event(id string, minutes int, edit func(*model.AuditEvent)) model.AuditEvent {
	e := model.AuditEvent{
		ID: id, At: spring.Add(time.Duration(minutes) * time.Minute), OrganizationID: "o", ProjectID: "p", Action: "key.create",
		ActorKind: model.ActorUser, ActorID: "u", ActorName: "ada@example.com", ObjectID: "k", ObjectName: "app", Detail: "scope ingest",
		RequestID: "r", Address: "192.0.2.1",
	}
	if edit != nil {
		edit(&e)
	}
	return e
}

func wantEvents(t *testing.T, store metastore.Store, q metastore.AuditQuery, want ...model.AuditEvent) {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	got, err := store.AuditEvents(t.Context(), q)
	if diff := cmp.Diff(want, got); err != nil || len(want)+len(got) > 0 && diff != "" {
		t.Errorf("%+v: %v (-want +got):\n%s", q, err, diff)
	}
}

func testAudit(t *testing.T, store metastore.Store) {
	one, two, same := event("1", 0, nil), event("2", 1, func(e *model.AuditEvent) { e.Action, e.ProjectID = "keyring.open", "" }), event("3", 1, func(e *model.AuditEvent) {
		e.Action, e.ActorID, e.ActorName, e.ActorKind = "key.delete", "k2", "", model.ActorKey
	})
	wantError(t, "AppendAudit", store.AppendAudit(t.Context(), []model.AuditEvent{one, two}), nil)
	wantError(t, "AppendAudit", store.AppendAudit(t.Context(), []model.AuditEvent{same}), nil)
	of := func(edit func(*metastore.AuditQuery)) metastore.AuditQuery {
		q := metastore.AuditQuery{Organization: "o"}
		edit(&q)
		return q
	}
	wantEvents(t, store, of(func(*metastore.AuditQuery) {}), same, two, one)
	wantEvents(t, store, of(func(q *metastore.AuditQuery) { q.Limit = 1 }), same)
	wantEvents(t, store, of(func(q *metastore.AuditQuery) { q.After = &metastore.AuditPosition{At: same.At, ID: same.ID} }), two, one)
	wantEvents(t, store, of(func(q *metastore.AuditQuery) { q.Action = "key." }), same, one)
	wantEvents(t, store, of(func(q *metastore.AuditQuery) { q.Action = "key.create" }), one)
	wantEvents(t, store, of(func(q *metastore.AuditQuery) { q.Project = "p" }), same, one)
	wantEvents(t, store, of(func(q *metastore.AuditQuery) { q.Actor = "ada@example.com" }), two, one)
	wantEvents(t, store, of(func(q *metastore.AuditQuery) { q.Actor = "k2" }), same)
	wantEvents(t, store, of(func(q *metastore.AuditQuery) { q.From = two.At }), same, two)
	wantEvents(t, store, of(func(q *metastore.AuditQuery) { q.To = two.At }), one)
	// An event is added once, and what comes with it is not added without it.
	if err := store.AppendAudit(t.Context(), []model.AuditEvent{event("4", 9, nil), one}); err == nil {
		t.Error("an event was added twice")
	}
	count, err := store.DeleteAuditBefore(t.Context(), two.At)
	if err != nil || count != 1 {
		t.Errorf("DeleteAuditBefore = %d, %v", count, err)
	}
}

func testAuditTenants(t *testing.T, store metastore.Store) {
	own := event("1", 0, nil)
	other := event("2", 0, func(e *model.AuditEvent) { e.OrganizationID = "other" })
	instance := event("3", 0, func(e *model.AuditEvent) { e.OrganizationID = "" })
	wantError(t, "AppendAudit", store.AppendAudit(t.Context(), []model.AuditEvent{own, other, instance}), nil)
	wantEvents(t, store, metastore.AuditQuery{Organization: "o"}, own)
	wantEvents(t, store, metastore.AuditQuery{Organization: "other", Project: "p"}, other)
	wantEvents(t, store, metastore.AuditQuery{Organization: "o' OR '1'='1"})
	wantEvents(t, store, metastore.AuditQuery{All: true}, instance, other, own)
}

func testAuditOutlives(t *testing.T, store metastore.Store) {
	a, _ := two(t, store)
	kept := event("1", 0, func(e *model.AuditEvent) { e.OrganizationID, e.ProjectID = a.Organization.ID, a.ID })
	long := event("2", 1, func(e *model.AuditEvent) {
		e.OrganizationID, e.ObjectName, e.Detail = a.Organization.ID, strings.Repeat("ü", 1000), "\x00\xff bytes"
	})
	wantError(t, "AppendAudit", store.AppendAudit(t.Context(), []model.AuditEvent{kept, long}), nil)
	wantError(t, "MarkProjectDeleted", store.MarkProjectDeleted(t.Context(), a.ID), nil)
	wantError(t, "ForgetProject", store.ForgetProject(t.Context(), a.ID), nil)
	got, err := store.AuditEvents(t.Context(), metastore.AuditQuery{Organization: a.Organization.ID, Limit: 10})
	if err != nil || len(got) != 2 || got[1] != kept || got[0].Detail != " bytes" || got[0].ObjectName != strings.Repeat("ü", 128) {
		t.Errorf("AuditEvents = %+v, %v", got, err)
	}
}
