package metastoretest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var erasureReportTests = map[string]func(*testing.T, metastore.Store){
	"erasure reports": testErasureReports,
}

func testErasureReports(t *testing.T, store metastore.Store) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	organization, other, project := uuid.NewString(), uuid.NewString(), uuid.NewString()
	add := func(organization, project string, version uint64) model.Erasure {
		t.Helper()
		e := model.Erasure{
			ID: uuid.Must(uuid.NewV7()).String(), ProjectID: project, Kind: model.ErasureOfTraces, TraceIDs: []string{"a", "ö \" b"}, Version: version, AskedAt: at,
			By: model.Requester{OrganizationID: organization, Kind: model.ActorUser, ID: "u", Name: "u@example.com", RequestID: "r"},
		}
		if err := store.AddErasure(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	list := func(q metastore.ErasureQuery) []model.Erasure {
		t.Helper()
		q.Limit = max(q.Limit, 0)
		if q.Limit == 0 {
			q.Limit = 100
		}
		got, err := store.ErasuresAsked(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first, second, later := add(organization, project, 10), add(organization, project, 20), add(organization, project, 30)
	foreign := add(other, uuid.NewString(), 5)
	if diff := cmp.Diff([]model.Erasure{later, second, first}, list(metastore.ErasureQuery{Organization: organization})); diff != "" {
		t.Errorf("of the organization: %s", diff)
	}
	if diff := cmp.Diff([]model.Erasure{second}, list(metastore.ErasureQuery{Organization: organization, Before: later.ID, Limit: 1})); diff != "" {
		t.Errorf("a page: %s", diff)
	}
	if got := list(metastore.ErasureQuery{Organization: organization, Project: foreign.ProjectID}); len(got) > 0 {
		t.Errorf("a project of another organization shows %+v", got)
	}
	report := model.ErasureReport{JobID: "j", Traces: 2, Rows: map[string]uint64{"observations": 7}, Media: 1}
	if err := store.FinishErasures(t.Context(), project, 20, at.Add(time.Minute), report); err != nil {
		t.Fatal(err)
	}
	report.Requests = 2
	first.FinishedAt, first.Report = at.Add(time.Minute), report
	second.FinishedAt, second.Report = first.FinishedAt, report
	if diff := cmp.Diff([]model.Erasure{later, second, first}, list(metastore.ErasureQuery{Organization: organization, Project: project})); diff != "" {
		t.Errorf("two of three are finished: %s", diff)
	}
	if err := store.FinishErasures(t.Context(), project, 30, at.Add(time.Hour), model.ErasureReport{JobID: "k"}); err != nil {
		t.Fatal(err)
	}
	got := list(metastore.ErasureQuery{Organization: organization})
	if got[0].Report.JobID != "k" || got[0].Report.Requests != 1 || !cmp.Equal(got[2], first) {
		t.Errorf("what was finished has changed: %+v", got)
	}
	if all := list(metastore.ErasureQuery{All: true, Project: foreign.ProjectID}); len(all) != 1 || !all[0].FinishedAt.IsZero() {
		t.Errorf("the operator sees %+v", all)
	}
}
