package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/testkit"
)

const promptsPath = "/api/public/v2/prompts"

// promptVersion is the part of a version that tests look at.
type promptVersion struct {
	Version int
	Prompt  string
	Labels  []string
}

func (c *client) prompt(method, path, body string, status int) (promptVersion, error) {
	a, err := c.do(method, promptsPath+path, []byte(body))
	if err != nil {
		return promptVersion{}, err
	}
	if a.status != status {
		return promptVersion{}, fmt.Errorf("%s %s: status %d: %s", method, path, a.status, a.body)
	}
	var p promptVersion
	return p, json.Unmarshal([]byte(a.body), &p)
}

// Writers at once on one node with SQLite: versions without gaps or doubles, one of them the latest.
func TestPromptWritersAtOnce(t *testing.T) {
	createAtOnce(t, startServer(t).client())
}

// The same on two nodes with PostgreSQL; and what is changed through one is seen by the other.
func TestPromptsOfTwoNodes(t *testing.T) {
	shared := []string{"--role=ingest", "--eventlog-address=" + startNATS(t), "--metadata-url=" + testkit.Postgres(t), "--encryption-key=" + strings.Repeat("5a", 32)}
	first, second := newNode(t, shared...), newNode(t, shared...)
	for _, s := range []*server{first, second} {
		s.start()
	}
	a, b := first.client(), second.client()
	createAtOnce(t, a, b)
	for i := range 10 {
		want := fmt.Sprintf("change %d", i)
		if _, err := a.prompt(http.MethodPost, "", fmt.Sprintf(`{"name":"shared","prompt":%q,"labels":["production"]}`, want), http.StatusCreated); err != nil {
			t.Fatal(err)
		}
		changed := time.Now()
		if got, err := a.prompt(http.MethodGet, "/shared", "", http.StatusOK); err != nil || got.Prompt != want {
			t.Errorf("the node that changed it shows %q, %v", got.Prompt, err)
		}
		for {
			asked := time.Since(changed)
			got, err := b.prompt(http.MethodGet, "/shared", "", http.StatusOK)
			if err == nil && got.Prompt == want {
				break
			}
			if asked > time.Second {
				t.Fatalf("%s after %q the other node shows %q, %v", asked, want, got.Prompt, err)
			}
		}
	}
}

func createAtOnce(t *testing.T, clients ...*client) {
	t.Helper()
	const writers = 50
	var all sync.WaitGroup
	versions, start := make([]int, writers), make(chan struct{})
	for i := range writers {
		all.Go(func() {
			<-start
			made, err := clients[i%len(clients)].prompt(http.MethodPost, "", fmt.Sprintf(`{"name":"folder/one","prompt":"writer %d","labels":["production"]}`, i), http.StatusCreated)
			if err != nil {
				t.Error(err)
			}
			versions[i] = made.Version
		})
	}
	close(start)
	all.Wait()
	sorted := slices.Sorted(slices.Values(versions))
	for i, version := range sorted {
		if version != i+1 {
			t.Fatalf("versions %v, want 1 to %d", sorted, writers)
		}
	}
	for version := 1; version <= writers; version++ {
		got, err := clients[0].prompt(http.MethodGet, fmt.Sprintf("/folder%%2Fone?version=%d", version), "", http.StatusOK)
		if err != nil {
			t.Fatal(err)
		}
		if writer := fmt.Sprintf("writer %d", slices.Index(versions, version)); got.Prompt != writer {
			t.Errorf("version %d is %q, was made by %q", version, got.Prompt, writer)
		}
		if labels := len(got.Labels); labels > 0 != (version == writers) || version == writers && !slices.Contains(got.Labels, "latest") {
			t.Errorf("version %d has the labels %q", version, got.Labels)
		}
	}
}
