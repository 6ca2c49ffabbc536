package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/live"
	"github.com/sondehq/sonde/internal/live/livetest"
)

// running is a reporter that tells, in a bubble.
func running(t *testing.T, test func(t *testing.T, r *live.Reporter)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := live.NewReporter(livetest.NewNetwork().Node())
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { r.Run(ctx) })
		test(t, r)
		cancel()
		group.Wait()
	})
}

func listen(t *testing.T, r *live.Reporter, projectIDs ...string) *live.Stream {
	t.Helper()
	s, err := r.Listen(t.Context(), projectIDs...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// drain returns what came so far, as type and data.
func drain(t *testing.T, s *live.Stream) (list []string) {
	t.Helper()
	synctest.Wait()
	for {
		select {
		case e := <-s.Events():
			var data map[string]any
			if err := json.Unmarshal(e.Data, &data); err != nil {
				t.Fatal(err)
			}
			delete(data, "at")
			delete(data, "projectId")
			text, _ := json.Marshal(data)
			list = append(list, string(e.Type)+" "+string(text))
		default:
			return list
		}
	}
}

func want(t *testing.T, s *live.Stream, events ...string) {
	t.Helper()
	if diff := cmp.Diff(events, drain(t, s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNewsAreGathered(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, r *live.Reporter) {
		s := listen(t, r, "p")
		r.Stored("p", 1, 1, []string{"a"})
		want(t, s, `row.new {"roots":1,"rows":1}`, `trace.updated {"more":false,"traceIds":["a"]}`)
		for range 10 {
			r.Stored("p", 1, 0, []string{"a", "b"})
		}
		want(t, s)
		time.Sleep(250 * time.Millisecond)
		want(t, s, `row.new {"roots":0,"rows":10}`, `trace.updated {"more":false,"traceIds":["a","b"]}`)
		var many []string
		for i := range 150 {
			many = append(many, strconv.Itoa(i))
		}
		r.Stored("p", 0, 0, many)
		time.Sleep(250 * time.Millisecond)
		got := drain(t, s)
		if len(got) != 1 || strings.Count(got[0], `"`) != 2*100+4 || !strings.Contains(got[0], `"more":true`) {
			t.Errorf("a list that is too long: %q", got)
		}
	})
}

func request(id int) live.Request {
	return live.Request{
		ProjectID: "p", At: time.Now().Add(time.Duration(id) * time.Millisecond), Path: fmt.Sprint("/", id), Status: 200, Accepted: 2, Bytes: 10,
		PublicKey: "pk", Proved: true, Ingest: true,
	}
}

func TestKeysAreToldNowAndThen(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, r *live.Reporter) {
		r.Request(request(0)) // nobody hears it
		s := listen(t, r, "p")
		keySeen := `ingest.key_seen {"path":"/1","publicKey":"pk","status":200}`
		accepted := `ingest.accepted {"bytes":10,"requests":1,"spans":2}`
		r.Request(request(1))
		want(t, s, keySeen, accepted)
		time.Sleep(5 * time.Second)
		r.Request(request(1))
		want(t, s, accepted)
		time.Sleep(6 * time.Second)
		r.Request(request(1))
		want(t, s, keySeen, accepted)
		read := request(1)
		read.Ingest, read.PublicKey = false, "another"
		time.Sleep(time.Second)
		r.Request(read)
		want(t, s, `ingest.key_seen {"path":"/1","publicKey":"another","status":200}`)
	})
}

func TestRefusalsAreCountedTogether(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, r *live.Reporter) {
		s := listen(t, r, "p")
		refused := live.Request{ProjectID: "p", Path: "/x", Status: 404, Code: live.WrongPath, Reason: "no", Ingest: true}
		r.Request(refused)
		drain(t, s)
		for i := range 40 {
			refused.Path = fmt.Sprint("/", i%30)
			r.Request(refused)
		}
		time.Sleep(250 * time.Millisecond)
		got := drain(t, s)
		if len(got) != 20 || got[0] != `ingest.rejected {"code":"wrong_path","count":2,"path":"/0","proved":false,"reason":"no","spans":0,"status":404}` {
			t.Errorf("%d events: %q", len(got), got)
		}
	})
}

