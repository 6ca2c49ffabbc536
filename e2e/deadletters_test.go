package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sondehq/sonde/internal/eventlog"
)

// letters asks the program about the dead letters of a running server.
func (s *server) letters(args ...string) result {
	s.t.Helper()
	return run(s.t, environment(s.t), append([]string{"deadletters", "--metrics-listen", s.metrics}, args...)...)
}

// bury puts records that cannot be stored into the log: one of nobody and one of the first project.
func bury(t *testing.T, natsURL string) {
	t.Helper()
	nc, err := nats.Connect(natsURL)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	mine, err := eventlog.Envelope{Kind: eventlog.KindOTLPTraces, ProjectID: projectID, AcceptedAt: time.Now(), Payload: []byte{0x0a, 0xff}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range [][]byte{[]byte("no envelope"), mine} {
		if _, err := nc.Request("sonde.log.0", record, 5*time.Second); err != nil {
			t.Fatal(err)
		}
	}
}

type ownLetter struct {
	ID, ProjectID string
	Redriven      int
}

// ownLetter is the only letter that the first project sees.
func (s *server) ownLetter() ownLetter {
	s.t.Helper()
	var page struct{ Data []ownLetter }
	a, err := s.client().do(http.MethodGet, "/api/public/dead-letters", nil)
	if err == nil {
		err = json.Unmarshal([]byte(a.body), &page)
	}
	if err != nil || len(page.Data) != 1 || page.Data[0].ProjectID != projectID {
		s.t.Fatalf("the project's own letters: %+v, %v", page, err)
	}
	return page.Data[0]
}

// Records that cannot be stored: the operator sees all of them, a project its own. A redriven one
// that fails again comes back; none is lost over a kill -9.
func TestDeadLetters(t *testing.T) {
	url := startNATS(t)
	s := startNode(t, "--eventlog-address="+url)
	bury(t, url)
	s.awaitLetters(2)
	if got := s.letters("list"); got.code != 0 || strings.Count(got.stdout, "\n") != 3 || !strings.Contains(got.stdout, "not a readable envelope") || !strings.Contains(got.stdout, projectID) {
		t.Errorf("list: %+v", got)
	}
	first := s.ownLetter().ID
	if a, err := s.client().do(http.MethodPost, "/api/public/dead-letters/"+first+"/redrive", nil); err != nil || a.status != http.StatusOK {
		t.Fatalf("redrive: %+v, %v", a, err)
	}
	s.awaitLetters(2)
	if again := s.ownLetter(); again.Redriven != 1 || again.ID == first {
		t.Errorf("the letter came back as %+v", again)
	}

	s.signal(s.pid(), syscall.SIGKILL)
	s.waitExit(20 * time.Second)
	s.start()
	s.awaitLetters(2)
	if got := s.letters("redrive", "--all"); got.code != 0 || !strings.HasPrefix(got.stdout, "redriven: 2\n") {
		t.Errorf("redrive all: %+v", got)
	}
	s.awaitLetters(2)
	last := s.ownLetter()
	if last.Redriven != 2 {
		t.Errorf("the letter came back as %+v", last)
	}
	if got := s.letters("show", last.ID); got.code != 0 || !strings.Contains(got.stdout, `"record": "`) {
		t.Errorf("show: %+v", got)
	}
	if got := s.letters("delete", last.ID); got.code != 0 {
		t.Errorf("delete: %+v", got)
	}
	if got := s.letters("delete", last.ID); got.code != 1 || !strings.Contains(got.stderr, "Dead letter not found") {
		t.Errorf("delete again: %+v", got)
	}
	s.awaitLetters(1)
}

// awaitLetters waits until the log is drained and holds that many dead letters.
func (s *server) awaitLetters(want int) {
	s.t.Helper()
	s.drained(20 * time.Second)
	eventually(s.t, 20*time.Second, "the dead letters are there", func() error {
		got, err := s.metric("sonde_log_dead_letters")
		if err == nil && int(got) != want {
			err = fmt.Errorf("%.0f dead letters, want %d", got, want)
		}
		return err
	})
}

func TestDeadLettersWithoutServer(t *testing.T) {
	got := run(t, environment(t), "deadletters", "--metrics-listen", freeAddress(t), "list")
	if got.code != 1 || !strings.Contains(got.stderr, "--metrics-listen") {
		t.Errorf("%+v", got)
	}
}
