package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// person is a client with a cookie instead of a key.
type person struct {
	*client
	cookie, csrf, id string
}

// asks sends what a page would send and returns the answer, which must have a status.
func (p *person) asks(status int, method, target, body string) answer {
	p.t.Helper()
	headers := []string{"Content-Type", "application/json", "Sec-Fetch-Site", "same-origin", "X-Sonde-Project", projectID}
	if p.cookie != "" {
		headers = append(headers, "Cookie", p.cookie, "X-Sonde-Csrf", p.csrf)
	}
	a, err := p.do(method, target, []byte(body), headers...)
	if err != nil || a.status != status {
		p.t.Fatalf("%s %s: status %d, want %d: %s %v", method, target, a.status, status, a.body, err)
	}
	return a
}

// keeps takes the cookie and the CSRF token of an answer, as a browser and its page do.
func (p *person) keeps(a answer) {
	p.t.Helper()
	cookies := (&http.Response{Header: a.header}).Cookies()
	for _, cookie := range cookies {
		switch cookie.Name {
		case "sonde_session":
			p.cookie = cookie.Name + "=" + cookie.Value
		case "sonde_device": // for the next sign-in: nothing else gets it
			if cookie.Path == "/" {
				p.t.Errorf("cookie %v", cookie)
			}
		default:
			p.t.Errorf("cookie %v", cookie)
		}
	}
	if p.cookie == "" {
		p.t.Fatalf("cookies %v", cookies)
	}
	var session struct {
		CSRFToken string
		User      struct{ ID string }
	}
	if err := json.Unmarshal([]byte(p.asks(200, "GET", "/api/ui/session", "").body), &session); err != nil || session.CSRFToken == "" {
		p.t.Fatalf("session %+v, %v", session, err)
	}
	p.csrf, p.id = session.CSRFToken, session.User.ID
}

// awaits reads until something shows.
func (p *person) awaits(target, wanted string) {
	p.t.Helper()
	eventually(p.t, 30*time.Second, target, func() error {
		if a := p.asks(200, "GET", target, ""); !strings.Contains(a.body, wanted) {
			return fmt.Errorf("no %s in %s", wanted, a.body)
		}
		return nil
	})
}

// TestPeopleSignIn goes the way of a first person: set up, sign in elsewhere, read and write, sign out everywhere.
func TestPeopleSignIn(t *testing.T) {
	s := startServer(t)
	visitor := &person{client: s.clientWith("")}
	if a := visitor.asks(200, "GET", "/api/ui/session", ""); !strings.Contains(a.body, `"setupNeeded":true`) {
		t.Errorf("first visit: %s", a.body)
	}
	const password = "correct horse battery"
	ada := &person{client: s.clientWith("")}
	made := ada.asks(201, "POST", "/api/ui/setup", `{"email":"ada@example.com","name":"Ada","password":"`+password+`","organizationName":"Acme"}`)
	ada.keeps(made)
	var founded struct {
		Project struct{ ID, PublicKey, SecretKey string }
	}
	if err := json.Unmarshal([]byte(made.body), &founded); err != nil || founded.Project.ID != projectID {
		t.Fatalf("set up %s, %v", made.body, err)
	}
	visitor.asks(409, "POST", "/api/ui/setup", `{"email":"eve@example.com","password":"`+password+`"}`)

	// The new key and the one of the first start open the same project, and so does the session.
	app := s.clientWith(basicAuth(founded.Project.PublicKey, founded.Project.SecretKey))
	app.wants(200, "POST", "/api/public/scores", `{"id":"s","traceId":"t","name":"n","value":1}`)
	laptop := &person{client: s.clientWith("")}
	laptop.asks(401, "POST", "/api/ui/session", `{"email":"ada@example.com","password":"wrong"}`)
	laptop.keeps(laptop.asks(200, "POST", "/api/ui/session", `{"email":"ada@example.com","password":"`+password+`"}`))
	laptop.awaits("/api/public/v3/scores?id=s", `"id":"s"`)
	laptop.asks(200, "POST", "/api/public/scores", `{"id":"mine","traceId":"t","name":"n","value":1}`)
	laptop.awaits("/api/public/v3/scores?authorUserId="+laptop.id, `"id":"mine"`)
	visitor.asks(401, "GET", "/api/public/v3/scores", "")

	laptop.asks(204, "DELETE", "/api/ui/sessions", "")
	ada.asks(401, "GET", "/api/public/v3/scores", "")
	laptop.asks(401, "GET", "/api/public/v3/scores", "")

	// What is kept is enough for the next start, and the command that makes a new password ends sessions.
	ada.keeps((&person{client: ada.client}).asks(200, "POST", "/api/ui/session", `{"email":"ada@example.com","password":"`+password+`"}`))
	s.restart()
	ada.asks(200, "GET", "/api/public/v3/scores", "")
	if r := run(t, environment(t), "user", s.metadataFlag(), "reset-password", "ada@example.com"); r.code != 0 {
		t.Fatalf("reset-password: %+v", r)
	}
	ada.asks(401, "GET", "/api/public/v3/scores", "")
}