func TestWhoFallsBehindIsTold(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, r *live.Reporter) {
		s := listen(t, r, "p")
		for range 100 {
			r.Stored("p", 1, 0, nil)
			time.Sleep(250 * time.Millisecond)
		}
		select {
		case <-s.Behind():
		default:
			t.Error("nobody noticed")
		}
	})
}

func TestRequestsAreRemembered(t *testing.T) {
	t.Parallel()
	network := livetest.NewNetwork()
	a, b := live.NewReporter(network.Node()), live.NewReporter(network.Node())
	for i := range 300 {
		on := a
		if i%2 == 1 {
			on = b
		}
		on.Request(request(i))
		foreign := request(i)
		foreign.ProjectID, foreign.Path = "q", "/foreign"
		on.Request(foreign)
	}
	recent, nodes := a.Recent(t.Context(), "p")
	got := recent.Requests()
	if nodes != 2 || len(got) != live.MaxRequests || got[0].Path != "/299" || got[199].Path != "/100" {
		t.Fatalf("%d nodes, %d requests from %s to %s", nodes, len(got), got[0].Path, got[len(got)-1].Path)
	}
	// Whoever knows a public key must not be able to push everything else out.
	for i := range 1000 {
		guess := request(1000 + i)
		guess.Proved, guess.Path = false, "/guess"
		b.Request(guess)
	}
	recent, _ = b.Recent(t.Context(), "p")
	guesses := 0
	for _, one := range recent.Requests() {
		if one.Path == "/guess" {
			guesses++
		}
	}
	if got := recent.Requests(); guesses != live.MaxUnproved || len(got) != live.MaxRequests || got[0].Path != "/guess" {
		t.Errorf("%d guesses of %d requests", guesses, len(got))
	}
}

func TestOldProjectsAreForgotten(t *testing.T) {
	t.Parallel()
	r := live.NewReporter(livetest.NewNetwork().Node())
	for i := range 300 {
		one := request(i)
		one.ProjectID = strconv.Itoa(i)
		r.Request(one)
		r.Request(request(i)) // of p, which therefore stays
	}
	for id, want := range map[string]int{"p": 200, "0": 0, "44": 0, "45": 1, "299": 1} {
		if recent, _ := r.Recent(t.Context(), id); len(recent.Requests()) != want {
			t.Errorf("%d requests of %s, want %d", len(recent.Requests()), id, want)
		}
	}
}

// What clients send is kept short and readable.
func TestTextsAreCut(t *testing.T) {
	t.Parallel()
	r := live.NewReporter(livetest.NewNetwork().Node())
	long := strings.Repeat("ü", 1000) + "\xff"
	r.Request(live.Request{ProjectID: "p", Path: "x" + long, SDKName: long, SDKVersion: "\xff", Reason: long, PublicKey: long, Ingest: true})
	r.Unknown("pk-lf-"+long, long)
	r.Unknown("sk-lf-secret", "/x")
	recent, _ := r.Recent(t.Context(), "p")
	got := recent.Requests()[0]
	if len(got.Path) != 199 || len(got.SDKName) != 100 || got.SDKVersion != "" || len(got.Reason) != 300 || len(got.PublicKey) != 100 {
		t.Errorf("%+v", got)
	}
	if len(recent.Unknown) != 1 || recent.Unknown[0].Prefix != "pk-lf-üüü" {
		t.Errorf("unknown keys %+v", recent.Unknown)
	}
}

func BenchmarkRequest(b *testing.B) {
	r := live.NewReporter(livetest.NewNetwork().Node())
	one := request(1)
	b.ReportAllocs()
	for b.Loop() {
		r.Request(one)
	}
}
