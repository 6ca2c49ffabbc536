package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// alertReceiver is the target of an alert. While it holds, it takes messages and does not answer.
type alertReceiver struct {
	mu      sync.Mutex
	holding chan struct{} // nil: it answers at once
	arrived chan struct{} // a token for every message that is held
	states  map[string]string
}

func (r *alertReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	var m struct{ ID, State string }
	if json.Unmarshal(body, &m) != nil || m.ID != req.Header.Get("Idempotency-Key") || !strings.HasPrefix(req.Header.Get("Sonde-Signature"), "t=") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	holding := r.holding
	if holding == nil {
		r.states[m.ID] = m.State // what was held is not delivered yet
	}
	r.mu.Unlock()
	if holding != nil {
		r.arrived <- struct{}{}
		select {
		case <-holding:
		case <-req.Context().Done():
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

func (r *alertReceiver) hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.holding = make(chan struct{})
}

func (r *alertReceiver) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.holding != nil {
		close(r.holding)
	}
	r.holding = nil
}

func (r *alertReceiver) got(state string) (count int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.states {
		if s == state {
			count++
		}
	}
	return count
}

func (r *alertReceiver) listen(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(listener) }()
	t.Cleanup(func() {
		r.release()
		_ = server.Close()
		<-served
	})
	return "http://" + listener.Addr().String()
}

// TestAlertsAreToldAfterKill: the server dies between a change of an alert and its delivery, again and again. The
// target gets every change, each under one id.
func TestAlertsAreToldAfterKill(t *testing.T) {
	t.Parallel()
	receiver := &alertReceiver{arrived: make(chan struct{}, 1000), states: map[string]string{}}
	address := receiver.listen(t)
	s := startNode(t, "--outbound-endpoints="+address)
	c := s.client()
	call := func(method, path, body string) map[string]any {
		t.Helper()
		a, err := c.do(method, path, []byte(body), "Content-Type", "application/json")
		if err == nil && a.status != http.StatusCreated {
			err = a.err()
		}
		var got map[string]any
		if err == nil {
			err = json.Unmarshal([]byte(a.body), &got)
		}
		if err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		return got
	}
	target := call("POST", "/api/public/alert-targets", `{"name":"ops","kind":"webhook","address":"`+address+`/hook"}`)
	settings := func(limit int) string {
		return fmt.Sprintf(`{"name":"Rows","query":{"view":"observations","metrics":[{"measure":"count","aggregation":"count"}]},
			"condition":{"kind":"threshold","operator":"<","limit":"%d"},"windowMinutes":60,"everyMinutes":1,"targetIds":["%s"]}`, limit, target["id"])
	}
	receiver.hold()
	made := call("POST", "/api/public/alerts", settings(1)) // fires: there are no rows
	one := fmt.Sprintf("/api/public/alerts/%s", made["id"])
	for i, state := range []string{"firing", "ok", "firing", "ok"} {
		if i > 0 {
			receiver.hold()
			call("PUT", one, settings((i+1)%2)) // no rows: below 1, and not below 0
		}
		receiver.await(t, "the message about "+state+" is under way")
		s.signal(s.pid(), syscall.SIGKILL)
		s.waitExit(time.Minute)
		receiver.release()
		s.start()
		before := i / 2
		eventually(t, 2*time.Minute, "the target knows of "+state, func() error {
			if got := receiver.got(state); got != before+1 {
				return fmt.Errorf("%d messages of %s, want %d", got, state, before+1)
			}
			return nil
		})
	}
	changes, _ := call("GET", one+"/history", "")["data"].([]any)
	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	if len(changes) != 4 || len(receiver.states) != 4 {
		t.Errorf("%d changes and messages under %d ids, want 4 of each", len(changes), len(receiver.states))
	}
}

func (r *alertReceiver) await(t *testing.T, what string) {
	t.Helper()
	select {
	case <-r.arrived:
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s: it did not arrive", what)
	}
}
