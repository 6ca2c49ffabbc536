package selftrace_test

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp"
	"github.com/sondehq/sonde/internal/otlpgrpc"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/selftrace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// receiver is our own way in for OTLP over gRPC, which keeps what comes.
type receiver struct {
	address string
	mu      sync.Mutex
	rows    []*model.Observation
	sdks    []string
}

// Authenticate lets one key in.
func (r *receiver) Authenticate(_ context.Context, header string) (auth.Principal, error) {
	if header != "Basic good" {
		return auth.Principal{}, fault.New(fault.Unauthenticated, "no")
	}
	return auth.Principal{Project: model.Project{ID: "p"}, Access: auth.Project, Scope: model.ScopeAll}, nil
}

func (r *receiver) accept(_ context.Context, in ingest.Submission) (ingest.Outcome, error) {
	rows, err := otlp.Map(in.Body, otlp.Source{ProjectID: "p", AcceptedAt: time.Now()})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows, r.sdks = append(r.rows, rows...), append(r.sdks, in.SDKName)
	return ingest.Outcome{Accepted: len(rows)}, err
}

func (r *receiver) names() (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, row := range r.rows {
		names = append(names, row.Name)
	}
	slices.Sort(names)
	return names
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	server := otlpgrpc.New(otlpgrpc.Config{
		Auth: r, Traces: r.accept,
		Door: ingest.NewDoor(ingest.Limits{MaxBodyBytes: 1 << 20}, func(string) error { return nil }, selfobs.NewMetrics()),
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.address = listener.Addr().String()
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		<-done
	})
	return r
}

func newTracer(t *testing.T, r *receiver, ratio float64) *selftrace.Tracer {
	t.Helper()
	tracer, err := selftrace.New(t.Context(), selftrace.Config{
		Endpoint: "http://" + r.address, Headers: map[string]string{"authorization": "Basic good"}, Ratio: ratio, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tracer.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return tracer
}

func TestWhatIsSlowOrFailedIsSent(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	tracer := newTracer(t, r, 0)
	began := time.Now().Add(-time.Minute)
	request := func(route string, status int, took time.Duration, sdk string) {
		tracer.Request(selfobs.Request{ID: "id", Protocol: selfobs.HTTP, Route: route, Status: status, Began: began, Took: took, SDK: sdk})
	}
	request("/quick", 200, time.Millisecond, "python")
	request("/slow", 200, 2*time.Second, "python")
	request("/failed", 500, time.Millisecond, "python")
	request("/refused", 404, time.Millisecond, "python")
	request("/own", 500, time.Minute, selfobs.SelfSDK)
	stage := []selfobs.Stage{{Name: "insert rows", Began: began, Took: time.Second}}
	tracer.Batch(selfobs.Batch{Began: began, Took: time.Millisecond, Stages: stage})
	tracer.Batch(selfobs.Batch{Began: began, Took: 2 * time.Second, Stages: stage})
	tracer.Batch(selfobs.Batch{Began: began, Took: 2 * time.Second, Stages: stage, Own: true})
	tracer.Job(jobs.Run{Kind: "erase", Outcome: "done", Began: began, Took: time.Millisecond})
	if err := tracer.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := r.names(), []string{"http /failed", "http /slow", "insert rows", "job erase", "write batch"}; !slices.Equal(got, want) {
		t.Errorf("sent %v, want %v", got, want)
	}
	for _, row := range r.rows {
		if failed := row.Level == "ERROR"; failed != (row.Name == "http /failed") || !row.StartTime.Equal(began.Truncate(time.Microsecond)) && row.StartTime.Sub(began).Abs() > time.Millisecond {
			t.Errorf("%s: level %s, start %s, want %s", row.Name, row.Level, row.StartTime, began)
		}
	}
	if slices.ContainsFunc(r.sdks, func(sdk string) bool { return sdk != selfobs.SelfSDK }) {
		t.Errorf("sent as %v: they would be traced again", r.sdks)
	}
}

// However much goes wrong at once, a few are sent.
func TestWhatIsSentIsBounded(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	tracer := newTracer(t, r, 1)
	for range 1000 {
		tracer.Request(selfobs.Request{Protocol: selfobs.HTTP, Route: "/x", Status: 500, Began: time.Now()})
	}
	if err := tracer.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(r.names()); n < 10 || n > 100 {
		t.Errorf("%d spans were sent", n)
	}
}

func TestNoTracerSendsNothing(t *testing.T) {
	t.Parallel()
	var tracer *selftrace.Tracer
	tracer.Request(selfobs.Request{Status: 500})
	tracer.Batch(selfobs.Batch{Failed: true})
	tracer.Job(jobs.Run{})
	if tracer.Flush(t.Context()) != nil || tracer.Close(t.Context()) != nil {
		t.Error("it fails")
	}
}
