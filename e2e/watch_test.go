package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/testkit"
)

// prometheus is a real one that watches a server with the files we ship.
type prometheus struct {
	t       *testing.T
	address string
}

// startPrometheus runs Debian's with our rules and scrape settings; targets are of the jobs sonde and sonde-probe.
func startPrometheus(t *testing.T, targets ...string) *prometheus {
	t.Helper()
	dir := t.TempDir()
	p := &prometheus{t, freeAddress(t)}
	for _, name := range []string{"alerts.yaml", "prometheus.yaml"} {
		text, err := os.ReadFile(filepath.Join("..", "deploy", "prometheus", name))
		if err != nil {
			t.Fatal(err)
		}
		for i, shipped := range []string{"127.0.0.1:9464", "127.0.0.1:9465"} {
			if i < len(targets) {
				text = []byte(strings.ReplaceAll(string(text), `"`+shipped+`"`, `"`+targets[i]+`"`))
			} else {
				text = []byte(strings.ReplaceAll(string(text), `"`+shipped+`"`, ""))
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("prometheus", "--config.file", filepath.Join(dir, "prometheus.yaml"), "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", p.address, "--log.level", "warn")
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatalf("this test needs Prometheus (Debian's package prometheus has it): %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it keeps nothing that anybody wants
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("Prometheus said: %s", said.String())
		}
	})
	return p
}

// firing lists the alerts that fire.
func (p *prometheus) firing() ([]string, error) { return p.alerts("firing") }

// alerts lists those in states that match an expression: firing, or pending, which is before it.
func (p *prometheus) alerts(states string) ([]string, error) {
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, "http://"+p.address+"/api/v1/query?query="+url.QueryEscape(`ALERTS{alertstate=~"`+states+`"} or (up == 1)`), nil)
	if err != nil {
		return nil, err
	}
	response, err := probe.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer struct {
		Data struct {
			Result []struct{ Metric map[string]string }
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, err
	}
	if len(answer.Data.Result) == 0 {
		return nil, errors.New("Prometheus has seen nothing yet")
	}
	var names []string
	for _, series := range answer.Data.Result {
		if name := series.Metric["alertname"]; name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// awaits waits until an alert fires, or does not.
func (p *prometheus) awaits(within time.Duration, alert string, fires bool) time.Duration {
	p.t.Helper()
	return eventually(p.t, within, fmt.Sprintf("%s fires: %t", alert, fires), func() error {
		names, err := p.firing()
		if err == nil && slices.Contains(names, alert) != fires {
			err = fmt.Errorf("what fires is %v", names)
		}
		return err
	})
}

// A real Prometheus tells of an engine that hangs within a minute, and of nothing before.
func TestAlertsFireWithinAMinute(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := startPrometheus(t, s.metrics)
	p.awaits(30*time.Second, "SondeEngineDown", false)
	pause(20 * time.Second) // two rounds of everything
	if names, err := p.firing(); err != nil || len(names) > 0 {
		t.Errorf("a healthy server has the alerts %v, %v", names, err)
	}
	engine := s.engine()
	s.signal(engine, syscall.SIGSTOP)
	t.Cleanup(func() { s.signal(engine, syscall.SIGCONT) })
	t.Logf("the alert fired after %s", p.awaits(time.Minute, "SondeEngineDown", true).Round(time.Second))
	s.signal(engine, syscall.SIGCONT)
	p.awaits(time.Minute, "SondeEngineDown", false)
	s.signal(s.pid(), syscall.SIGKILL)
	s.signal(engine, syscall.SIGKILL)
	t.Logf("the alert fired after %s", p.awaits(time.Minute, "SondeDown", true).Round(time.Second))
}

// unready waits until the server says that it is not ready, and why.
func (s *server) unready(within time.Duration, reason string) {
	s.t.Helper()
	eventually(s.t, within, "the server is not ready: "+reason, func() error {
		a, err := s.client().do(http.MethodGet, "/api/public/ready", nil)
		if err == nil && (a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, `"reason":"`) || !strings.Contains(a.body, reason)) {
			err = fmt.Errorf("status %d: %s", a.status, a.body)
		}
		if err == nil {
			if live, lost := s.look("http://" + s.listen + "/api/public/health"); lost != nil {
				s.t.Errorf("health: %s %v", live, lost)
			}
		}
		return err
	})
}

func TestReadyTellsOfAnEngineThatHangs(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	engine := s.engine()
	s.signal(engine, syscall.SIGSTOP)
	s.unready(20*time.Second, "the trace store does not answer")
	s.signal(engine, syscall.SIGCONT)
	s.awaitReady()
}

func TestReadyTellsOfADiskBelowItsReserve(t *testing.T) {
	t.Parallel()
	s := newServer(t, "--ingest-disk-reserve=1024TiB")
	s.launch()
	s.unready(60*time.Second, "is nearly full")
	reader := newServer(t, "--ingest-disk-reserve=1024TiB", "--role=read", "--engine-address="+testkit.Engine(t))
	reader.start() // who takes nothing in is ready without room
}

func TestReadyTellsOfALogThatIsAway(t *testing.T) {
	t.Parallel()
	nats := natsServer(t)
	s := startServer(t, "--role=ingest", "--eventlog-address="+nats.ClientURL())
	s.client().send(inProtobuf(t, newSpans(1)...))
	nats.Shutdown()
	nats.WaitForShutdown()
	s.unready(20*time.Second, "the ingest log does not answer")
}

// A record that cannot be opened stays, and with it what its partition can show as stored: who writes says so.
func TestReadyTellsOfAWriterThatDoesNotMove(t *testing.T) {
	t.Parallel()
	blobs := t.TempDir()
	shared := []string{"--eventlog-address=" + startNATS(t), "--metadata-url=" + testkit.Postgres(t), "--blob-dir=" + blobs, "--encryption-key=" + strings.Repeat("5a", 32)}
	ingest := startServer(t, append([]string{"--role=ingest"}, shared...)...)
	spans := newSpans(1)
	spans[0].attributes = map[string]string{"langfuse.observation.input": noise(3 << 20)}
	ingest.client().send(inProtobuf(t, spans...))
	large := filepath.Join(blobs, "oversize")
	if err := os.Rename(large, large+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(large, large); err != nil { // a loop: neither there nor known to be gone
		t.Fatal(err)
	}
	write := startServer(t, append([]string{"--role=write", "--engine-address=" + testkit.Engine(t)}, shared...)...)
	write.unready(50*time.Second, "the writer has stored nothing of a partition for")
	if stalled, err := write.metric("sonde_writer_stalled_seconds"); err != nil || stalled < 29 {
		t.Errorf("stalled for %v s, %v", stalled, err)
	}
	if err := errors.Join(os.Remove(large), os.Rename(large+".away", large)); err != nil {
		t.Fatal(err)
	}
	eventually(t, time.Minute, "the writer is ready again", func() error {
		_, err := write.look("http://" + write.listen + "/api/public/ready")
		return err
	})
	write.drained(10 * time.Second)
	if letters, err := write.metric("sonde_log_dead_letters"); err != nil || letters != 0 {
		t.Errorf("%v dead letters, %v", letters, err)
	}
}
