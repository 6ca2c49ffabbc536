package app

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/selfobs"
)

// certificate looks at the files of TLS as clients will.
func (e *examination) certificate(context.Context) {
	if e.TLS.Cert == "" || e.TLS.Key == "" {
		return
	}
	const why = "clients refuse to connect"
	pair, err := tls.LoadX509KeyPair(e.TLS.Cert, e.TLS.Key)
	if err != nil {
		e.note("certificate", "certificate "+e.TLS.Cert, failed(err, "the server does not start with it", "name a certificate in PEM and the private key that belongs to it; see docs/operate/tls.md"))
		return
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		e.note("certificate", "certificate "+e.TLS.Cert, failed(err, why, "renew it"))
		return
	}
	var t *trouble
	switch now := time.Now(); {
	case now.After(leaf.NotAfter):
		t = &trouble{"it expired on " + leaf.NotAfter.UTC().Format(time.RFC1123), why, "renew it and replace the files; no restart is needed"}
	case now.Before(leaf.NotBefore):
		t = &trouble{"it is not valid before " + leaf.NotBefore.UTC().Format(time.RFC1123), why, "see whether the clock of this machine is right"}
	case leaf.NotAfter.Sub(now) < expiresSoon:
		t = &trouble{"it expires on " + leaf.NotAfter.UTC().Format(time.RFC1123), why + " from then on", "renew it and replace the files; no restart is needed"}
	}
	e.note("certificate", "certificate "+e.TLS.Cert, t)
	if u, err := url.Parse(e.PublicURL); err == nil && u.Scheme == "https" {
		err := leaf.VerifyHostname(u.Hostname())
		e.note("certificate-name", "name in the certificate", failed(err, "clients that use --public-url refuse to connect, unless a proxy with another certificate is in front", "have the certificate made for "+u.Hostname()+", or correct --public-url"))
	}
}

// slowLag is from when on a lag is told; it may be a burst, which the rest of the sentence says.
const (
	slowLag     = 15 * time.Second
	slowStalled = 10 * time.Second
)

// server asks the one that works in the data directory.
func (e *examination) server(ctx context.Context) {
	if !e.running {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 3*lookWithin)
	defer cancel()
	e.readiness(ctx)
	e.keys(ctx)
	if e.PublicURL != "" {
		err := answersWell(ctx, e.ConfiguredURL()+"/api/public/health")
		e.note("public-url", "public address "+e.PublicURL, failed(err, "clients do not reach the server, and links in messages lead nowhere", "see --public-url, the name, the proxy and its certificate, as seen from here"))
	}
	if e.MetricsListen != "" {
		e.figures(ctx)
	}
}

// own asks the server on this machine, whose certificate names how others reach it.
func (e *examination) own(ctx context.Context, path string, header http.Header) (status int, body []byte, err error) {
	scheme := "http"
	if e.TLS.Cert != "" {
		scheme = "https"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+loopbackOf(e.Listen)+e.BasePath+path, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	request.Header = header
	client := http.Client{Timeout: lookWithin, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}, //nolint:gosec // it is this machine
	}}
	answer, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	return answer.StatusCode, body, err
}

func (e *examination) readiness(ctx context.Context) {
	status, body, err := e.own(ctx, "/api/public/ready", http.Header{})
	var ready struct{ Status, Reason, Sonde string }
	if err == nil && json.Unmarshal(body, &ready) != nil {
		err = errors.New("what listens on " + e.Listen + " is no sonde")
	}
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s: %s", ready.Status, ready.Reason)
	}
	e.note("ready", "the server is ready", failed(err, "requests fail, and load balancers send them elsewhere", "mend the part that is named; docs/operate/runbook.md has a section for each"))
	if ready.Sonde != "" {
		var t *trouble
		if ready.Sonde != selfobs.Version {
			t = &trouble{"it has version " + ready.Sonde + ", this program " + selfobs.Version, "after an upgrade the old program still runs, and nodes of different versions should not for long", "restart the server, node by node"}
		}
		e.note("version", "version of the server", t)
	}
}

// keys tries the key of the first project, where it is among the settings.
func (e *examination) keys(ctx context.Context) {
	if e.Init.ProjectPublicKey == "" {
		return
	}
	request := http.Request{Header: http.Header{}}
	request.SetBasicAuth(e.Init.ProjectPublicKey, e.Init.ProjectSecretKey.Reveal())
	status, _, err := e.own(ctx, "/api/public/projects", request.Header)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("it is answered with %d", status)
	}
	e.note("key", "key "+e.Init.ProjectPublicKey, failed(err, "clients with this key lose what they send", "init-project-… count at the very first start only: make a key in the project's settings, or use the one that was made then"))
}

// figures reads the server's own metrics.
func (e *examination) figures(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	values, err := scrape(ctx, "http://"+loopbackOf(e.MetricsListen)+"/metrics")
	e.note("metrics", "metrics on "+e.MetricsListen, failed(err, "nobody is told when something goes wrong", "see --metrics-listen; it must be the one the server was started with"))
	if err != nil {
		return
	}
	var t *trouble
	lag, stalled := values["sonde_log_lag_seconds"], values["sonde_writer_stalled_seconds"]
	if lag > slowLag.Seconds() || stalled > slowStalled.Seconds() {
		t = &trouble{fmt.Sprintf("the oldest of %.0f records waits for %.0f s, and nothing of its partition was stored for %.0f s", values["sonde_log_pending_envelopes"], lag, stalled), "what was acknowledged cannot be read yet", "see SondeLag and SondeWriterStalled in docs/operate/runbook.md"}
	}
	e.note("lag", "what was acknowledged is stored", t)
	t = nil
	if letters := values["sonde_log_dead_letters"]; letters > 0 {
		t = &trouble{fmt.Sprintf("there are %.0f", letters), "these records were acknowledged and are not readable", "run `sonde deadletters list`: each names its reason; mend it and redrive"}
	}
	e.note("dead-letters", "dead letters", t)
}

// scrape reads metrics without labels.
func scrape(ctx context.Context, address string) (map[string]float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	values := map[string]float64{}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		if name, text, ok := strings.Cut(lines.Text(), " "); ok {
			if value, err := strconv.ParseFloat(text, 64); err == nil {
				values[name] = value
			}
		}
	}
	return values, lines.Err()
}
