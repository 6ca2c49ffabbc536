package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/live"
	"github.com/sondehq/sonde/internal/live/livetest"
	"github.com/sondehq/sonde/internal/model"
)

const (
	livePath       = "/api/public/live"
	ingestRequests = "/api/public/ingest-requests"
)

// heard is one event of a stream.
type heard struct {
	ID, Type string
	Data     map[string]any
}

// liveServer is the API behind a real listener, with a reporter that tells.
type liveServer struct {
	*fixture
	url      string
	reporter *live.Reporter
	stopping chan struct{}
}

func newLiveServer(t *testing.T, edits ...func(*api.Config)) *liveServer {
	t.Helper()
	l := &liveServer{reporter: live.NewReporter(livetest.NewNetwork().Node()), stopping: make(chan struct{})}
	l.fixture = newFixture(t, append([]func(*api.Config){func(c *api.Config) { c.Live, c.Stopping = l.reporter, l.stopping }}, edits...)...)
	server := httptest.NewServer(l.bare)
	l.url = server.URL
	ctx, cancel := context.WithCancel(t.Context())
	var telling sync.WaitGroup
	telling.Go(func() { l.reporter.Run(ctx) })
	t.Cleanup(func() { server.CloseClientConnections(); server.Close(); cancel(); telling.Wait() })
	return l
}

// answered is how a stream began.
type answered struct {
	StatusCode int
	Header     http.Header
	hangUp     func()
}

// listen opens a stream and returns its lines as they come; the channel is closed when it ends.
func (l *liveServer) listen(t *testing.T, target, key string, headers ...string) (answered, <-chan string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url+target, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", key)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1000)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(lines)
		defer answer.Body.Close()
		for scanner := bufio.NewScanner(answer.Body); scanner.Scan(); {
			lines <- scanner.Text()
		}
	})
	t.Cleanup(func() { cancel(); reading.Wait() })
	return answered{answer.StatusCode, answer.Header, cancel}, lines
}

// next reads the next event; false when the stream ended.
func next(t *testing.T, lines <-chan string) (e heard, ok bool) {
	t.Helper()
	timer := time.NewTimer(10 * time.Second)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			t.Fatal("no event within 10 s")
		case line, open := <-lines:
			switch name, value, _ := strings.Cut(line, ": "); {
			case !open:
				return e, false
			case line == "" && e.Type != "":
				return e, true
			case name == "id":
				e.ID = value
			case name == "event":
				e.Type = value
			case name == "data":
				if err := json.Unmarshal([]byte(value), &e.Data); err != nil {
					t.Fatalf("%v in %s", err, line)
				}
			}
		}
	}
}

// await skips events until one of a type comes, and returns its data without what changes by the hour.
func await(t *testing.T, lines <-chan string, of string) map[string]any {
	t.Helper()
	for {
		e, ok := next(t, lines)
		if !ok {
			t.Fatalf("the stream ended without %s", of)
		}
		if e.Type == of {
			if _, err := time.Parse("2006-01-02T15:04:05.000Z", fmt.Sprint(e.Data["at"])); err != nil || e.ID == "" {
				t.Errorf("%s has id %q and time %v", of, e.ID, e.Data["at"])
			}
			delete(e.Data, "at")
			return e.Data
		}
	}
}

func (l *liveServer) listenReady(t *testing.T, target, key string, headers ...string) <-chan string {
	t.Helper()
	answer, lines := l.listen(t, target, key, headers...)
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("status %d", answer.StatusCode)
	}
	await(t, lines, "ready")
	return lines
}

