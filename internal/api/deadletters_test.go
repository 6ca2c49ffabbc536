package api_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/eventlog"
)

const letters = "/api/public/dead-letters"

// bury makes a dead letter of a project; of none when it is empty.
func (f *fixture) bury(t *testing.T, project, reason string) (record []byte) {
	t.Helper()
	record = []byte("no envelope")
	if project != "" {
		var err error
		record, err = eventlog.Envelope{Kind: eventlog.KindOTLPTraces, ProjectID: project, AcceptedAt: noon, Payload: []byte("spans")}.Encode()
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.log.Append(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	for _, d := range f.deliveries(t) {
		if err := f.log.Bury(t.Context(), d, reason); err != nil {
			t.Fatal(err)
		}
	}
	return record
}

func (f *fixture) deliveries(t *testing.T) []eventlog.Delivery {
	t.Helper()
	got, err := f.log.Fetch(t.Context(), 0, 100, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestDeadLetters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if a := f.get(t, letters); a.status != http.StatusOK || a.body != `{"data":[],"meta":{}}`+"\n" {
		t.Errorf("none: status %d, body %s", a.status, a.body)
	}
	f.bury(t, "project-a", "first")
	f.bury(t, "project-b", "of B")
	f.bury(t, "", "of nobody")
	f.bury(t, "project-a", "second")
	record := f.bury(t, "project-a", "third")

	page := decodePage(t, f.get(t, letters+"?limit=2"))
	if got := []any{page.Data[0]["reason"], page.Data[1]["reason"], page.Meta["cursor"]}; !slices.Equal(got, []any{"third", "second", "4"}) {
		t.Errorf("first page: %v", got)
	}
	page = decodePage(t, f.get(t, letters+"?limit=2&cursor="+page.Meta["cursor"]))
	if len(page.Data) != 1 || page.Data[0]["reason"] != "first" || page.Meta["cursor"] != "" {
		t.Errorf("last page: %v", page)
	}
	a := f.get(t, letters+"/5")
	var letter map[string]any
	if err := json.Unmarshal([]byte(a.body), &letter); err != nil || a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	delete(letter, "buriedAt")
	want := map[string]any{
		"id": "5", "projectId": "project-a", "kind": "otlp-traces", "reason": "third", "bytes": float64(len(record)), "redriven": 0.0,
		"position": map[string]any{"partition": 0.0, "sequence": 5.0}, "origin": map[string]any{"partition": 0.0, "sequence": 5.0},
		"record": base64.StdEncoding.EncodeToString(record),
	}
	if diff := cmp.Diff(want, letter); diff != "" {
		t.Errorf("letter (-want +got):\n%s", diff)
	}
	for _, query := range []string{"limit=0", "limit=101", "limit=x", "cursor=x", "cursor=0", "cursor=-1", "cursor=1&cursor=2"} {
		if a := f.get(t, letters+"?"+query); a.status != http.StatusBadRequest {
			t.Errorf("%s: status %d, body %s", query, a.status, a.body)
		}
	}
}

func TestRedriveAndDeleteLetters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	record := f.bury(t, "project-a", "bad")
	f.bury(t, "project-a", "worse")
	a := f.send(t, request("POST", letters+"/1/redrive", keyA, nil))
	if want := `{"id":"1","position":{"partition":0,"sequence":3}}` + "\n"; a.status != http.StatusOK || a.body != want {
		t.Errorf("redrive: status %d, body %s", a.status, a.body)
	}
	if got := f.deliveries(t); len(got) != 1 || string(got[0].Record()) != string(record) {
		t.Errorf("%d records came", len(got))
	}
	if a := f.send(t, request("DELETE", letters+"/2", keyA, nil)); a.status != http.StatusOK {
		t.Errorf("delete: status %d, body %s", a.status, a.body)
	}
	for _, r := range []*http.Request{
		request("POST", letters+"/1/redrive", keyA, nil), request("DELETE", letters+"/2", keyA, nil), request("GET", letters+"/2", keyA, nil),
	} {
		if a := f.send(t, r); a.status != http.StatusNotFound {
			t.Errorf("%s %s again: status %d", r.Method, r.URL, a.status)
		}
	}
}

// Letters of another project, and of none, are not there for whoever asks.
func TestForeignLetters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.bury(t, "project-a", "of A")
	f.bury(t, "", "of nobody")
	const want = `{"message":"Dead letter not found","error":"LangfuseNotFoundError"}` + "\n"
	for _, id := range []string{"1", "2", "3", "0", "x", "-1", "99999999999999999999"} {
		for _, r := range []*http.Request{
			request("GET", letters+"/"+id, keyB, nil), request("DELETE", letters+"/"+id, keyB, nil), request("POST", letters+"/"+id+"/redrive", keyB, nil),
		} {
			if a := f.send(t, r); a.status != http.StatusNotFound || a.body != want {
				t.Errorf("%s %s: status %d, body %s", r.Method, r.URL, a.status, a.body)
			}
		}
	}
	if page := decodePage(t, f.send(t, request("GET", letters, keyB, nil))); len(page.Data) != 0 {
		t.Errorf("B sees %v", page.Data)
	}
	if status, err := f.log.Status(t.Context()); err != nil || status.DeadLetters != 2 || status.Pending != 0 {
		t.Errorf("status %+v, %v", status, err)
	}
}

// operate asks the operator's listener from an address of its machine.
func operate(f *fixture, method, target string, edits ...func(*http.Request)) answer {
	r := httptest.NewRequestWithContext(context.Background(), method, target, nil)
	r.RemoteAddr, r.Host = "127.0.0.1:5555", "127.0.0.1:9464"
	for _, edit := range edits {
		edit(r)
	}
	recorder := httptest.NewRecorder()
	api.NewOperator(f.log, slog.New(slog.DiscardHandler)).ServeHTTP(recorder, r)
	return answer{recorder.Code, recorder.Header(), recorder.Body.String()}
}

func TestOperatorSeesAllLetters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 250 {
		f.bury(t, []string{"project-a", "project-b", ""}[i%3], strconv.Itoa(i))
	}
	if page := decodePage(t, operate(f, "GET", "/dead-letters?limit=3")); len(page.Data) != 3 || page.Data[0]["projectId"] != "project-a" || page.Data[1]["projectId"] != nil {
		t.Errorf("page %v", page.Data)
	}
	if a := operate(f, "GET", "/dead-letters/3"); a.status != http.StatusOK || !strings.Contains(a.body, `"record":"bm8gZW52ZWxvcGU="`) {
		t.Errorf("an unreadable one: status %d, body %s", a.status, a.body)
	}
	if a := operate(f, "DELETE", "/dead-letters/3"); a.status != http.StatusOK {
		t.Errorf("delete: status %d, body %s", a.status, a.body)
	}
	if a := operate(f, "POST", "/dead-letters/1/redrive"); a.status != http.StatusOK {
		t.Errorf("redrive: status %d, body %s", a.status, a.body)
	}
	if a := operate(f, "POST", "/dead-letters/redrive"); a.status != http.StatusOK || a.body != `{"redriven":248,"kept":0}`+"\n" {
		t.Errorf("redrive all: status %d, body %s", a.status, a.body)
	}
	if status, err := f.log.Status(t.Context()); err != nil || status.DeadLetters != 0 || status.Pending != 249 {
		t.Errorf("status %+v, %v", status, err)
	}
	for _, target := range []string{"/dead-letters/3", "/dead-letters/x"} {
		if a := operate(f, "GET", target); a.status != http.StatusNotFound {
			t.Errorf("%s: status %d", target, a.status)
		}
	}
}

