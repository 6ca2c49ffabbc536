package api_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/audit"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/dashboards"
	"github.com/sondehq/sonde/internal/erase"
	"github.com/sondehq/sonde/internal/evaluation"
	"github.com/sondehq/sonde/internal/eventlog/eventlogtest"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/flagging"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/jobs/jobstest"
	"github.com/sondehq/sonde/internal/live"
	"github.com/sondehq/sonde/internal/live/livetest"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/oidc"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/savedviews"
	"github.com/sondehq/sonde/internal/scoring"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/tenancy"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The keys of two projects, and one that may only write scores.
var (
	keyA       = basic("pk-a", "sk-a")
	keyB       = basic("pk-b", "sk-b")
	scoresOnly = "Bearer pk-a"
)

func basic(public, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(public+":"+secret))
}

func projectNamed(id string) model.Project {
	return model.Project{ID: id, Name: "name of " + id, Organization: model.Organization{ID: "org-" + id, Name: "Acme"}}
}

type fakeAuth struct{ err error }

func (f fakeAuth) Authenticate(_ context.Context, header string) (auth.Principal, error) {
	if f.err != nil {
		return auth.Principal{}, f.err
	}
	switch header {
	case keyA:
		return auth.Principal{Access: auth.Project, Scope: model.ScopeAll, Project: projectNamed("project-a"), KeyID: "a"}, nil
	case keyB:
		return auth.Principal{Access: auth.Project, Scope: model.ScopeAll, Project: projectNamed("project-b"), KeyID: "b"}, nil
	case scoresOnly:
		return auth.Principal{Access: auth.ScoresOnly, Scope: model.ScopeScores, Project: projectNamed("project-a"), KeyID: "a"}, nil
	case organizationKey:
		return organizationPrincipal("project-a"), nil
	case organizationKeyB:
		return organizationPrincipal("project-b"), nil
	case "":
		return auth.Principal{}, fault.New(fault.Unauthenticated, "No authorization header")
	}
	return auth.Principal{}, fault.New(fault.Unauthenticated, "Invalid credentials. Confirm that you've configured the correct host.")
}

// claims knows the keys of both projects by their public halves, and one that is revoked.
func claims(_ context.Context, header string) auth.Claim {
	pair, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(header, "Basic "))
	public, _, _ := strings.Cut(string(pair), ":")
	claim := auth.Claim{PublicKey: public, Known: true, Valid: true}
	switch public {
	case "pk-a":
		claim.ProjectID = "project-a"
	case "pk-b":
		claim.ProjectID = "project-b"
	case "pk-revoked":
		claim.ProjectID, claim.Valid = "project-a", false
	default:
		claim.Known, claim.Valid = false, false
	}
	return claim
}

// organizationPrincipal is the organization that owns a project.
func organizationPrincipal(project string) auth.Principal {
	organization := model.Project{Organization: projectNamed(project).Organization}
	return auth.Principal{Access: auth.Organization, Scope: model.ScopeAll, Project: organization, KeyID: "o"}
}

// fakeIngest remembers what it was given and answers as told.
type fakeIngest struct {
	mu     sync.Mutex
	got    []ingest.Submission
	events []ingest.EventSubmission
	answer ingest.Outcome
	err    error
	panics any
}

func (f *fakeIngest) Accept(_ context.Context, in ingest.Submission) (ingest.Outcome, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.panics != nil {
		panic(f.panics)
	}
	in.Body = slices.Clone(in.Body)
	f.got = append(f.got, in)
	return f.answer, f.err
}

func (f *fakeIngest) AcceptLogs(ctx context.Context, in ingest.Submission) (ingest.Outcome, error) {
	return f.Accept(ctx, in)
}

// bounded makes the largest body small.
func bounded(bytes int64) func(*api.Config) {
	return func(c *api.Config) {
		c.Door = ingest.NewDoor(ingest.Limits{MaxBodyBytes: bytes}, func(string) error { return nil }, selfobs.NewMetrics())
	}
}

type fakeHealth struct {
	database, unready, recentErr error
	recent                       bool
	since                        time.Time
	draining                     bool
}

func (f *fakeHealth) Database(context.Context) error { return f.database }
func (f *fakeHealth) Ready(context.Context) error    { return f.unready }
func (f *fakeHealth) Draining() bool                 { return f.draining }
func (f *fakeHealth) RecentEvents(_ context.Context, since time.Time) (bool, error) {
	f.since = since
	return f.recent, f.recentErr
}

