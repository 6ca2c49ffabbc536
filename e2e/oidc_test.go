package e2e_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/testkit"
)

// TestSignInThroughAProvider starts two nodes while their provider is away, then signs in: one node sends the
// browser away, the other lets it in, and both know who it is.
func TestSignInThroughAProvider(t *testing.T) {
	one, two := newNode(t), newNode(t)
	public := "http://" + two.listen
	dex := testkit.Dex(t, public+"/api/ui/oidc/callback")
	dex.Stop()
	for _, s := range []*server{one, two} {
		s.env = append(s.env, "SONDE_OIDC_CLIENT_SECRET="+dex.ClientSecret)
	}
	one.flags = []string{
		"--role=ingest", "--metadata-url=" + testkit.Postgres(t), "--encryption-key=" + strings.Repeat("5a", 32), "--public-url=" + public,
		"--oidc-issuer=" + dex.Issuer, "--oidc-client-id=" + dex.ClientID, "--oidc-name=Dex",
		"--oidc-allowed-domains=example.com", "--oidc-default-role=VIEWER",
	}
	two.flags = one.flags
	one.start()
	two.start()

	browser := testkit.Browser(t)
	start := "http://" + one.listen + "/api/ui/oidc/start?next=" + url.QueryEscape("/project/first")
	if page := testkit.Visit(t, browser, start); !strings.Contains(page.URL.Query().Get("error"), dex.Issuer+" cannot be reached") {
		t.Errorf("without the provider: sent to %s", page.URL)
	}
	dex.Start(t)
	<-time.After(1500 * time.Millisecond) // who did not answer is asked again after a second
	if page := dex.EnterPassword(t, browser, start, testkit.DexPassword); page.URL.String() != public+"/project/first" {
		t.Errorf("sent to %s\n%s", page.URL, two.said())
	}
	for _, s := range []*server{one, two} {
		var session struct {
			User          struct{ Email, Name string }
			Organizations []struct{ Role string }
			SignIn        struct{ OIDC string }
		}
		page := testkit.Visit(t, browser, "http://"+s.listen+"/api/ui/session")
		if err := json.Unmarshal(page.Body, &session); err != nil {
			t.Fatalf("%v: %s", err, page.Body)
		}
		if session.User.Email != testkit.DexEmail || session.User.Name != testkit.DexName || len(session.Organizations) != 1 ||
			session.Organizations[0].Role != "VIEWER" || session.SignIn.OIDC != "Dex" {
			t.Errorf("signed in as %s", page.Body)
		}
	}

	stranger := testkit.Browser(t)
	page := dex.Send(t, stranger, start, testkit.DexPerson{ID: "7", Email: "eve@evil.example", Verified: true})
	if !strings.Contains(page.URL.Query().Get("error"), "evil.example are not let in here") {
		t.Errorf("a stranger is sent to %s", page.URL)
	}
	for _, s := range []*server{one, two} {
		if strings.Contains(s.said(), dex.ClientSecret) {
			t.Error("the server's log shows the secret")
		}
	}
}
