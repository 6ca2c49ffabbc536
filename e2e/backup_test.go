package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/testkit"
)

// post sends JSON that must be taken.
func (c *client) post(path, text string) {
	c.t.Helper()
	a, err := c.do(http.MethodPost, path, []byte(text), "Content-Type", "application/json")
	if err != nil || a.status >= 300 {
		c.t.Fatalf("POST %s: %d %s, %v", path, a.status, a.body, err)
	}
}

// seedEverything stores something behind every route, and returns the receipt of an export.
func seedEverything(c *client) (receipt string) {
	c.t.Helper()
	spans := newSpans(40)
	spans[1].attributes = map[string]string{
		"langfuse.observation.type": "generation", "langfuse.observation.model.name": "house-model", "langfuse.user.id": "user 1", "langfuse.session.id": "session 1",
		"langfuse.observation.input":  `{"image":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}`,
		"langfuse.observation.output": "ünïcode \u2028 \"quoted\"", "langfuse.observation.usage_details": `{"input":10,"output":20}`,
	}
	spans[2].attributes = map[string]string{"langfuse.observation.input": strings.Repeat("a long conversation ", 80_000)} // larger than a record
	spans[3].attributes = map[string]string{"langfuse.experiment.id": "e1", "langfuse.experiment.name": "one", "langfuse.experiment.dataset.id": "d1", "langfuse.experiment.item.id": "i1", "langfuse.experiment.item.root_observation_id": spans[3].id}
	c.post("/api/public/models", `{"modelName":"house-model","matchPattern":"(?i)^house-model$","unit":"TOKENS","inputPrice":0.001,"outputPrice":0.002}`)
	c.post("/api/public/score-configs", `{"name":"tone","dataType":"CATEGORICAL","categories":[{"label":"kind","value":1}]}`)
	c.post("/api/public/score-configs", `{"name":"share","dataType":"NUMERIC","minValue":0,"maxValue":1}`)
	a, err := c.export(inProtobuf(c.t, spans...))
	if err != nil || a.status != http.StatusOK {
		c.t.Fatalf("export: %v %v", a, err)
	}
	for i := range 20 {
		c.post("/api/public/scores", fmt.Sprintf(`{"id":"score-%d","traceId":%q,"name":"accuracy","value":%g,"metadata":{"a":{"b":1}}}`, i, spans[0].trace, float64(i)/3))
	}
	c.post("/api/public/ingestion", `{"batch":[{"id":"e1","type":"trace-create","timestamp":"2026-05-01T10:00:05Z","body":{"id":"legacy","name":"by event","timestamp":"2026-05-01T10:00:05Z","input":"x"}}]}`)
	if _, err := c.do(http.MethodDelete, "/api/public/scores/score-7", nil); err != nil {
		c.t.Fatal(err)
	}
	return a.header.Get("X-Sonde-Receipt")
}

// volatile is what may differ between two servers with the same data: sealed addresses, last uses, clocks.
var volatile = regexp.MustCompile(`"(url|urlExpiry|lastUsedAt|cursor|time|timestamp_now)":("[^"]*"|null)`)

// isOfOneServer is true of what a server knows only while it runs, and of who has signed in there.
func isOfOneServer(path string) bool {
	return path == "/api/public/live" || path == "/api/public/ingest-requests" || strings.HasPrefix(path, "/api/ui/")
}

// everyAnswer asks every GET of the description that needs no value of its own, then those that name one thing by
// the ids and names of the lists above them.
func everyAnswer(c *client, more ...string) map[string]string {
	c.t.Helper()
	var described struct {
		Paths map[string]map[string]any `yaml:"paths"`
	}
	if err := yaml.Unmarshal(api.Description(""), &described); err != nil {
		c.t.Fatal(err)
	}
	answers := map[string]string{}
	ask := func(target string) string {
		a, err := c.do(http.MethodGet, target, nil)
		if err != nil {
			c.t.Fatalf("GET %s: %v", target, err)
		}
		answers[target] = fmt.Sprintf("%d %s", a.status, volatile.ReplaceAllString(a.body, `"$1":""`))
		return a.body
	}
	for _, target := range more {
		ask(target)
	}
	paths := slices.Sorted(maps.Keys(described.Paths))
	named := map[string][]string{}
	for _, path := range paths {
		if _, get := described.Paths[path]["get"]; !get || strings.Contains(path, "{") || strings.Contains(path, "openapi") || strings.Contains(path, "/jobs") || isOfOneServer(path) {
			continue
		}
		named[path] = namesIn(ask(path))
	}
	for _, path := range paths {
		list, _, one := strings.Cut(path, "/{")
		if _, get := described.Paths[path]["get"]; !get || !one || strings.Count(path, "{") > 1 || isOfOneServer(path) {
			continue
		}
		for _, name := range named[list] {
			ask(list + "/" + url.PathEscape(name) + path[strings.Index(path, "}")+1:])
		}
	}
	return answers
}