// fakeStore is a store whose reads can be made to fail.
type fakeStore struct {
	tracestoretest.Memory
	err      error
	skeleton *tracestore.Skeleton // nil: as it is stored
}

func (f *fakeStore) Skeleton(ctx context.Context, projectID, traceID string) (*tracestore.Skeleton, error) {
	if f.skeleton != nil || f.err != nil {
		return f.skeleton, f.err
	}
	return f.Memory.Skeleton(ctx, projectID, traceID)
}

func (f *fakeStore) Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.Memory.Observations(ctx, q)
}

func (f *fakeStore) Metrics(ctx context.Context, q tracestore.MetricsQuery) ([]tracestore.MetricsRow, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.Memory.Metrics(ctx, q)
}

func (f *fakeStore) Facets(ctx context.Context, q tracestore.FacetQuery) (tracestore.Facets, error) {
	if f.err != nil {
		return tracestore.Facets{}, f.err
	}
	return f.Memory.Facets(ctx, q)
}

func (f *fakeStore) Timeline(ctx context.Context, q tracestore.TimelineQuery) (tracestore.Timeline, error) {
	if f.err != nil {
		return tracestore.Timeline{}, f.err
	}
	return f.Memory.Timeline(ctx, q)
}

func (f *fakeStore) Effects(ctx context.Context, q tracestore.EffectQuery) (tracestore.Effects, error) {
	if f.err != nil {
		return tracestore.Effects{}, f.err
	}
	return f.Memory.Effects(ctx, q)
}

func (f *fakeStore) Compare(ctx context.Context, q tracestore.CompareQuery) (tracestore.Comparison, error) {
	if f.err != nil {
		return tracestore.Comparison{}, f.err
	}
	return f.Memory.Compare(ctx, q)
}

func (f *fakeStore) Activities(ctx context.Context, q tracestore.ActivityQuery) (tracestore.Activities, error) {
	if f.err != nil {
		return tracestore.Activities{}, f.err
	}
	return f.Memory.Activities(ctx, q)
}

func (f *fakeStore) CountObservations(ctx context.Context, projectID string, where []filter.Condition) (uint64, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.Memory.CountObservations(ctx, projectID, where)
}

func (f *fakeStore) Traces(ctx context.Context, q tracestore.TraceQuery) ([]*tracestore.Trace, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.Memory.Traces(ctx, q)
}

func (f *fakeStore) CountTraces(ctx context.Context, projectID string, where []filter.Condition) (uint64, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.Memory.CountTraces(ctx, projectID, where)
}

func (f *fakeStore) Sessions(ctx context.Context, q tracestore.SessionQuery) ([]*tracestore.Session, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.Memory.Sessions(ctx, q)
}

func (f *fakeStore) CountSessions(ctx context.Context, projectID string, where []filter.Condition) (uint64, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.Memory.CountSessions(ctx, projectID, where)
}

// fixture is an API on fakes. Every answer is checked against the description.
type fixture struct {
	http.Handler
	store    *fakeStore
	ingest   *fakeIngest
	health   *fakeHealth
	receipts *fakeReceipts
	log      *eventlogtest.Memory
	jobs     *jobstest.Memory
	tenants  *metastoretest.Memory
	eraser   *fakeEraser
	metadata *metastoretest.Memory
	datasets *metastoretest.Memory
	live     *live.Reporter
	views    *metastoretest.Memory
	bare     http.Handler // the API without the check of its answers, which hides the connection
}

var loadDescription = sync.OnceValue(func() *testkit.OpenAPI { return testkit.LoadOpenAPI(onlyFatal{}, api.Description("")) })

// onlyFatal stands in for a test where there is none yet.
type onlyFatal struct{ testing.TB }