func TestStreamTellsWhatHappens(t *testing.T) {
	t.Parallel()
	l := newLiveServer(t)
	l.ingest.answer = ingest.Outcome{Accepted: 3}
	answer, lines := l.listen(t, livePath+"?project=project-a", keyA)
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	await(t, lines, "ready")
	l.send(t, request("POST", traces, keyA, strings.NewReader(jsonSpan("")), "Content-Type", "application/json",
		"x-langfuse-sdk-name", "python", "x-langfuse-sdk-version", "4.2.0"))
	want := map[string]any{"projectId": "project-a", "publicKey": "pk-a", "path": traces, "status": 200.0, "sdkName": "python", "sdkVersion": "4.2.0"}
	if diff := cmp.Diff(want, await(t, lines, "ingest.key_seen")); diff != "" {
		t.Errorf("key_seen (-want +got):\n%s", diff)
	}
	want = map[string]any{"projectId": "project-a", "requests": 1.0, "spans": 3.0, "bytes": float64(len(jsonSpan("")))}
	if diff := cmp.Diff(want, await(t, lines, "ingest.accepted")); diff != "" {
		t.Errorf("accepted (-want +got):\n%s", diff)
	}
	l.reporter.Stored("project-a", 3, 1, []string{"t1", "t2"})
	if diff := cmp.Diff(map[string]any{"projectId": "project-a", "rows": 3.0, "roots": 1.0}, await(t, lines, "row.new")); diff != "" {
		t.Errorf("row.new (-want +got):\n%s", diff)
	}
	want = map[string]any{"projectId": "project-a", "traceIds": []any{"t1", "t2"}, "more": false}
	if diff := cmp.Diff(want, await(t, lines, "trace.updated")); diff != "" {
		t.Errorf("trace.updated (-want +got):\n%s", diff)
	}
}

// Every line that the page for a first trace has must come from what really happened.
func TestStreamSaysWhyNothingArrives(t *testing.T) {
	t.Parallel()
	l := newLiveServer(t, bounded(1000))
	lines := l.listenReady(t, livePath, keyA)
	for name, tt := range map[string]struct {
		method, path, key, contentType, body, encoding string
		outcome                                        ingest.Outcome
		code                                           string
		status                                         float64
		proved                                         bool
	}{
		"wrong secret":   {key: basic("pk-a", "nope"), code: "wrong_secret", status: 401},
		"revoked":        {key: basic("pk-revoked", "nope"), code: "key_not_valid", status: 401},
		"wrong path":     {path: "/api/public/otel/v1/trace", code: "wrong_path", status: 404},
		"bare path":      {path: "/api/public/otel", code: "wrong_path", status: 404},
		"wrong method":   {method: "PUT", code: "wrong_method", status: 405},
		"content type":   {contentType: "text/plain", code: "content_type", status: 400, proved: true},
		"coding":         {encoding: "br", code: "content_encoding", status: 415, proved: true},
		"too large":      {body: strings.Repeat("x", 1001), code: "too_large", status: 413, proved: true},
		"rejected spans": {outcome: ingest.Outcome{Rejected: 2, Reason: "no trace id"}, code: "spans_rejected", status: 200, proved: true},
	} {
		l.ingest.mu.Lock()
		l.ingest.answer = tt.outcome
		l.ingest.mu.Unlock()
		or := func(value, otherwise string) string {
			if value == "" {
				return otherwise
			}
			return value
		}
		a := httptest.NewRecorder()
		l.bare.ServeHTTP(a, request(or(tt.method, "POST"), or(tt.path, traces), or(tt.key, keyA), strings.NewReader(or(tt.body, "{}")),
			"Content-Type", or(tt.contentType, "application/json"), "Content-Encoding", tt.encoding))
		got := await(t, lines, "ingest.rejected")
		if got["code"] != tt.code || got["status"] != tt.status || got["proved"] != tt.proved || got["count"] != 1.0 ||
			got["reason"] == "" || got["path"] != or(tt.path, traces) || got["spans"] != float64(tt.outcome.Rejected) {
			t.Errorf("%s: %d %v", name, a.Code, got)
		}
	}
}

