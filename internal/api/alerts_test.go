package api_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/alerts"
	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/outbound"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/seal"
)

const (
	alertsPath       = "/api/public/alerts"
	alertTargetsPath = "/api/public/alert-targets"
	slowAlert        = `{"name":"Slow","query":{"view":"observations","metrics":[{"measure":"latency","aggregation":"p95"}]},"condition":{"kind":"threshold","operator":">","limit":"2.50"},"windowMinutes":15,"everyMinutes":5}`
)

// always is what every alert finds.
type always struct{ value decimal.Decimal }

func (a always) Value(context.Context, string, string) (*decimal.Decimal, error) {
	return &a.value, nil
}

func (always) Settled(context.Context) (time.Time, error) { return time.Now(), nil }

// addAlerts offers alerts that may tell the given servers.
func addAlerts(t testing.TB, cfg *api.Config, store *metastoretest.Memory, endpoints ...string) {
	t.Helper()
	box, err := seal.NewBox(make([]byte, seal.KeyBytes))
	if err != nil {
		t.Fatal(err)
	}
	found := always{decimal.NewFromInt(3)}
	judge := alerts.NewJudge(found, found)
	cfg.AlertTargets = alerts.NewTargets(store, box, outbound.NewGuard(endpoints), nil, "https://sonde.example.com")
	cfg.Alerts = alerts.New(store, query.CheckMetrics, judge, cfg.AlertTargets)
}

// newAlert makes an alert of project A that tells a hook, whose requests it counts by their signatures.
func newAlert(t *testing.T) (f *fixture, alertID, targetID string, signatures *[]string) {
	t.Helper()
	signatures = &[]string{}
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		*signatures = append(*signatures, r.Header.Get("Sonde-Signature"))
	}))
	t.Cleanup(hook.Close)
	f = newFixture(t, func(cfg *api.Config) { addAlerts(t, cfg, metadataOf(t), hook.URL) })
	status, target := f.callStatus(t, "POST", alertTargetsPath, keyA, `{"name":"ops","kind":"webhook","address":"`+hook.URL+`/secret"}`)
	if status != http.StatusCreated || target["signingKey"] == nil || strings.Contains(fmt.Sprint(target["displayAddress"]), "secret") {
		t.Fatalf("%d %v", status, target)
	}
	targetID = fmt.Sprint(target["id"])
	status, made := f.callStatus(t, "POST", alertsPath, keyA, strings.Replace(slowAlert, `"everyMinutes"`, `"targetIds":["`+targetID+`"],"everyMinutes"`, 1))
	if status != http.StatusCreated || made["state"] != "ok" || made["enabled"] != true {
		t.Fatalf("%d %v", status, made)
	}
	return f, fmt.Sprint(made["id"]), targetID, signatures
}

func TestTriedAlert(t *testing.T) {
	t.Parallel()
	f, alertID, id, signatures := newAlert(t)
	one := alertsPath + "/" + alertID
	status, trial := f.callStatus(t, "POST", one+"/test", keyA, "")
	if got := *signatures; status != http.StatusOK || trial["state"] != "firing" || trial["value"] != "3" || len(got) != 1 || got[0] == "" {
		t.Errorf("%d %v, %v", status, trial, got)
	}
	if status, attempt := f.callStatus(t, "POST", alertTargetsPath+"/"+id+"/test", keyA, ""); status != http.StatusOK || attempt["delivered"] != true {
		t.Errorf("%d %v", status, attempt)
	}
	if status, muted := f.callStatus(t, "PUT", one+"/mute", keyA, `{"until":"2030-01-01T00:00:00Z"}`); status != http.StatusOK || muted["mutedUntil"] != "2030-01-01T00:00:00.000Z" {
		t.Errorf("%d %v", status, muted)
	}
	if status, history := f.callStatus(t, "GET", one+"/history", keyA, ""); status != http.StatusOK || fmt.Sprint(history["data"]) != "[]" {
		t.Errorf("%d %v", status, history)
	}
}

