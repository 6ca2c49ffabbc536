package app

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/jobs/jobstest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/reprice"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

type amendable struct{ tracestoretest.Memory }

func (a *amendable) Amend(ctx context.Context, rows []*model.Observation) error {
	return a.Insert(ctx, rows)
}

// halfADollar is what everything costs.
type halfADollar struct{}

func (halfADollar) Apply(_ context.Context, rows []*model.Observation) error {
	for _, o := range rows {
		o.CostDetails = map[string]decimal.Decimal{model.TotalKey: decimal.RequireFromString("0.5")}
		o.CostOrigin = model.Priced
	}
	return nil
}

type oneKey struct{}

func (oneKey) Authenticate(_ context.Context, header string) (auth.Principal, error) {
	if header != "Basic cGs6c2s=" {
		return auth.Principal{}, fault.New(fault.Unauthenticated, "Invalid credentials")
	}
	return auth.Principal{Access: auth.Project, Scope: model.ScopeAll, Project: model.Project{ID: "p"}}, nil
}

// serveJobs serves the API of jobs with a runner behind it.
func serveJobs(t *testing.T, store reprice.Store) (url string) {
	t.Helper()
	kept, kinds := &jobstest.Memory{}, map[string]jobs.Handler{reprice.Kind: reprice.New(store, halfADollar{})}
	server := httptest.NewServer(api.New(api.Config{Auth: oneKey{}, Jobs: jobs.NewService(kept, kinds)}))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		jobs.NewRunner(kept, kinds, slog.New(slog.DiscardHandler), jobs.Options{Poll: 5 * time.Millisecond}).Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done; server.Close() })
	return server.URL
}

func command(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	var out, progress bytes.Buffer
	err = run(t.Context(), append([]string{"reprice"}, args...), &out, &progress)
	return out.String(), err
}

func TestRepriceCommand(t *testing.T) {
	t.Parallel()
	store := &amendable{}
	err := store.Insert(t.Context(), []*model.Observation{{
		ProjectID: "p", TraceID: "t", ID: "i", StartTime: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), Model: "gpt", Version: 7,
	}})
	if err != nil {
		t.Fatal(err)
	}
	url := serveJobs(t, store)
	args := []string{"--url", url + "/", "--public-key=pk", "--secret-key=sk", "--from=2026-05-01", "--to=2026-05-02T00:00:00Z"}
	const table = "rows  changed  before $  after $  difference $  model\n   1        1         0      0.5           0.5  gpt\n   1        1         0      0.5           0.5  all\n"
	preview, err := command(t, append(args, "--preview")...)
	if want := table + "\nnothing was written; run the same without --preview to write\n"; err != nil || squeeze(preview) != squeeze(want) {
		t.Errorf("%v\n%s", err, preview)
	}
	written, err := command(t, args...)
	if err != nil || squeeze(written) != squeeze(table) {
		t.Errorf("%v\n%s", err, written)
	}
	rows, err := store.Observations(t.Context(), tracestore.ObservationQuery{ProjectID: "p", Limit: 1})
	if err != nil || rows[0].Version != 8 {
		t.Errorf("%+v, %v", rows, err)
	}
}

func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestRepriceCommandSaysWhatToDo(t *testing.T) {
	t.Parallel()
	url := serveJobs(t, &amendable{})
	good := []string{"--url", url, "--public-key=pk", "--secret-key=sk", "--from=2026-05-01", "--to=2026-05-02"}
	for name, c := range map[string]struct {
		more string
		want string
	}{
		"wrong key":     {"--secret-key=other", "set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY"},
		"no server":     {"--url=http://127.0.0.1:1", "is the server running there?"},
		"no time":       {"--from=yesterday", "write 2026-05-01 or"},
		"backwards":     {"--to=2026-04-01", "to must be after from"},
		"another place": {"--url=" + url + "/elsewhere", "ask a node with the role"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := command(t, append(append([]string{}, good...), c.more)...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want it to say %q", err, c.want)
			}
		})
	}
}
