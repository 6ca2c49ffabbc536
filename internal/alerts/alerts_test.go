package alerts_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/alerts"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/outbound"
	"github.com/sondehq/sonde/internal/seal"
	"github.com/sondehq/sonde/internal/selfobs"
)

// figures answers every query with what a test says; the key is whether the window is in the last day.
type figures struct {
	mu      sync.Mutex
	now     *decimal.Decimal
	before  *decimal.Decimal
	err     error
	queries []string
}

func (f *figures) Value(_ context.Context, _, text string) (*decimal.Decimal, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queries = append(f.queries, text)
	var q struct {
		To time.Time `json:"toTimestamp"`
	}
	if err := json.Unmarshal([]byte(text), &q); err != nil {
		return nil, err
	}
	if time.Since(q.To) > 24*time.Hour {
		return f.before, f.err
	}
	return f.now, f.err
}

func (f *figures) set(now, before string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now, f.before = number(now), number(before)
}

func number(text string) *decimal.Decimal {
	if text == "" {
		return nil
	}
	value := decimal.RequireFromString(text)
	return &value
}

// present is a horizon that is never behind by more than a test says.
type present struct{ behind time.Duration }

func (p *present) Settled(context.Context) (time.Time, error) { return time.Now().Add(-p.behind), nil }

