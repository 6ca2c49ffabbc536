package otlpgrpc_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"go.uber.org/goleak"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlpgrpc"
	"github.com/sondehq/sonde/internal/selfobs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	traceMethod   = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
	metricsMethod = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
	logsMethod    = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
)

type fakeAuth struct{}

func (fakeAuth) Authenticate(_ context.Context, header string) (auth.Principal, error) {
	switch header {
	case "Basic good":
		return auth.Principal{Access: auth.Project, Scope: model.ScopeAll, Project: model.Project{ID: "project-a"}}, nil
	case "Basic reads":
		return auth.Principal{Access: auth.Project, Scope: model.ScopeRead, Project: model.Project{ID: "project-a"}}, nil
	case "Basic organization":
		return auth.Principal{Access: auth.Organization, Scope: model.ScopeAll}, nil
	case "Bearer scores":
		return auth.Principal{Access: auth.ScoresOnly, Scope: model.ScopeScores}, nil
	case "down":
		return auth.Principal{}, fault.Unavailablef("Service Unavailable")
	}
	return auth.Principal{}, fault.New(fault.Unauthenticated, "No authorization header")
}

// fixture is a server on a loopback port with one connection to it.
type fixture struct {
	server  *otlpgrpc.Server
	address string
	conn    *grpc.ClientConn

	mu       sync.Mutex
	got      []ingest.Submission
	outcome  ingest.Outcome
	err      error
	observed []int
}

const maxBody = 1 << 20

func newFixture(t testing.TB, edits ...func(*otlpgrpc.Config)) *fixture {
	t.Helper()
	f := &fixture{}
	cfg := otlpgrpc.Config{
		Auth: fakeAuth{}, Traces: f.accept, Logs: f.accept,
		Door: ingest.NewDoor(ingest.Limits{MaxBodyBytes: maxBody}, func(string) error { return nil }, selfobs.NewMetrics()),
		Observe: func(r selfobs.Request) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.observed = append(f.observed, r.Status)
		},
	}
	for _, edit := range edits {
		edit(&cfg)
	}
	f.server = otlpgrpc.New(cfg)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.address = listener.Addr().String()
	served := make(chan error, 1)
	go func() { served <- f.server.Serve(listener) }()
	f.conn, err = grpc.NewClient("passthrough:///"+f.address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := errors.Join(f.conn.Close(), f.server.Stop(ctx), <-served); err != nil {
			t.Error(err)
		}
	})
	return f
}

func (f *fixture) accept(_ context.Context, in ingest.Submission) (ingest.Outcome, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	in.Body = slices.Clone(in.Body)
	f.got = append(f.got, in)
	return f.outcome, f.err
}

// plainCodec is a client's codec for bytes.
type plainCodec struct{}

