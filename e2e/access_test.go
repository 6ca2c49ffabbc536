package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/testkit"
)

const adminKey = "the-admin-key-of-these-tests"

// wants asks and returns the object of an answer that must have a status.
func (c *client) wants(status int, method, target, body string) map[string]any {
	c.t.Helper()
	a, err := c.do(method, target, []byte(body), "Content-Type", "application/json")
	if err != nil || a.status != status {
		c.t.Fatalf("%s %s: status %d, want %d: %s %v", method, target, a.status, status, a.body, err)
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(a.body), &object); err != nil {
		c.t.Fatalf("%s %s: %v", method, target, err)
	}
	return object
}

// pair is the Authorization of a key that was just made.
func pair(made map[string]any) string {
	return basicAuth(fmt.Sprint(made["publicKey"]), fmt.Sprint(made["secretKey"]))
}

// twoNodes are two servers that share nothing but PostgreSQL, with an organization, which clients of
// both nodes manage, and its project.
func twoNodes(t *testing.T) (one, two *server, organization *client, project string) {
	t.Helper()
	flags := []string{"--role=ingest", "--metadata-url=" + testkit.Postgres(t), "--encryption-key=" + strings.Repeat("5a", 32), "--admin-api-key=" + adminKey}
	one, two = newNode(t, flags...), newNode(t, flags...)
	for _, s := range []*server{one, two} {
		s.launch()
	}
	for _, s := range []*server{one, two} {
		s.awaitReady()
	}
	admin := one.clientWith("Bearer " + adminKey)
	made := admin.wants(201, "POST", "/api/admin/organizations", `{"name":"Acme"}`)
	key := admin.wants(201, "POST", fmt.Sprintf("/api/admin/organizations/%v/apiKeys", made["id"]), `{"name":"terraform"}`)
	organization = one.clientWith(pair(key))
	project = fmt.Sprint(organization.wants(201, "POST", "/api/public/projects", `{"name":"chatbot","retention":0}`)["id"])
	return one, two, organization, project
}

// TestRevokedKeyIsRefusedByAllNodes deletes a key on one node while both are busy with it.
func TestRevokedKeyIsRefusedByAllNodes(t *testing.T) {
	one, two, organization, project := twoNodes(t)
	keys := "/api/public/projects/" + project + "/apiKeys"
	for round := range 3 {
		made := organization.wants(201, "POST", keys, `{"name":"short-lived"}`)
		var (
			mu   sync.Mutex
			last [2]time.Time // when the last request that was let in began
			out  [2]time.Time // when the first that was refused did
			busy sync.WaitGroup
		)
		for i, s := range []*server{one, two} {
			c := s.clientWith(pair(made))
			c.wants(200, "GET", "/api/public/projects", "")
			busy.Go(func() {
				for until := time.Now().Add(30 * time.Second); time.Now().Before(until); {
					began := time.Now()
					a, err := c.do(http.MethodGet, "/api/public/projects", nil)
					mu.Lock()
					switch {
					case err != nil:
						t.Error(err)
					case a.status == http.StatusOK:
						last[i] = began
					case a.status == http.StatusUnauthorized:
						out[i] = began
					default:
						t.Errorf("status %d: %s", a.status, a.body)
					}
					done := err != nil || !out[i].IsZero()
					mu.Unlock()
					if done {
						return
					}
				}
				t.Error("a revoked key is let in for ever")
			})
		}
		pause(300 * time.Millisecond)
		organization.wants(200, "DELETE", keys+"/"+fmt.Sprint(made["id"]), "")
		revoked := time.Now()
		busy.Wait()
		for i := range last {
			if late := last[i].Sub(revoked); late > time.Second {
				t.Errorf("round %d: node %d lets a key in %v after it was revoked", round, i+1, late)
			} else {
				t.Logf("round %d: node %d lets it in for %v", round, i+1, late.Round(time.Millisecond))
			}
		}
	}
}

// TestProjectsHaveKeysWithScopes takes an organization from its first key to a project with three programs.
func TestProjectsHaveKeysWithScopes(t *testing.T) {
	one, two, organization, project := twoNodes(t)
	keys := "/api/public/projects/" + project + "/apiKeys"
	sender := pair(organization.wants(201, "POST", keys, `{"name":"app","scope":"ingest"}`))
	reader := pair(organization.wants(201, "POST", keys, `{"name":"report","scope":"read"}`))
	scorer := pair(organization.wants(201, "POST", keys, `{"name":"judge","scope":"scores"}`))
	const score = `{"traceId":"t","name":"good","value":1}`
	for _, s := range []*server{one, two} {
		for name, c := range map[string]struct {
			key                  string
			sends, scores, reads int
		}{
			"sender":       {sender, 200, 200, 403},
			"reader":       {reader, 403, 403, 200},
			"scorer":       {scorer, 403, 200, 403},
			"organization": {organization.key, 403, 403, 403},
			"nobody":       {"", 401, 401, 401},
		} {
			client := s.clientWith(c.key)
			taken, err := client.export(inJSON(t, newSpans(1)...))
			if err != nil || taken.status != c.sends {
				t.Errorf("%s sends: %d, want %d: %s %v", name, taken.status, c.sends, taken.body, err)
			}
			client.wants(c.scores, "POST", "/api/public/scores", score)
			client.wants(c.reads, "GET", "/api/public/score-configs", "")
		}
	}
	first := one.client() // of another organization
	if got := first.wants(200, "GET", "/api/public/projects", "")["data"].([]any); got[0].(map[string]any)["id"] != projectID {
		t.Errorf("the first project is %v", got)
	}
	for _, row := range organization.wants(200, "GET", keys, "")["apiKeys"].([]any) {
		if key := row.(map[string]any); key["lastUsedAt"] == nil {
			t.Errorf("the use of %v is not known", key["name"])
		}
	}
}
