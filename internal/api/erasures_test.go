package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

type erasurePage struct {
	Data []struct {
		ID, ProjectID, Kind, State string
		TraceIDs                   []string
		RequestedBy                struct{ Kind, ID, Name string }
		FinishedAt, Verified       string
		Report                     *model.ErasureReport
		Stays                      []struct{ What, Until string }
	}
	Meta struct{ Cursor string }
}

func (f *fixture) erasures(t *testing.T, target, key string) (page erasurePage) {
	t.Helper()
	got := f.send(t, request("GET", target, key, nil))
	if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.status != http.StatusOK {
		t.Fatalf("status %d, %v: %s", got.status, err, got.body)
	}
	return page
}

func TestErasureReports(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.want(t, 200, "DELETE", "/api/public/traces", keyA, `{"traceIds":["t1","t2"]}`)
	f.want(t, 200, "DELETE", "/api/public/traces/t3", keyA, "")
	page := f.erasures(t, "/api/public/erasures?limit=1", keyA)
	if len(page.Data) != 1 || page.Meta.Cursor == "" || page.Data[0].State != "HIDDEN" || page.Data[0].TraceIDs[0] != "t3" || page.Data[0].RequestedBy.Kind != "api_key" || page.Data[0].Report != nil {
		t.Fatalf("%+v", page)
	}
	if next := f.erasures(t, "/api/public/erasures?limit=1&cursor="+page.Meta.Cursor, keyA); len(next.Data) != 1 || len(next.Data[0].TraceIDs) != 2 || next.Meta.Cursor != "" {
		t.Errorf("the next page: %+v", next)
	}
	// Nobody else sees it, whatever they ask for.
	if other := f.erasures(t, "/api/public/erasures?projectId=project-a", keyB).Data; len(other) > 0 {
		t.Errorf("another project sees %+v", other)
	}
	for target, status := range map[string]int{
		"/api/public/erasures?limit=0": 400, "/api/public/erasures?limit=101": 400, "/api/public/erasures?cursor=%00": 400,
	} {
		f.want(t, status, "GET", target, keyA, "")
	}
	f.want(t, 401, "GET", "/api/public/erasures", "", "")
}

func TestErasureReportOfWhatIsErased(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.want(t, 200, "DELETE", "/api/public/traces", keyA, `{"traceIds":["t1","t2"]}`)
	f.want(t, 200, "DELETE", "/api/public/traces/t3", keyA, "")
	report := model.ErasureReport{JobID: "j", Traces: 3, Rows: map[string]uint64{"observations": 9}, UnreadableDeadLetters: 1}
	if err := f.tenants.FinishErasures(t.Context(), "project-a", 1<<62, time.Now(), report); err != nil {
		t.Fatal(err)
	}
	done := f.erasures(t, organizationsURL+"/erasures?projectId=project-a", organizationKey).Data
	if len(done) != 2 || done[0].State != "ERASED" || done[0].Report.Rows["observations"] != 9 || done[0].Report.Requests != 2 || done[0].FinishedAt == "" || !strings.Contains(done[0].Verified, "counted") {
		t.Errorf("%+v", done)
	}
	var backups, letters bool
	for _, s := range done[0].Stays {
		backups = backups || strings.Contains(s.What, "Backups") && s.Until != ""
		letters = letters || strings.Contains(s.What, "Dead letters")
	}
	if !backups || !letters {
		t.Errorf("what stays: %+v", done[0].Stays)
	}
}