func TestStreamOfOneTrace(t *testing.T) {
	t.Parallel()
	l := newLiveServer(t)
	lines := l.listenReady(t, livePath+"?traceId=t2", keyA)
	l.reporter.Stored("project-a", 1, 1, []string{"t1"})
	l.reporter.Stored("project-a", 1, 1, []string{"t1", "t2"})
	want := heard{Type: "trace.updated", Data: map[string]any{"projectId": "project-a", "traceIds": []any{"t2"}, "more": false}}
	got, _ := next(t, lines)
	delete(got.Data, "at")
	if got.ID = ""; !cmp.Equal(want, got) {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
	}
}

func TestStreamsAreOfOneProject(t *testing.T) {
	t.Parallel()
	l := newLiveServer(t)
	for target, want := range map[string]int{livePath + "?project=project-a": 403, livePath + "?project=project-b": 200, livePath: 200} {
		answer, _ := l.listen(t, target, keyB)
		if answer.StatusCode != want {
			t.Errorf("%s as B: status %d, want %d", target, answer.StatusCode, want)
		}
	}
	lines := l.listenReady(t, livePath, keyB)
	for _, key := range []string{keyA, basic("pk-a", "nope"), basic("pk-lf-nobody", "x"), keyB} {
		l.send(t, request("POST", traces, key, strings.NewReader("?"), "Content-Type", "text/plain"))
	}
	l.reporter.Stored("project-a", 9, 9, []string{"zqx"})
	l.reporter.Stored("project-b", 1, 0, []string{"mine"})
	for range 4 {
		e, ok := next(t, lines)
		if !ok || e.Data["projectId"] != "project-b" {
			t.Errorf("B hears %+v", e)
		}
	}
}

// A key that nobody has may be a secret of another installation: only the operator hears of it, and
// not of all of it.
func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	l := newLiveServer(t)
	operator := []string{"x-langfuse-admin-api-key", adminKey, "x-langfuse-project-id", "project-a"}
	lines, project := l.listenReady(t, livePath, asAdmin, operator...), l.listenReady(t, livePath, keyA)
	for _, public := range []string{"pk-lf-0123456789", "pk-lf-0123456789", "something-else"} {
		l.send(t, request("POST", traces, basic(public, "sk-lf-secret"), nil, "Content-Type", "application/json"))
	}
	got := await(t, lines, "ingest.unknown_key")
	if got["publicKeyPrefix"] != "pk-lf-012345" || got["path"] != traces {
		t.Errorf("%v", got)
	}
	l.reporter.Stored("project-a", 1, 0, nil)
	if e, _ := next(t, project); e.Type != "row.new" {
		t.Errorf("the project hears %+v", e)
	}
	for key, want := range map[string]int{asAdmin: 1, keyA: 0} {
		var headers []string
		if key == asAdmin {
			headers = operator
		}
		a := l.send(t, request("GET", ingestRequests, key, nil, headers...))
		var body struct{ UnknownKeys []map[string]any }
		if err := json.Unmarshal([]byte(a.body), &body); err != nil || len(body.UnknownKeys) != want {
			t.Errorf("%s: %v %s", key, err, a.body)
		}
	}
}