func (onlyFatal) Helper()                           {}
func (onlyFatal) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (onlyFatal) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func newFixture(t testing.TB, edits ...func(*api.Config)) *fixture {
	t.Helper()
	f := &fixture{
		store: &fakeStore{}, ingest: &fakeIngest{}, health: &fakeHealth{recent: true},
		receipts: &fakeReceipts{}, log: eventlogtest.NewMemory(eventlogtest.Options{Partitions: 1}),
		jobs:    &jobstest.Memory{},
		tenants: tenantsOf(t), eraser: &fakeEraser{},
	}
	cfg := api.Config{
		Auth: fakeAuth{}, Ingest: f.ingest, Events: f.ingest, Logs: f.ingest, Query: f.query(), Media: newMedia(t).service, Models: newCatalog(t), Scoring: scoring.New(metadataOf(t)), Health: f.health,
		Receipts: f.receipts, DeadLetters: f.log,
		Erasures: f.tenants,
		Deletes:  erase.New(f.store, f.tenants, nil, jobs.NewService(f.jobs, map[string]jobs.Handler{erase.Kind: erase.NewHandler(erase.Parts{})}), slog.New(slog.DiscardHandler)),
		Flags:    flagging.New(f.store),
		Jobs:     jobs.NewService(f.jobs, map[string]jobs.Handler{"echo": echo{}}),
		SignIn:   newSignIn(f.tenants),
		SQL:      fakeSQL{},
		Audit:    audit.New(f.tenants, slog.New(slog.DiscardHandler)),
		OIDC:     newOIDC(t, f.tenants, oidc.Settings{Issuer: awayIssuer, ClientID: "sonde"}, oidc.Rules{}),
		Tenancy:  tenancy.New(f.tenants), AdminKey: adminKey, ProjectEraser: f.eraser,
		Prompts: newPrompts(t), Exports: newExports(t),
		Log: slog.New(slog.DiscardHandler), Version: "0.1.0-test",
	}
	annotate(t, f, &cfg)
	f.live, f.views = live.NewReporter(livetest.NewNetwork().Node()), metadataOf(t)
	// The server stops: streams end after their first event.
	stopping := make(chan struct{})
	close(stopping)
	cfg.Live, cfg.Stopping, cfg.LogStatus, cfg.Claims = f.live, stopping, f.log.Status, claims
	cfg.SavedViews = savedviews.New(f.views)
	cfg.Dashboards = dashboards.New(f.views, query.CheckMetrics)
	addAlerts(t, &cfg, f.views)
	cfg.Evaluations = evaluation.NewService(f.views, f.store, interpreter(), judge{})
	f.datasets = metadataOf(t)
	cfg.Datasets = newDatasets(f.datasets, cfg.Media)
	for _, edit := range edits {
		edit(&cfg)
	}
	f.bare = api.New(cfg)
	f.Handler = loadDescription().Handler(t, f.bare)
	return f
}

func (f *fixture) insert(t testing.TB, rows ...*model.Observation) {
	t.Helper()
	if err := f.store.Insert(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
}

// answer is a response that was read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

func (f *fixture) send(t testing.TB, r *http.Request) answer {
	t.Helper()
	recorder := httptest.NewRecorder()
	f.ServeHTTP(recorder, r)
	return answer{recorder.Code, recorder.Header(), recorder.Body.String()}
}

// get asks for a path with the key of project A.
func (f *fixture) get(t testing.TB, target string) answer {
	t.Helper()
	return f.send(t, request(http.MethodGet, target, keyA, nil))
}

func request(method, target, key string, body io.Reader, headers ...string) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), method, target, body)
	if key != "" {
		r.Header.Set("Authorization", key)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// pageBody is a page as a client sees it.
type pageBody struct {
	Data []map[string]any
	Meta map[string]string
}

func decodePage(t testing.TB, a answer) pageBody {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	var page pageBody
	if err := json.Unmarshal([]byte(a.body), &page); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return page
}

func (p pageBody) ids() []string {
	ids := []string{}
	for _, row := range p.Data {
		ids = append(ids, row["id"].(string))
	}
	return ids
}

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func row(project, trace, id string, millis int, edits ...func(*model.Observation)) *model.Observation {
	o := &model.Observation{
		ProjectID: project, TraceID: trace, ID: id, ParentID: "parent",
		StartTime: noon.Add(time.Duration(millis) * time.Millisecond),
		Type:      model.Span, Level: model.Default, Environment: model.DefaultEnvironment,
		CreatedAt: noon.Add(time.Hour), Version: model.RowVersion(noon.Add(2*time.Hour), 0),
	}
	for _, edit := range edits {
		edit(o)
	}
	return o
}

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	testkit.Golden(t, filepath.Join("testdata", name+".golden"), []byte(got))
}

func (f *fixture) query() *query.Service { return query.New(f.store) }

// fakeSQL answers every query with rows that name the project.
type fakeSQL struct{}

func (fakeSQL) Query(_ context.Context, projectID, text string, each func([]byte) error) error {
	if strings.Contains(text, "broken") {
		return fault.Invalidf("query", "is broken")
	}
	if strings.Contains(text, "nothing") {
		return nil
	}
	for i := range 2 {
		if err := each(fmt.Appendf(nil, `{"project":%q,"n":%d,"list":["a,b"],"none":null}`, projectID, i)); err != nil {
			return err
		}
	}
	return nil
}