func TestOperatorIsLocal(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.bury(t, "project-a", "bad")
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for name, edit := range map[string]func(*http.Request){
		"another machine":                func(r *http.Request) { r.RemoteAddr = "10.0.0.7:5555" },
		"a name that points at loopback": func(r *http.Request) { r.Host = "evil.example:9464" },
		"a page":                         header("Origin", "https://evil.example"),
		"a page without origin":          header("Sec-Fetch-Site", "cross-site"),
	} {
		for _, c := range []struct{ method, target string }{
			{"GET", "/dead-letters"}, {"GET", "/dead-letters/1"}, {"POST", "/dead-letters/redrive"}, {"POST", "/dead-letters/1/redrive"}, {"DELETE", "/dead-letters/1"},
		} {
			if a := operate(f, c.method, c.target, edit); a.status != http.StatusForbidden {
				t.Errorf("%s: %s %s: status %d, body %s", name, c.method, c.target, a.status, a.body)
			}
		}
	}
	for name, edit := range map[string]func(*http.Request){
		"IPv6":      func(r *http.Request) { r.RemoteAddr, r.Host = "[::1]:5555", "[::1]:9464" },
		"localhost": func(r *http.Request) { r.Host = "localhost:9464" },
	} {
		if a := operate(f, "GET", "/dead-letters/1", edit); a.status != http.StatusOK {
			t.Errorf("%s: status %d, body %s", name, a.status, a.body)
		}
	}
}
