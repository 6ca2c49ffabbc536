package testkit

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
)

// dexProgram names the environment variable with the dex to start instead of the one that `make dex` builds.
const dexProgram = "SONDE_TEST_DEX"

// The person whom dex itself knows, by a password. The hash is bcrypt's.
const (
	DexEmail    = "ada@example.com"
	DexName     = "Ada"
	DexPassword = "password"
	dexHash     = "$2a$10$2b2cU8CPhOTaGrs1HRQuAueS7JTT5ZHsHSzYiFPm1leZck7Mc8T4W"
)

// DexServer is an OpenID Connect provider of a test, with one client. It knows one person by password, and any
// other through a service behind it that the test plays.
type DexServer struct {
	Issuer, ClientID, ClientSecret string
	file                           string // its settings

	mu   sync.Mutex
	sent DexPerson
	stop func()
}

// DexPerson is somebody whom the service behind dex sends.
type DexPerson struct {
	ID       string   `json:"id"`
	Email    string   `json:"email,omitempty"`
	Verified bool     `json:"email_verified"`
	Name     string   `json:"user_name"`
	Groups   []string `json:"groups"`
}

// Dex starts a provider that lets people come back to the callbacks only.
func Dex(t testing.TB, callbacks ...string) *DexServer {
	t.Helper()
	address := freeAddress(t)
	d := &DexServer{Issuer: "http://" + address + "/dex", ClientID: "sonde", ClientSecret: rand.Text()}
	behind := httptest.NewServer(d.behind())
	t.Cleanup(behind.Close)
	settings, err := json.Marshal(d.settings(address, behind.URL, callbacks))
	if err != nil {
		t.Fatal(err)
	}
	d.file = filepath.Join(t.TempDir(), "dex.json")
	if err := os.WriteFile(d.file, settings, 0o600); err != nil {
		t.Fatal(err)
	}
	d.Start(t)
	return d
}

// Start starts the provider again after Stop, under the same address and with nothing that it remembers.
func (d *DexServer) Start(t testing.TB) {
	t.Helper()
	command := exec.CommandContext(context.WithoutCancel(t.Context()), builtTool(t, dexProgram, "dex"), d.file)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatalf("start dex: %v", err)
	}
	d.stop = sync.OnceFunc(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // says that it was killed
	})
	t.Cleanup(d.stop)
	if err := awaitOK(t.Context(), d.Issuer+"/healthz"); err != nil {
		d.stop()
		t.Fatalf("start dex: %v\n%s", err, output.String())
	}
}

// Stop ends the provider, as it ends with the test by itself.
func (d *DexServer) Stop() { d.stop() }

// settings are those of tools/dex.
func (d *DexServer) settings(address, behind string, callbacks []string) map[string]any {
	type object = map[string]any
	return object{
		"issuer":    d.Issuer,
		"listen":    address,
		"clients":   []any{object{"id": d.ClientID, "secret": d.ClientSecret, "name": "Sonde", "redirectURIs": callbacks}},
		"passwords": []any{object{"email": DexEmail, "hash": []byte(dexHash), "username": DexName, "userID": "ada-1815"}},
		"connectors": []any{object{"type": "oauth", "id": "behind", "name": "Behind", "config": object{
			"clientID": "dex", "clientSecret": "dex", "redirectURI": d.Issuer + "/callback",
			"authorizationURL": behind + "/authorize", "tokenURL": behind + "/token", "userInfoURL": behind + "/person",
		}}},
	}
}

// behind is a service that sends whomever the test wants, without asking.
func (d *DexServer) behind() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		back := url.Values{"code": {"code"}, "state": {r.FormValue("state")}}
		http.Redirect(w, r, d.Issuer+"/callback?"+back.Encode(), http.StatusSeeOther)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"access_token":"token","token_type":"Bearer"}`)
	})
	mux.HandleFunc("/person", func(w http.ResponseWriter, _ *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		_ = json.NewEncoder(w).Encode(d.sent) // a reader who hung up cannot be told
	})
	return mux
}

var (
	dexWays = regexp.MustCompile(`href="([^"]*/auth/(local|behind)\?[^"]*)"`)
	dexForm = regexp.MustCompile(`<form method="post" action="([^"]*)"`)
)

// EnterPassword opens an address that leads to dex, chooses to enter a password there, enters it, and follows to
// where that leads.
func (d *DexServer) EnterPassword(t testing.TB, browser *http.Client, start, password string) Page {
	t.Helper()
	form := d.choose(t, browser, start, "local")
	action := dexForm.FindSubmatch(form.Body)
	if action == nil {
		t.Fatalf("dex shows no form: %d at %s\n%s", form.Status, form.URL, form.Body)
	}
	return visit(t, browser, http.MethodPost, form.link(t, action[1]), url.Values{"login": {DexEmail}, "password": {password}})
}

// Send opens an address that leads to dex, comes as a person of the service behind it, and follows to where
// that leads.
func (d *DexServer) Send(t testing.TB, browser *http.Client, start string, person DexPerson) Page {
	t.Helper()
	d.mu.Lock()
	d.sent = person
	d.mu.Unlock()
	return d.choose(t, browser, start, "behind")
}

// choose opens dex's first page and takes one of the ways that it offers.
func (d *DexServer) choose(t testing.TB, browser *http.Client, start, way string) Page {
	t.Helper()
	first := Visit(t, browser, start)
	for _, found := range dexWays.FindAllSubmatch(first.Body, -1) {
		if string(found[2]) == way {
			return Visit(t, browser, first.link(t, found[1]))
		}
	}
	t.Fatalf("dex does not offer to sign in by %s: %d at %s\n%s", way, first.Status, first.URL, first.Body)
	return Page{}
}