func (plainCodec) Name() string { return "proto" }
func (plainCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

func (plainCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

var _ encoding.CodecV2 = plainCodec{}

// call sends bytes and returns what came back.
func (f *fixture) call(t testing.TB, method, key string, body []byte, options ...grpc.CallOption) (answer []byte, header metadata.MD, err error) {
	t.Helper()
	ctx := t.Context()
	if key != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", key)
	}
	ctx = metadata.AppendToOutgoingContext(ctx, "x-langfuse-sdk-name", "python", "x_langfuse_sdk_version", "5.0.4")
	options = append(options, grpc.ForceCodecV2(plainCodec{}), grpc.Header(&header))
	err = f.conn.Invoke(ctx, method, body, &answer, options...)
	return answer, header, err
}

func TestExport(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.outcome = ingest.Outcome{Accepted: 1, Receipt: "receipt-1"}
	body := bytes.Repeat([]byte("span"), 10_000)
	for _, coding := range []string{"", "gzip", "zstd", "deflate"} {
		answer, header, err := f.call(t, traceMethod, "Basic good", body, grpc.UseCompressor(coding))
		if err != nil || len(answer) != 0 {
			t.Errorf("%q: answer %q, %v", coding, answer, err)
			continue
		}
		if got := header.Get("x-sonde-receipt"); len(got) != 1 || got[0] != "receipt-1" || len(header.Get("x-request-id")) != 1 {
			t.Errorf("%q: header %v", coding, header)
		}
		in := f.got[len(f.got)-1]
		if !bytes.Equal(in.Body, body) || in.JSON || in.ProjectID != "project-a" || in.SDKName != "python" || in.SDKVersion != "5.0.4" {
			t.Errorf("%q: submission of %d bytes: %s %s %s", coding, len(in.Body), in.ProjectID, in.SDKName, in.SDKVersion)
		}
	}
	if !slices.Equal(f.observed, []int{200, 200, 200, 200}) {
		t.Errorf("observed %v", f.observed)
	}
}

func TestPartialSuccess(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.outcome = ingest.Outcome{Accepted: 1, Rejected: 300, Reason: "no id"}
	answer, _, err := f.call(t, traceMethod, "Basic good", []byte("x"))
	if want := "\x0a\x0a\x08\xac\x02\x12\x05no id"; err != nil || string(answer) != want {
		t.Errorf("answer %q, %v", answer, err)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	packed := func(body []byte) []byte { // a gzip message that gRPC takes for a plain one
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, _ = w.Write(body)
		_ = w.Close()
		return append([]byte{0, 1}, out.Bytes()...)
	}
	for name, c := range map[string]struct {
		key    string
		body   []byte
		err    error
		code   codes.Code
		status int
		text   string
	}{
		"no key":          {"", nil, nil, codes.Unauthenticated, 401, "No authorization header"},
		"reads only":      {"Basic reads", nil, nil, codes.PermissionDenied, 403, "Access denied - insufficient permissions for this endpoint"},
		"organization":    {"Basic organization", nil, nil, codes.PermissionDenied, 403, "Access denied - insufficient permissions for this endpoint"},
		"scores only":     {"Bearer scores", nil, nil, codes.PermissionDenied, 403, "Access denied - insufficient permissions for this endpoint"},
		"keys away":       {"down", nil, nil, codes.Unavailable, 503, "Service Unavailable"},
		"cannot be read":  {"Basic good", nil, fault.New(fault.Invalid, "Failed to parse OTel Protobuf Trace"), codes.InvalidArgument, 400, "Failed to parse OTel Protobuf Trace"},
		"no room":         {"Basic good", nil, fault.Unavailablef("the ingest log is full"), codes.Unavailable, 503, "the ingest log is full"},
		"too much":        {"Basic good", nil, fault.New(fault.Limited, "Rate limit exceeded").After(3 * time.Second), codes.ResourceExhausted, 429, "Rate limit exceeded"},
		"ours":            {"Basic good", nil, errors.New("secret"), codes.Internal, 500, "Internal Server Error"},
		"too large":       {"Basic good", make([]byte, maxBody+100), nil, codes.ResourceExhausted, 413, "larger than max"},
		"just too large":  {"Basic good", make([]byte, maxBody+1), nil, codes.ResourceExhausted, 413, "larger than 1048576 bytes"},
		"bomb":            {"Basic good", packed(make([]byte, 4*maxBody)), nil, codes.ResourceExhausted, 413, "larger than 1048576 bytes"},
		"broken gzip":     {"Basic good", []byte("\x00\x01garbage"), nil, codes.InvalidArgument, 400, "Failed to decompress request body"},
		"just small gzip": {"Basic good", packed(make([]byte, maxBody)), nil, codes.OK, 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.err = c.err
			_, _, err := f.call(t, traceMethod, c.key, c.body)
			st := status.Convert(err)
			if st.Code() != c.code || !strings.Contains(st.Message(), c.text) {
				t.Errorf("got %v", err)
			}
			retry := time.Duration(0)
			for _, detail := range st.Details() {
				if info, ok := detail.(*errdetails.RetryInfo); ok {
					retry = info.GetRetryDelay().AsDuration()
				}
			}
			if want := map[int]time.Duration{503: time.Second, 429: 3 * time.Second}[c.status]; retry != want {
				t.Errorf("retry after %s, want %s", retry, want)
			}
			// The connection survives.
			f.err = nil
			if _, _, err := f.call(t, traceMethod, "Basic good", []byte("next")); err != nil {
				t.Errorf("the next call: %v", err)
			}
			if len(f.observed) != 2 || f.observed[0] != c.status || f.observed[1] != 200 {
				t.Errorf("observed %v, want %d first", f.observed, c.status)
			}
		})
	}
}

func TestOtherServices(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, method := range []string{metricsMethod, logsMethod} {
		if answer, _, err := f.call(t, method, "Basic good", []byte("anything")); err != nil || len(answer) != 0 {
			t.Errorf("%s: %q, %v", method, answer, err)
		}
	}
	if len(f.got) != 1 {
		t.Errorf("%d submissions, want that of logs", len(f.got))
	}
	if _, _, err := f.call(t, "/other.Service/Call", "Basic good", nil); status.Code(err) != codes.Unimplemented {
		t.Errorf("another service: %v", err)
	}
	without := newFixture(t, func(c *otlpgrpc.Config) { c.Logs = nil })
	if _, _, err := without.call(t, logsMethod, "Basic good", nil); status.Code(err) != codes.Unimplemented {
		t.Errorf("logs where there are none: %v", err)
	}
}

func TestIngestionVersion(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for value, want := range map[string]codes.Code{"4": codes.OK, "5": codes.InvalidArgument, "x": codes.InvalidArgument} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Basic good", "x-langfuse-ingestion-version", value)
		var answer []byte
		if err := f.conn.Invoke(ctx, traceMethod, []byte("x"), &answer, grpc.ForceCodecV2(plainCodec{})); status.Code(err) != want {
			t.Errorf("version %s: %v", value, err)
		}
	}
}

func TestPanicIsInternal(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *otlpgrpc.Config) {
		c.Traces = func(context.Context, ingest.Submission) (ingest.Outcome, error) { panic("secret") }
	})
	_, _, err := f.call(t, traceMethod, "Basic good", nil)
	if status.Code(err) != codes.Internal || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

// A client that opens a call and sends no message is let go.
func TestSilentCallEnds(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *otlpgrpc.Config) { c.ReceiveWithin = 50 * time.Millisecond })
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Basic good")
	stream, err := f.conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, traceMethod, grpc.ForceCodecV2(plainCodec{}))
	if err != nil {
		t.Fatal(err)
	}
	var answer []byte
	if err := stream.RecvMsg(&answer); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("got %v", err)
	}
}

// Stop finishes the call in flight and refuses new ones.
func TestGracefulStop(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	f := newFixture(t, func(c *otlpgrpc.Config) {
		c.Traces = func(context.Context, ingest.Submission) (ingest.Outcome, error) {
			close(entered)
			<-release
			return ingest.Outcome{}, nil
		}
	})
	answered := make(chan error, 1)
	go func() { _, _, err := f.call(t, traceMethod, "Basic good", nil); answered <- err }()
	<-entered
	stopped := make(chan error, 1)
	go func() { stopped <- f.server.Stop(t.Context()) }()
	close(release)
	if err := errors.Join(<-answered, <-stopped); err != nil {
		t.Error(err)
	}
}
