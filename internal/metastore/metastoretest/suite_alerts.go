package metastoretest

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var alertsTests = map[string]func(*testing.T, metastore.Store){
	"alerts":                   testAlerts,
	"alerts by revision":       testAlertAtOnce,
	"due alerts":               testDueAlerts,
	"changes and messages":     testAlertMessages,
	"changes are limited":      testAlertChangesLimited,
	"alert targets":            testAlertTargets,
	"deleted alerts are quiet": testDeletedAlert,
}

func alert(projectID, id string) model.Alert {
	return model.Alert{
		ProjectID: projectID, ID: id, State: model.AlertOK, Told: model.AlertOK, NextAt: annotated, CreatedAt: annotated, UpdatedAt: annotated, Revision: 1,
		Settings: model.AlertSettings{
			Name: "so \"müde\"", Enabled: true, Query: json.RawMessage(`{"view":"observations"}`), WindowMinutes: 5, EveryMinutes: 1, TargetIDs: []string{"t"},
			Condition: model.AlertCondition{Kind: model.Threshold, Operator: ">", Limit: "1.50"},
		},
	}
}

func alertChange(a model.Alert, id string) *model.AlertChange {
	return &model.AlertChange{ProjectID: a.ProjectID, AlertID: a.ID, ID: id, At: annotated, From: model.AlertOK, To: model.AlertFiring, Value: "2", Reason: "it's"}
}

func delivery(a model.Alert, change, target string) model.AlertDelivery {
	return model.AlertDelivery{
		ProjectID: a.ProjectID, ID: change + "-" + target, AlertID: a.ID, ChangeID: change, TargetID: target, State: model.DeliveryPending,
		Message: json.RawMessage(`{"a":1}`), NextAt: annotated, CreatedAt: annotated, UpdatedAt: annotated,
	}
}

func wantAlert(t *testing.T, store metastore.Store, want model.Alert) {
	t.Helper()
	got, err := store.Alert(t.Context(), want.ProjectID, want.ID)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Alert: %v (-want +got):\n%s", err, diff)
	}
}

func testAlerts(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: "other", Organization: seed.Organization}), nil)
	a, foreign := alert(seed.Project.ID, "a"), alert("other", "a")
	for _, one := range []model.Alert{a, foreign, alert(seed.Project.ID, "b")} {
		wantError(t, "CreateAlert", store.CreateAlert(t.Context(), one), nil)
	}
	wantError(t, "the same id", store.CreateAlert(t.Context(), a), metastore.ErrExists)
	wantError(t, "no project", store.CreateAlert(t.Context(), alert("nowhere", "a")), metastore.ErrNotFound)
	list, err := store.Alerts(t.Context(), seed.Project.ID)
	if err != nil || len(list) != 2 || list[0].ID != "a" {
		t.Errorf("Alerts: %v, %v", list, err)
	}
	a.Settings.Name, a.MutedUntil, a.State, a.Since, a.Told = "another", annotated, model.AlertFiring, annotated, model.AlertFiring
	a.Value, a.Reason, a.EvaluatedAt, a.NextAt, a.UpdatedAt = "3.10", "because", annotated, annotated.Add(time.Hour), annotated.Add(time.Minute)
	a.Revision, err = store.UpdateAlert(t.Context(), a, nil, nil)
	wantError(t, "UpdateAlert", err, nil)
	wantAlert(t, store, a)
	wantAlert(t, store, foreign)
	wantError(t, "DeleteAlert", store.DeleteAlert(t.Context(), seed.Project.ID, "a"), nil)
	wantError(t, "DeleteAlert again", store.DeleteAlert(t.Context(), seed.Project.ID, "a"), metastore.ErrNotFound)
	wantAlert(t, store, foreign)
}

func testAlertAtOnce(t *testing.T, store metastore.Store) {
	a := alert(mustPlant(t, store, Seed("seed")).Project.ID, "a")
	wantError(t, "CreateAlert", store.CreateAlert(t.Context(), a), nil)
	errs := atOnce(8, func(i int) error {
		id := fmt.Sprint("change", i)
		_, err := store.UpdateAlert(t.Context(), a, alertChange(a, id), []model.AlertDelivery{delivery(a, id, "t")})
		return err
	})
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, metastore.ErrAlertChanged) {
			t.Error(err)
		}
	}
	changes, err := store.AlertChanges(t.Context(), a.ProjectID, "a", 10)
	if won != 1 || len(changes) != 1 || len(changes[0].Deliveries) != 1 || err != nil {
		t.Errorf("%d of 8 recorded %v, %v; want one with one message", won, changes, err)
	}
}

func testDueAlerts(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	late, soon, off, later := alert(project, "late"), alert(project, "soon"), alert(project, "off"), alert(project, "later")
	late.NextAt, off.Settings.Enabled, later.NextAt = annotated.Add(-time.Hour), false, annotated.Add(time.Second)
	for _, one := range []model.Alert{late, soon, off, later} {
		wantError(t, "CreateAlert", store.CreateAlert(t.Context(), one), nil)
	}
	due, err := store.DueAlerts(t.Context(), annotated, 10)
	if diff := cmp.Diff([]model.Alert{late, soon}, due); err != nil || diff != "" {
		t.Errorf("DueAlerts: %v (-want +got):\n%s", err, diff)
	}
	if due, err := store.DueAlerts(t.Context(), annotated, 1); len(due) != 1 || err != nil {
		t.Errorf("one of them: %v, %v", due, err)
	}
	wantError(t, "MarkProjectDeleted", store.MarkProjectDeleted(t.Context(), project), nil)
	if due, err := store.DueAlerts(t.Context(), annotated, 10); len(due) != 0 || err != nil {
		t.Errorf("of a project that is being erased: %v, %v", due, err)
	}
}

