package testkit

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"
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
	// Stop ends the server, as it ends with the test by itself.
	Stop func()

	mu   sync.Mutex
	sent DexPerson
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
	file := filepath.Join(t.TempDir(), "dex.json")
	if err := os.WriteFile(file, settings, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(context.WithoutCancel(t.Context()), builtTool(t, dexProgram, "dex"), file)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatalf("start dex: %v", err)
	}
	d.Stop = sync.OnceFunc(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // says that it was killed
	})
	t.Cleanup(d.Stop)
	if err := awaitOK(t.Context(), d.Issuer+"/healthz"); err != nil {
		d.Stop()
		t.Fatalf("start dex: %v\n%s", err, output.String())
	}
	return d
}

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
		http.Redirect(w, r, r.FormValue("redirect_uri")+"?"+back.Encode(), http.StatusSeeOther)
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

// EnterPassword goes on from an address that leads to dex: it chooses to enter a password, enters it, and
// follows to where that leads.
func (d *DexServer) EnterPassword(t testing.TB, browser *http.Client, start, password string) *http.Response {
	t.Helper()
	form := d.choose(t, browser, start, "local")
	defer form.Body.Close()
	page, err := io.ReadAll(io.LimitReader(form.Body, 1<<20))
	action := dexForm.FindSubmatch(page)
	if err != nil || action == nil {
		t.Fatalf("dex shows no form: %v\n%s", err, page)
	}
	to, err := form.Request.URL.Parse(html.UnescapeString(string(action[1])))
	if err != nil {
		t.Fatal(err)
	}
	return visit(t, browser, http.MethodPost, to.String(), url.Values{"login": {DexEmail}, "password": {password}})
}

// Send goes on from an address that leads to dex: it comes as a person of the service behind it, and follows
// to where that leads.
func (d *DexServer) Send(t testing.TB, browser *http.Client, start string, person DexPerson) *http.Response {
	t.Helper()
	d.mu.Lock()
	d.sent = person
	d.mu.Unlock()
	return d.choose(t, browser, start, "behind")
}

// choose opens dex's first page and takes one of the ways that it offers.
func (d *DexServer) choose(t testing.TB, browser *http.Client, start, way string) *http.Response {
	t.Helper()
	first := visit(t, browser, http.MethodGet, start, nil)
	defer first.Body.Close()
	page, err := io.ReadAll(io.LimitReader(first.Body, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range dexWays.FindAllSubmatch(page, -1) {
		if string(found[2]) == way {
			to, err := first.Request.URL.Parse(html.UnescapeString(string(found[1])))
			if err != nil {
				t.Fatal(err)
			}
			return visit(t, browser, http.MethodGet, to.String(), nil)
		}
	}
	t.Fatalf("dex does not offer to sign in by %s: %s at %s\n%s", way, first.Status, first.Request.URL, page)
	return nil
}

func visit(t testing.TB, browser *http.Client, method, address string, form url.Values) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewBufferString(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := browser.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}