// Who administers the only organization is the operator as far as unknown keys go; of several organizations nobody is.
func TestUnknownKeysOfTheOnlyOrganization(t *testing.T) {
	t.Parallel()
	l := newLiveServer(t)
	for name, role := range map[string]model.Role{"admin": model.Admin, "member": model.Member} {
		addPerson(t, l.tenants, name, "project-a", role)
	}
	admin, member := l.signIn(t, "admin", "project-a"), l.signIn(t, "member", "project-a")
	l.send(t, request("POST", traces, basic("pk-lf-0123456789", "sk-lf-secret"), nil, "Content-Type", "application/json"))
	told := func(b browser) int {
		keys, _ := l.expects(t, 200, b.asks("GET", ingestRequests, ""))["unknownKeys"].([]any)
		return len(keys)
	}
	if n := told(admin); n != 0 {
		t.Errorf("the admin of one organization of several is told of %d unknown keys", n)
	}
	projects, err := l.tenants.Projects(t.Context())
	for _, p := range projects {
		if p.ID != "project-a" {
			err = errors.Join(err, l.tenants.MarkProjectDeleted(t.Context(), p.ID), l.tenants.ForgetProject(t.Context(), p.ID), l.tenants.DeleteOrganization(t.Context(), p.Organization.ID))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if a, m := told(admin), told(member); a != 1 || m != 0 {
		t.Errorf("the admin of the only organization is told of %d unknown keys, a member of %d", a, m)
	}
	_, lines := l.listen(t, livePath, "", "Cookie", "sonde_session="+admin.token, "X-Sonde-Project", "project-a")
	await(t, lines, "ready")
	l.send(t, request("POST", traces, basic("pk-lf-0123456789", "sk-lf-secret"), nil, "Content-Type", "application/json"))
	await(t, lines, "ingest.unknown_key")
}

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	l := newLiveServer(t, func(c *api.Config) { c.LiveLimits.Heartbeat = 10 * time.Millisecond })
	_, lines := l.listen(t, livePath, keyA)
	for beats := 0; beats < 3; {
		select {
		case line := <-lines:
			if line == ": heartbeat" {
				beats++
			}
		case <-time.After(10 * time.Second):
			t.Fatal("no heartbeat")
		}
	}
}

func TestStreamsAreLimited(t *testing.T) {
	t.Parallel()
	l := newLiveServer(t, func(c *api.Config) { c.LiveLimits.PerProject, c.LiveLimits.Streams = 2, 3 })
	first, _ := l.listen(t, livePath, keyA)
	l.listenReady(t, livePath, keyA)
	refused := func(key string, want int) {
		t.Helper()
		answer, _ := l.listen(t, livePath, key)
		if answer.StatusCode != want || answer.Header.Get("Retry-After") == "" {
			t.Errorf("status %d, Retry-After %q, want %d", answer.StatusCode, answer.Header.Get("Retry-After"), want)
		}
	}
	refused(keyA, http.StatusTooManyRequests)
	l.listenReady(t, livePath, keyB)
	refused(keyB, http.StatusServiceUnavailable)
	first.hangUp()
	for end := time.Now().Add(10 * time.Second); ; <-time.After(5 * time.Millisecond) {
		if answer, _ := l.listen(t, livePath, keyA); answer.StatusCode == http.StatusOK {
			break
		}
		if time.Now().After(end) {
			t.Fatal("a stream that ended still counts")
		}
	}
}

func TestStreamsEndWhenTheServerStops(t *testing.T) {
	t.Parallel()
	l := newLiveServer(t)
	lines := l.listenReady(t, livePath, keyA)
	began := time.Now()
	close(l.stopping)
	if e, ok := next(t, lines); ok {
		t.Errorf("heard %+v", e)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("ended after %v", took)
	}
}

// revocable refuses everybody once it is told to, and cannot tell for a while before that.
type revocable struct {
	fakeAuth
	err *atomic.Pointer[error]
}

func (r revocable) Authenticate(ctx context.Context, header string) (auth.Principal, error) {
	if err := r.err.Load(); err != nil {
		return auth.Principal{}, *err
	}
	return r.fakeAuth.Authenticate(ctx, header)
}

func TestRevokedKeyEndsItsStream(t *testing.T) {
	t.Parallel()
	now := revocable{err: &atomic.Pointer[error]{}}
	l := newLiveServer(t, func(c *api.Config) { c.Auth, c.LiveLimits.Recheck = now, 10*time.Millisecond })
	lines := l.listenReady(t, livePath, keyA)
	var away error = fault.Unavailablef("Service Unavailable")
	now.err.Store(&away)
	<-time.After(50 * time.Millisecond)
	l.reporter.Stored("project-a", 1, 0, nil)
	await(t, lines, "row.new")
	var gone error = fault.New(fault.Unauthenticated, "Invalid credentials")
	now.err.Store(&gone)
	if e, ok := next(t, lines); ok {
		t.Errorf("heard %+v", e)
	}
}

// A client that does not read must neither hold up the news nor grow in memory.
func TestSlowListenerIsDropped(t *testing.T) {
	t.Parallel()
	l := newLiveServer(t, func(c *api.Config) { c.LiveLimits.Write = 50 * time.Millisecond })
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(l.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(1 << 10)
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\n\r\n", livePath, keyA); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	ids := make([]string, 100)
	for i := range ids {
		ids[i] = fmt.Sprint(i, strings.Repeat("x", 60_000))
	}
	for end := time.Now().Add(20 * time.Second); l.reporter.Heard("project-a"); <-time.After(10 * time.Millisecond) {
		l.reporter.Stored("project-a", 1, 0, ids)
		if time.Now().After(end) {
			t.Fatal("the stream goes on")
		}
	}
}

func TestIngestRequests(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ingest.answer = ingest.Outcome{Accepted: 2, Rejected: 1, Reason: "no trace id"}
	f.send(t, request("POST", traces, keyA, strings.NewReader(jsonSpan("")), "Content-Type", "application/json",
		"x-langfuse-ingestion-version", "4", "User-Agent", "OTel-OTLP-Exporter-Python/1.30.0 other/1"))
	f.send(t, request("POST", "/api/public/otel/wrong", basic("pk-a", "nope"), nil))
	f.send(t, request("GET", observations, keyA, nil)) // brings nothing in
	f.send(t, request("POST", traces, keyB, strings.NewReader("{}"), "Content-Type", "application/json"))
	f.bury(t, "project-a", "because")
	a := f.get(t, ingestRequests)
	var got struct {
		Data  []map[string]any
		Queue map[string]any
		Nodes int
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || len(got.Data) != 2 || got.Nodes != 1 {
		t.Fatalf("%v: %s", err, a.body)
	}
	for _, row := range got.Data {
		delete(row, "at")
	}
	want := []map[string]any{
		{
			"path": "/api/public/otel/wrong", "method": "POST", "status": 404.0, "code": "wrong_path", "reason": live.WrongPath.Why(""), "bytes": 0.0,
			"spansAccepted": 0.0, "spansRejected": 0.0, "sdkName": nil, "sdkVersion": nil, "ingestionVersion4": false, "publicKey": "pk-a", "proved": false,
		},
		{
			"path": traces, "method": "POST", "status": 200.0, "code": "spans_rejected", "reason": "no trace id", "bytes": float64(len(jsonSpan(""))),
			"spansAccepted": 2.0, "spansRejected": 1.0, "sdkName": "OTel-OTLP-Exporter-Python", "sdkVersion": "1.30.0", "ingestionVersion4": true,
			"publicKey": "pk-a", "proved": true,
		},
	}
	if diff := cmp.Diff(want, got.Data); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Queue["deadLetters"] != 1.0 || got.Queue["deadLettersMore"] != false {
		t.Errorf("queue %v", got.Queue)
	}
}

// addLiveValues gives project A news and views.
func (f *fixture) addLiveValues(t *testing.T, v *foreignValues) {
	t.Helper()
	f.send(t, request("POST", traces, keyA, strings.NewReader("{}"), "Content-Type", "text/zqxsecret"))
	_, made := f.call(t, "POST", savedViewsPath, keyA, `{"tableName":"traces","name":"zqxsecret"}`)
	id := fmt.Sprint(made["id"])
	maps.Copy(v.parameters, map[string][]string{
		"project": {foreignProject}, "tableName": {"traces"},
		"GET " + savedViewsPath + "/{id} id": {id}, "PUT " + savedViewsPath + "/{id} id": {id}, "DELETE " + savedViewsPath + "/{id} id": {id},
	})
	v.bodies["POST "+savedViewsPath] = []string{`{"tableName":"traces","name":"mine"}`}
	v.bodies["PUT "+savedViewsPath+"/{id}"] = []string{`{"name":"mine","state":"","shared":true,"isDefault":false}`}
	f.addDashboardValues(t, v)
	f.addAlertValues(t, v)
}
