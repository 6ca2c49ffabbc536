package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func probeEnvironment(t *testing.T, address string) []string {
	t.Helper()
	return environment(t, "SONDE_PROBE_URL="+address, "SONDE_PROBE_PUBLIC_KEY="+publicKey, "SONDE_PROBE_SECRET_KEY="+secretKey)
}

// One round tells by its exit code whether what a client sends comes back, in time and as it was.
func TestProbeOnce(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	address := "http://" + s.listen
	if got := run(t, probeEnvironment(t, address), "probe", "--once"); got.code != 0 || !strings.Contains(got.stdout, "ok: acknowledged after ") {
		t.Errorf("a healthy server: %+v", got)
	}
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	forger := httptest.NewServer(&httputil.ReverseProxy{ // between the probe and the server, as one that breaks content
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Header.Del("Accept-Encoding") },
		ModifyResponse: func(answer *http.Response) error {
			if strings.HasPrefix(answer.Request.URL.Path, observationsPath) {
				return replaceBody(answer, `"answer `, `"ANSWER `)
			}
			return nil
		},
	})
	defer forger.Close()
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"wrong secret":      {append(probeEnvironment(t, address), "SONDE_PROBE_SECRET_KEY=sk-lf-wrong"), "refused: the trace is not acknowledged: 401"},
		"nobody there":      {probeEnvironment(t, "http://"+freeAddress(t)), "refused: "},
		"no key":            {append(probeEnvironment(t, address), "SONDE_PROBE_SECRET_KEY="), "a probe needs the key of a project"},
		"different content": {probeEnvironment(t, forger.URL), "different: what is read is not what was sent: observation"},
	} {
		if got := run(t, c.env, "probe", "--once"); got.code != 1 || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s: want %q, got %+v", name, c.want, got)
		}
	}
	engine := s.engine()
	s.signal(engine, syscall.SIGSTOP)
	got := run(t, probeEnvironment(t, address), "probe", "--once", "--within=1s")
	s.signal(engine, syscall.SIGCONT)
	if got.code != 1 || !strings.Contains(got.stderr, "missing: not readable within 1s") {
		t.Errorf("an engine that hangs: %+v", got)
	}
}

// A probe as a service shows how rounds end, and a Prometheus with our rules tells when they fail.
func TestProbeAsAService(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	var refusing atomic.Bool
	target, err := url.Parse("http://" + s.listen)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusing.Load() {
			http.Error(w, "no", http.StatusBadGateway)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer between.Close()
	listen := freeAddress(t)
	cmd := exec.Command(program(t), "probe", "--every=1s", "--listen="+listen)
	cmd.Env = probeEnvironment(t, between.URL)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	shown := &server{t: t, metrics: listen}
	round := func(outcome string) func() error {
		return func() error {
			n, err := shown.metric(`sonde_probe_rounds_total{outcome="` + outcome + `"}`)
			if err == nil && n < 2 {
				err = fmt.Errorf("%.0f rounds are %s", n, outcome)
			}
			return err
		}
	}
	eventually(t, 30*time.Second, "rounds succeed", round("ok"))
	if success, err := shown.metric("sonde_probe_success"); err != nil || success != 1 {
		t.Errorf("success is %v, %v", success, err)
	}
	p := startPrometheus(t, s.metrics, listen)
	p.awaits(40*time.Second, "SondeProbeFails", false)
	refusing.Store(true)
	eventually(t, 20*time.Second, "rounds fail", round("refused"))
	t.Logf("the alert fired after %s", p.awaits(time.Minute, "SondeProbeFails", true).Round(time.Second))
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the probe ended with %v: %s", err, said.String())
	}
}

// replaceBody changes every occurrence of a text in an answer.
func replaceBody(answer *http.Response, before, after string) error {
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	changed := strings.ReplaceAll(string(text), before, after)
	answer.Body = io.NopCloser(strings.NewReader(changed))
	answer.ContentLength = int64(len(changed))
	answer.Header.Set("Content-Length", strconv.Itoa(len(changed)))
	return nil
}