func TestChangedAlert(t *testing.T) {
	t.Parallel()
	f, alertID, id, _ := newAlert(t)
	one := alertsPath + "/" + alertID
	if status, _ := f.callStatus(t, "DELETE", alertTargetsPath+"/"+id, keyA, ""); status != http.StatusConflict {
		t.Errorf("delete of a target in use: %d", status)
	}
	if status, changed := f.callStatus(t, "PUT", one, keyA, slowAlert); status != http.StatusOK || fmt.Sprint(changed["targetIds"]) != "[]" {
		t.Errorf("%d %v", status, changed)
	}
	for _, path := range []string{one, one + "/history", alertTargetsPath + "/" + id} {
		method := "GET"
		if strings.HasPrefix(path, alertTargetsPath) {
			method = "DELETE"
		}
		if status, _ := f.callStatus(t, method, path, keyB, ""); status != http.StatusNotFound {
			t.Errorf("%s %s of another project: %d", method, path, status)
		}
	}
	for _, path := range []string{one, alertTargetsPath + "/" + id} {
		if status, _ := f.callStatus(t, "DELETE", path, keyA, ""); status != http.StatusOK {
			t.Errorf("delete %s: %d", path, status)
		}
	}
}

func TestRefusedAlerts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, body := range []string{`{}`, `{"name":"x"}`, strings.Replace(slowAlert, "latency", "love", 1), strings.Replace(slowAlert, `"15`, `"0`, 1) + "x", strings.Replace(slowAlert, `"name":"Slow"`, `"name":"Slow","color":"red"`, 1)} {
		if status, got := f.callStatus(t, "POST", alertsPath, keyA, body); status != http.StatusBadRequest {
			t.Errorf("%.80s: %d %v", body, status, got)
		}
	}
	for _, body := range []string{`{}`, `{"name":"x","kind":"webhook","address":"http://127.0.0.1/"}`, `{"name":"x","kind":"email","address":"a@example.com"}`, `{"name":"x","kind":"pigeon","address":"roof"}`} {
		if status, got := f.callStatus(t, "POST", alertTargetsPath, keyA, body); status != http.StatusBadRequest {
			t.Errorf("%.80s: %d %v", body, status, got)
		}
	}
}

// addAlertValues gives project A an alert and a target.
func (f *fixture) addAlertValues(t *testing.T, v *foreignValues) {
	t.Helper()
	_, target := f.call(t, "POST", alertTargetsPath, keyA, `{"name":"zqxsecret","kind":"slack","address":"https://zqxsecret.example.com/x"}`)
	_, made := f.call(t, "POST", alertsPath, keyA, strings.Replace(slowAlert, "Slow", "zqxsecret", 1))
	a, err := f.views.Alert(t.Context(), foreignProject, fmt.Sprint(made["id"]))
	if err == nil {
		_, err = f.views.UpdateAlert(t.Context(), a, &model.AlertChange{ProjectID: a.ProjectID, AlertID: a.ID, ID: "1", At: noon, From: model.AlertOK, To: model.AlertFiring, Reason: "zqxsecret"}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(v.parameters, map[string][]string{"alertId": {fmt.Sprint(made["id"])}, "targetId": {fmt.Sprint(target["id"])}})
	v.bodies["POST "+alertsPath] = []string{slowAlert, strings.Replace(slowAlert, `"everyMinutes"`, `"targetIds":["`+fmt.Sprint(target["id"])+`"],"everyMinutes"`, 1)}
	v.bodies["PUT "+alertsPath+"/{alertId}"] = []string{slowAlert}
	v.bodies["PUT "+alertsPath+"/{alertId}/mute"] = []string{`{"until":null}`}
	v.bodies["POST "+alertTargetsPath] = []string{`{"name":"mine","kind":"slack","address":"https://hooks.example.com/x"}`}
}