// receiver is a server that remembers what it got.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []*http.Request
	bodies []string
	status int
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusOK}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got, r.bodies = append(r.got, req), append(r.bodies, string(body))
		if r.status == http.StatusFound {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answer(status int) { r.mu.Lock(); defer r.mu.Unlock(); r.status = status }

func (r *receiver) count() int { r.mu.Lock(); defer r.mu.Unlock(); return len(r.got) }

type world struct {
	store   *metastoretest.Memory
	figures *figures
	horizon *present
	targets *alerts.Targets
	service *alerts.Service
	worker  *alerts.Worker
	project string
}

func newWorld(t *testing.T, mailer *alerts.Mailer, endpoints ...string) *world {
	t.Helper()
	w := &world{store: metastoretest.NewMemory(), figures: &figures{}, horizon: &present{}}
	seed := metastoretest.Seed("seed")
	if _, err := w.store.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	w.project = seed.Project.ID
	box, err := seal.NewBox(make([]byte, seal.KeyBytes))
	if err != nil {
		t.Fatal(err)
	}
	judge := alerts.NewJudge(w.figures, w.horizon)
	w.targets = alerts.NewTargets(w.store, box, outbound.NewGuard(endpoints), mailer, "https://sonde.example.com")
	w.service = alerts.New(w.store, func(string) error { return nil }, judge, w.targets)
	w.worker = alerts.NewWorker(w.store, w.store, judge, w.targets, slog.New(slog.DiscardHandler), selfobs.NewMetrics())
	return w
}

func (w *world) target(t *testing.T, kind model.TargetKind, address string) (model.AlertTarget, string) {
	t.Helper()
	made, key, err := w.targets.Create(t.Context(), w.project, "ops", kind, address)
	if err != nil {
		t.Fatal(err)
	}
	return made, key
}

func (w *world) alert(t *testing.T, c model.AlertCondition, targets ...string) model.Alert {
	t.Helper()
	a, err := w.service.Create(t.Context(), w.project, model.AlertSettings{
		Name: "Slow <answers>", Enabled: true, Query: json.RawMessage(`{"view":"observations","metrics":[{"measure":"latency","aggregation":"p95"}]}`),
		Condition: c, WindowMinutes: 5, EveryMinutes: 1, TargetIDs: targets,
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// look evaluates the alert at once and delivers what follows.
func (w *world) look(t *testing.T, id string) model.Alert {
	t.Helper()
	w.due(t, id)
	if err := w.worker.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	a, err := w.service.Get(t.Context(), w.project, id)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (w *world) due(t *testing.T, id string) {
	t.Helper()
	a, err := w.store.Alert(t.Context(), w.project, id)
	if err != nil {
		t.Fatal(err)
	}
	a.NextAt = time.Now().Add(-time.Minute)
	if _, err := w.store.UpdateAlert(t.Context(), a, nil, nil); err != nil {
		t.Fatal(err)
	}
}

var above = model.AlertCondition{Kind: model.Threshold, Operator: ">", Limit: "2000"}

func TestStates(t *testing.T) {
	t.Parallel()
	change := func(direction string) model.AlertCondition {
		return model.AlertCondition{Kind: model.WeekChange, Direction: direction, Limit: "50"}
	}
	for _, c := range []struct {
		condition   model.AlertCondition
		now, before string
		want        model.AlertState
	}{
		{above, "2000", "", model.AlertOK},
		{above, "2000.01", "", model.AlertFiring},
		{above, "", "", model.AlertNoData},
		{model.AlertCondition{Kind: model.Threshold, Operator: "<=", Limit: "0"}, "0", "", model.AlertFiring},
		{model.AlertCondition{Kind: model.Absence}, "0", "", model.AlertFiring},
		{model.AlertCondition{Kind: model.Absence}, "", "", model.AlertFiring},
		{model.AlertCondition{Kind: model.Absence}, "1", "", model.AlertOK},
		{change("up"), "150", "100", model.AlertFiring},
		{change("up"), "149.9", "100", model.AlertOK},
		{change("up"), "10", "100", model.AlertOK},
		{change("down"), "50", "100", model.AlertFiring},
		{change("any"), "50", "100", model.AlertFiring},
		{change("any"), "151", "100", model.AlertFiring},
		{change("any"), "5", "", model.AlertNoData},
		{change("any"), "5", "0", model.AlertNoData},
		{change("any"), "", "5", model.AlertNoData},
	} {
		w := newWorld(t, nil)
		w.figures.set(c.now, c.before)
		if a := w.look(t, w.alert(t, c.condition).ID); a.State != c.want {
			t.Errorf("%+v of %q against %q: %s %s, want %s", c.condition, c.now, c.before, a.State, a.Reason, c.want)
		}
	}
}

func TestErrorStates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.alert(t, above)
	w.figures.err = fault.New(fault.Exhausted, "too much")
	if got := w.look(t, a.ID); got.State != model.AlertError || got.Reason != "too much" {
		t.Errorf("%s %q", got.State, got.Reason)
	}
	w.figures.err = fault.Unavailablef("away")
	if got := w.look(t, a.ID); got.State != model.AlertError || got.Reason != "too much" || !got.NextAt.After(time.Now()) {
		t.Errorf("while the store is away an alert stays as it was: %s %q", got.State, got.Reason)
	}
	w.figures.err = nil
	w.horizon.behind = time.Hour
	if got := w.look(t, a.ID); got.State != model.AlertError || !strings.Contains(got.Reason, "behind") {
		t.Errorf("%s %q", got.State, got.Reason)
	}
}

// TestOneMessagePerChange: a webhook is told each change once, signed, with the same id in every attempt.
func TestOneMessagePerChange(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	w := newWorld(t, nil, r.URL)
	target, key := w.target(t, model.WebhookTarget, r.URL+"/hook")
	a := w.alert(t, above, target.ID)
	for _, value := range []string{"1", "3000", "3001", "3002", "5", "4"} {
		w.figures.set(value, "")
		w.look(t, a.ID)
	}
	if r.count() != 2 {
		t.Fatalf("%d messages, want one for firing and one for ok: %v", r.count(), r.bodies)
	}
	for i, want := range []string{"firing", "ok"} {
		var m map[string]any
		if err := json.Unmarshal([]byte(r.bodies[i]), &m); err != nil {
			t.Fatal(err)
		}
		signature := r.got[i].Header.Get("Sonde-Signature")
		stamp, _, _ := strings.Cut(strings.TrimPrefix(signature, "t="), ",")
		at, err := time.Parse("2006", "1970")
		if err != nil {
			t.Fatal(err)
		}
		seconds := decimal.RequireFromString(stamp).IntPart()
		if m["state"] != want || m["id"] != r.got[i].Header.Get("Idempotency-Key") || alerts.Sign(key, at.Add(time.Duration(seconds)*time.Second), []byte(r.bodies[i])) != signature {
			t.Errorf("message %d: %s, %s", i, r.bodies[i], signature)
		}
	}
	history, err := w.service.History(t.Context(), w.project, a.ID)
	if err != nil || len(history) != 2 || history[0].To != model.AlertOK || history[1].Deliveries[0].State != model.DeliveryDone {
		t.Errorf("history %+v, %v", history, err)
	}
}

func TestRetriesKeepTheMessage(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	w := newWorld(t, nil, r.URL)
	target, _ := w.target(t, model.WebhookTarget, r.URL)
	a := w.alert(t, above, target.ID)
	w.figures.set("3000", "")
	r.answer(http.StatusFound) // redirects are not followed
	w.look(t, a.ID)
	due, err := w.store.DueDeliveries(t.Context(), time.Now().Add(time.Hour), 10)
	if err != nil || len(due) != 1 || due[0].Attempts != 1 || !due[0].NextAt.After(time.Now()) || due[0].LastError != "the target answered 302" {
		t.Fatalf("%+v, %v", due, err)
	}
	r.answer(http.StatusOK)
	due[0].NextAt = time.Now()
	if err := w.store.SettleDelivery(t.Context(), due[0]); err != nil {
		t.Fatal(err)
	}
	if err := w.worker.Look(t.Context()); err != nil || r.count() != 2 || r.bodies[0] != r.bodies[1] {
		t.Fatalf("%v, %q", err, r.bodies)
	}
	if a, b := r.got[0].Header.Get("Idempotency-Key"), r.got[1].Header.Get("Idempotency-Key"); a != b || a == "" {
		t.Errorf("idempotency keys %q and %q", a, b)
	}
}

func TestMute(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	w := newWorld(t, nil, r.URL)
	target, _ := w.target(t, model.SlackTarget, r.URL)
	a := w.alert(t, above, target.ID)
	if _, err := w.service.Mute(t.Context(), w.project, a.ID, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	w.figures.set("3000", "")
	if got := w.look(t, a.ID); got.State != model.AlertFiring || r.count() != 0 {
		t.Fatalf("%s, %d messages while it is muted", got.State, r.count())
	}
	if _, err := w.service.Mute(t.Context(), w.project, a.ID, time.Time{}); err != nil {
		t.Fatal(err)
	}
	w.look(t, a.ID)
	w.look(t, a.ID)
	if r.count() != 1 || !strings.Contains(r.bodies[0], `*Firing: Slow \u0026lt;answers\u0026gt;*`) {
		t.Errorf("what still holds is told once: %q", r.bodies)
	}
}

func TestPrivateTargetsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, address := range []string{"http://hooks.example.com/x", "https://127.0.0.1/x", "https://localhost/x", "https://[::1]/x", "https://10.0.0.7/", "ftp://x", "https://user:pw@hooks.example.com/"} {
		if _, _, err := w.targets.Create(t.Context(), w.project, "x", model.WebhookTarget, address); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, _, err := w.targets.Create(t.Context(), w.project, "x", model.EmailTarget, "ops@example.com"); !fault.Is(err, fault.Invalid) {
		t.Errorf("email without a server: %v", err)
	}
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	good := w.alert(t, above).Settings
	for name, change := range map[string]func(*model.AlertSettings){
		"name":     func(s *model.AlertSettings) { s.Name = "a\nb" },
		"window":   func(s *model.AlertSettings) { s.WindowMinutes = 0 },
		"every":    func(s *model.AlertSettings) { s.EveryMinutes = 1441 },
		"operator": func(s *model.AlertSettings) { s.Condition.Operator = "!=" },
		"limit":    func(s *model.AlertSettings) { s.Condition.Limit = "1e9999999" },
		"kind":     func(s *model.AlertSettings) { s.Condition.Kind = "mood" },
		"target":   func(s *model.AlertSettings) { s.TargetIDs = []string{"nowhere"} },
		"metrics":  func(s *model.AlertSettings) { s.Query = json.RawMessage(`{"view":"observations","metrics":[]}`) },
		"histogram": func(s *model.AlertSettings) {
			s.Query = json.RawMessage(`{"view":"observations","metrics":[{"measure":"latency","aggregation":"histogram"}]}`)
		},
		"query": func(s *model.AlertSettings) { s.Query = json.RawMessage(`"x"`) },
	} {
		s := good
		change(&s)
		if _, err := w.service.Create(t.Context(), w.project, s); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var _ metastore.Alerts = w.store
}