// namesIn are the ids and names of a list's things.
func namesIn(body string) (names []string) {
	var list struct {
		Data []struct{ ID, Name string }
	}
	if json.Unmarshal([]byte(body), &list) != nil {
		return nil
	}
	for _, thing := range list.Data {
		for _, name := range []string{thing.ID, thing.Name} {
			if name != "" && len(names) < 20 {
				names = append(names, name)
			}
		}
	}
	return names
}

// restoreInto makes a server of a backup.
func restoreInto(t *testing.T, args ...string) (*server, result) {
	t.Helper()
	s := newNode(t)
	r := run(t, environment(t), append([]string{"restore", "--data-dir", s.dir}, args...)...)
	return s, r
}

func backUp(t *testing.T, s *server, args ...string) result {
	t.Helper()
	return run(t, environment(t), append([]string{"backup", "--data-dir", s.dir}, args...)...)
}

func TestRestoredServerAnswersTheSame(t *testing.T) {
	t.Parallel()
	s := startNode(t)
	c := s.client()
	receipt := seedEverything(c)
	s.drained(30 * time.Second)
	busy := s.addProject("busy")
	traffic := startLoad(t, busy, 2)
	pause(time.Second)
	traffic.mu.Lock()
	acknowledged := slices.Clone(traffic.taken)
	traffic.mu.Unlock()
	s.signal(s.engine(), 19) // SIGSTOP: what is sent now stays in the log for a while
	fresh := newSpans(50)
	busy.send(inProtobuf(t, fresh...))
	acknowledged = append(acknowledged, fresh...)
	to := filepath.Join(t.TempDir(), "backup")
	done := make(chan result)
	go func() { done <- backUp(t, s, "--to", to) }()
	pause(500 * time.Millisecond)
	s.signal(s.engine(), 18) // SIGCONT
	made := <-done
	if made.code != 0 || !strings.Contains(made.stdout, "backed up to") {
		t.Fatalf("backup: %+v", made)
	}
	traffic.end()
	media := mediaOf(c)
	more := []string{
		"/api/public/media/" + media, "/api/public/receipts/" + receipt,
		observationsPath + "?limit=100&fields=" + everyGroup,
		"/api/public/v3/scores?limit=100&fields=details,subject,annotation",
		"/api/public/facets?field=name", "/api/public/v2/metrics?query=" + url.QueryEscape(`{"view":"observations","metrics":[{"measure":"count","aggregation":"count"}],"dimensions":[{"field":"name"}],"fromTimestamp":"2020-01-01T00:00:00Z","toTimestamp":"2100-01-01T00:00:00Z"}`),
	}
	want := everyAnswer(c, more...)

	restored, r := restoreInto(t, "--from", to)
	if r.code != 0 {
		t.Fatalf("restore: %+v", r)
	}
	restored.start()
	restored.drained(30 * time.Second)
	again := restored.client()
	got := everyAnswer(again, more...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	useful := 0
	for _, text := range got {
		if strings.HasPrefix(text, "200") {
			useful++
		}
	}
	if useful < 20 || !strings.Contains(got[more[1]], `"stored"`) {
		t.Errorf("only %d answers show something; the receipt says %s", useful, got[more[1]])
	}
	rows, err := restored.clientWith(busy.key).walk(nil, 1000)
	if err == nil {
		err = holds(rows, acknowledged)
	}
	if err != nil {
		t.Errorf("of another project, under load: %v", err)
	}
	content := func(c *client) string {
		a, err := c.do(http.MethodGet, "/api/public/media/"+media, nil)
		if err != nil {
			t.Fatal(err)
		}
		var m struct{ URL string }
		if err := json.Unmarshal([]byte(a.body), &m); err != nil {
			t.Fatal(err)
		}
		text, err := s.look(m.URL)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if content(c) != content(again) || len(content(again)) == 0 {
		t.Error("the media's bytes differ")
	}
	// What comes after the restore is taken as ever.
	later := newSpans(5)
	again.send(inProtobuf(t, later...))
	restored.drained(30 * time.Second)
}

// mediaOf is the id of the first media that an observation refers to.
func mediaOf(c *client) string {
	c.t.Helper()
	a, err := c.do(http.MethodGet, observationsPath+"?limit=100&fields=core,io", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	found := regexp.MustCompile(`id=([A-Za-z0-9_-]+)`).FindStringSubmatch(a.body)
	if found == nil {
		c.t.Fatalf("no media in %.300s", a.body)
	}
	return found[1]
}

// holds says which of the spans are missing.
func holds(rows []row, spans []span) error {
	there := map[string]bool{}
	for _, r := range rows {
		there[r.key()] = true
	}
	missing := 0
	for _, s := range spans {
		if !there[s.key()] {
			missing++
		}
	}
	if missing > 0 {
		return fmt.Errorf("%d of %d acknowledged spans are missing", missing, len(spans))
	}
	return nil
}

func TestBackupToS3AndDeletesAfterIt(t *testing.T) {
	t.Parallel()
	bucket := testkit.S3(t)
	at := []string{"--s3-endpoint", bucket.Endpoint, "--s3-region", bucket.Region, "--s3-access-key", bucket.AccessKey, "--s3-secret-key", bucket.SecretKey, "--s3-path-style"}
	place := "s3://" + bucket.Bucket + "/nightly/1"
	s := startNode(t)
	c := s.client()
	seedEverything(c)
	s.drained(30 * time.Second)
	if err := os.WriteFile(filepath.Join(s.dir, "encryption.key"), []byte("not a real one"), 0o600); err != nil {
		t.Fatal(err)
	}
	made := backUp(t, s, append(at, "--to", place)...)
	if made.code != 0 || !strings.Contains(made.stderr, "encryption.key") {
		t.Fatalf("backup: %+v", made)
	}
	if again := backUp(t, s, append(at, "--to", place)...); again.code == 0 || !strings.Contains(again.stderr, "already") {
		t.Errorf("a second backup in the same place: %+v", again)
	}
	if _, err := c.do(http.MethodDelete, "/api/public/scores/score-3", nil); err != nil {
		t.Fatal(err)
	}
	scores := func(c *client) string {
		a, err := c.do(http.MethodGet, "/api/public/v3/scores?limit=100", nil)
		if err != nil {
			t.Fatal(err)
		}
		return a.body
	}
	eventually(t, 30*time.Second, "the score is gone", func() error {
		if strings.Contains(scores(c), `"score-3"`) {
			return errors.New("it is there")
		}
		return nil
	})
	deletes := "s3://" + bucket.Bucket + "/deletes"
	if made := backUp(t, s, append(at, "--to", deletes, "--deletes-only")...); made.code != 0 {
		t.Fatalf("backup of deletes: %+v", made)
	}
	restored, r := restoreInto(t, append(at, "--from", place, "--deletes", deletes)...)
	if r.code != 0 {
		t.Fatalf("restore: %+v", r)
	}
	if _, err := os.Stat(filepath.Join(restored.dir, "encryption.key")); err == nil {
		t.Error("the encryption key was in the backup")
	}
	restored.start()
	restored.drained(30 * time.Second)
	if text := scores(restored.client()); strings.Contains(text, `"score-3"`) || strings.Contains(text, `"score-7"`) || !strings.Contains(text, `"score-4"`) {
		t.Errorf("scores after the restore: %s", text)
	}
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	s := startNode(t)
	c := s.client()
	c.send(inProtobuf(t, newSpans(10)...))
	s.drained(30 * time.Second)
	to := filepath.Join(t.TempDir(), "backup")
	if made := backUp(t, s, "--to", to); made.code != 0 {
		t.Fatalf("backup: %+v", made)
	}
	if r := run(t, environment(t), "restore", "--from", to, "--data-dir", s.dir); r.code == 0 || !strings.Contains(r.stderr, "not empty") {
		t.Errorf("into a directory in use: %+v", r)
	}
	if r := backUp(t, s, "--to", filepath.Join(s.dir, "backup")); r.code == 0 || !strings.Contains(r.stderr, "data directory") {
		t.Errorf("a backup in the data directory: %+v", r)
	}
	if _, r := restoreInto(t, "--from", t.TempDir()); r.code == 0 || !strings.Contains(r.stderr, "no finished backup") {
		t.Errorf("from nothing: %+v", r)
	}
	// One wrong byte is found, and no server starts with what was restored until then.
	file := filepath.Join(to, "store", "tombstones", "structure.tar~")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(bytes.TrimSuffix(text, text[len(text)-1:]), text[len(text)-1]^1), 0o600); err != nil {
		t.Fatal(err)
	}
	damaged, r := restoreInto(t, "--from", to)
	if r.code == 0 || !strings.Contains(r.stderr, "damaged") {
		t.Errorf("from a damaged backup: %+v", r)
	}
	if r := run(t, environment(t), "serve", "--data-dir", damaged.dir); r.code == 0 || !strings.Contains(r.stderr, "did not come to its end") {
		t.Errorf("serve after a restore that failed: %+v", r)
	}
	// Being on this machine is not enough to get everything.
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.metrics+"/backup", strings.NewReader(`{"to":"/x"}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := probe.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("a backup without the token: %s", answer.Status)
	}
}