func testAlertMessages(t *testing.T, store metastore.Store) {
	a := alert(mustPlant(t, store, Seed("seed")).Project.ID, "a")
	wantError(t, "CreateAlert", store.CreateAlert(t.Context(), a), nil)
	first := alertChange(a, "1")
	first.Deliveries = []model.AlertDelivery{delivery(a, "1", "t"), delivery(a, "1", "u")}
	var err error
	a.Revision, err = store.UpdateAlert(t.Context(), a, first, first.Deliveries)
	wantError(t, "UpdateAlert", err, nil)
	due, err := store.DueDeliveries(t.Context(), annotated, 10)
	if diff := cmp.Diff(first.Deliveries, due); err != nil || diff != "" {
		t.Errorf("DueDeliveries: %v (-want +got):\n%s", err, diff)
	}
	first.Deliveries[0].State, first.Deliveries[0].Attempts = model.DeliveryDone, 1
	first.Deliveries[1].Attempts, first.Deliveries[1].LastError, first.Deliveries[1].NextAt = 1, "it's away", annotated.Add(time.Minute)
	for _, d := range first.Deliveries {
		wantError(t, "SettleDelivery", store.SettleDelivery(t.Context(), d), nil)
	}
	wantError(t, "SettleDelivery of one that is done", store.SettleDelivery(t.Context(), first.Deliveries[0]), metastore.ErrNotFound)
	if due, err := store.DueDeliveries(t.Context(), annotated, 10); len(due) != 0 || err != nil {
		t.Errorf("before the next attempt: %v, %v", due, err)
	}
	second := alertChange(a, "2")
	_, err = store.UpdateAlert(t.Context(), a, second, nil)
	wantError(t, "UpdateAlert", err, nil)
	got, err := store.AlertChanges(t.Context(), a.ProjectID, "a", 10)
	if diff := cmp.Diff([]model.AlertChange{*second, *first}, got); err != nil || diff != "" {
		t.Errorf("AlertChanges: %v (-want +got):\n%s", err, diff)
	}
}

func testAlertChangesLimited(t *testing.T, store metastore.Store) {
	a := alert(mustPlant(t, store, Seed("seed")).Project.ID, "a")
	wantError(t, "CreateAlert", store.CreateAlert(t.Context(), a), nil)
	for i := range metastore.MaxAlertChanges + 2 {
		id := fmt.Sprintf("%04d", i)
		d := delivery(a, id, "t")
		if i == 0 {
			d.State = model.DeliveryDone
		}
		var err error
		if a.Revision, err = store.UpdateAlert(t.Context(), a, alertChange(a, id), []model.AlertDelivery{d}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := store.AlertChanges(t.Context(), a.ProjectID, "a", 1000)
	if err != nil || len(got) != metastore.MaxAlertChanges || got[len(got)-1].ID != "0002" {
		t.Errorf("%d changes, %v", len(got), err)
	}
	due, err := store.DueDeliveries(t.Context(), annotated, 1000)
	if err != nil || len(due) != metastore.MaxAlertChanges+1 {
		t.Errorf("%d messages are pending, %v; those of forgotten changes stay until they are told", len(due), err)
	}
}

func testAlertTargets(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	target := model.AlertTarget{ProjectID: project, ID: "t", Name: "ops", Kind: model.SlackTarget, Display: "hooks.example.com", Sealed: []byte{1, 0, 2}, CreatedAt: annotated}
	wantError(t, "CreateAlertTarget", store.CreateAlertTarget(t.Context(), target), nil)
	wantError(t, "the same id", store.CreateAlertTarget(t.Context(), target), metastore.ErrExists)
	got, err := store.AlertTarget(t.Context(), project, "t")
	if diff := cmp.Diff(target, got); err != nil || diff != "" {
		t.Errorf("AlertTarget: %v (-want +got):\n%s", err, diff)
	}
	if list, err := store.AlertTargets(t.Context(), "nowhere"); len(list) != 0 || err != nil {
		t.Errorf("of another project: %v, %v", list, err)
	}
	_, err = store.AlertTarget(t.Context(), "nowhere", "t")
	wantError(t, "of another project", err, metastore.ErrNotFound)
	wantError(t, "DeleteAlertTarget", store.DeleteAlertTarget(t.Context(), project, "t"), nil)
	wantError(t, "DeleteAlertTarget again", store.DeleteAlertTarget(t.Context(), project, "t"), metastore.ErrNotFound)
}

func testDeletedAlert(t *testing.T, store metastore.Store) {
	a := alert(mustPlant(t, store, Seed("seed")).Project.ID, "a")
	wantError(t, "CreateAlert", store.CreateAlert(t.Context(), a), nil)
	revision, err := store.UpdateAlert(t.Context(), a, alertChange(a, "1"), []model.AlertDelivery{delivery(a, "1", "t")})
	wantError(t, "UpdateAlert", err, nil)
	a.Revision = revision
	wantError(t, "DeleteAlert", store.DeleteAlert(t.Context(), a.ProjectID, "a"), nil)
	_, err = store.UpdateAlert(t.Context(), a, alertChange(a, "2"), []model.AlertDelivery{delivery(a, "2", "t")})
	wantError(t, "UpdateAlert of one that is gone", err, metastore.ErrAlertChanged)
	if due, err := store.DueDeliveries(t.Context(), annotated, 10); len(due) != 0 || err != nil {
		t.Errorf("messages of a deleted alert: %v, %v", due, err)
	}
}
