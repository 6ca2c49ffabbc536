package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/backup"
)

// Asker is whose key asks.
type Asker struct {
	Owner         string // the id of a project or an organization
	Access        auth.Access
	Authorization string // what the handler takes for that key
}

const (
	// namesPerList is how many things of a list are asked for one by one.
	namesPerList = 10
	// walkedPages and walkedRows bound the walk through the newest observations with all of their fields.
	walkedPages = 20
	walkedRows  = 500
)

// EachAnswer asks every read that the key may ask: routes that need no value of their own, then those that name one thing by
// the ids and names of the lists above them, sums over all rows, and a walk through the newest ones. Two servers with the same
// data give the same answers; what a server knows of itself alone is left out.
func EachAnswer(ctx context.Context, handler http.Handler, who Asker, each func(backup.Answer) error) error {
	a := &asking{handler, who, each}
	var lists, things []string
	for _, rt := range Routes() {
		switch {
		case rt.Method != http.MethodGet || rt.Open || rt.Access != who.Access || isOfOneServer(rt.Path):
		case !strings.Contains(rt.Path, "{"):
			lists = append(lists, rt.Path)
		case strings.Count(rt.Path, "{") == 1:
			things = append(things, rt.Path)
		}
	}
	slices.Sort(lists)
	slices.Sort(things)
	named := map[string][]string{}
	for _, path := range lists {
		body, err := a.ask(ctx, path)
		if err != nil {
			return err
		}
		named[path] = namesIn(body)
	}
	for _, path := range things {
		list, rest, _ := strings.Cut(path, "/{")
		_, rest, _ = strings.Cut(rest, "}")
		for _, name := range named[list] {
			if _, err := a.ask(ctx, list+"/"+url.PathEscape(name)+rest); err != nil {
				return err
			}
		}
	}
	if who.Access != auth.Project {
		return nil
	}
	for _, target := range sums() {
		if _, err := a.ask(ctx, target); err != nil {
			return err
		}
	}
	return a.walk(ctx)
}

// isOfOneServer is true of what a server knows only while it runs, of what gets other numbers in a restored one, and of what
// is about its program.
func isOfOneServer(path string) bool {
	for _, prefix := range []string{"live", "ingest-requests", "jobs", "dead-letters", "receipts", "health", "ready", "organizations/audit-events", "playground"} {
		if rest, ok := strings.CutPrefix(path, "/api/public/"+prefix); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return strings.HasPrefix(path, "/api/ui/") || strings.HasSuffix(path, "/estimate") || strings.HasSuffix(path, "/decision-counts")
}

// sums are questions about all rows together.
func sums() (targets []string) {
	const always = `"fromTimestamp":"2000-01-01T00:00:00Z","toTimestamp":"2100-01-01T00:00:00Z"`
	observations := `"view":"observations","metrics":[{"measure":"count","aggregation":"count"},{"measure":"totalTokens","aggregation":"sum"},{"measure":"totalCost","aggregation":"sum"}]`
	for _, query := range []string{
		`{` + observations + `,"dimensions":[{"field":"name"}],` + always + `}`,
		`{` + observations + `,"dimensions":[{"field":"type"}],` + always + `}`,
		`{` + observations + `,"timeDimension":{"granularity":"month"},` + always + `}`,
		`{"view":"scores-numeric","metrics":[{"measure":"count","aggregation":"count"},{"measure":"value","aggregation":"sum"}],"dimensions":[{"field":"name"}],` + always + `}`,
	} {
		targets = append(targets, "/api/public/v2/metrics?query="+url.QueryEscape(query))
	}
	return append(targets, "/api/public/facets?field=name", "/api/public/v3/scores?limit=100&fields=details,subject,annotation")
}

// asking asks for one key.
type asking struct {
	handler http.Handler
	who     Asker
	each    func(backup.Answer) error
}

// volatile is what may differ between two servers with the same data: sealed addresses, last uses, cursors of pages.
var volatile = regexp.MustCompile(`"(url|urlExpiry|lastUsedAt|cursor|nextSyncAt)":("[^"]*"|null)`)

func (a *asking) ask(ctx context.Context, target string) ([]byte, error) {
	status, body, err := a.get(ctx, target)
	if err != nil {
		return nil, err
	}
	return body, a.tell(target, status, body)
}

func (a *asking) tell(target string, status int, body []byte) error {
	sum := sha256.Sum256(volatile.ReplaceAll(body, []byte(`"$1":""`)))
	return a.each(backup.Answer{Owner: a.who.Owner, Path: target, Status: status, SHA256: hex.EncodeToString(sum[:])})
}

func (a *asking) get(ctx context.Context, target string) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+target, http.NoBody)
	if err != nil {
		return 0, nil, fmt.Errorf("ask %s: %w", target, err)
	}
	r.RemoteAddr = "127.0.0.1:1" // nobody is behind it
	r.Header.Set("Authorization", a.who.Authorization)
	w := &answered{header: http.Header{}, status: http.StatusOK}
	a.handler.ServeHTTP(w, r)
	return w.status, w.body.Bytes(), ctx.Err()
}

// walk goes through the newest observations.
func (a *asking) walk(ctx context.Context) error {
	const path = "/api/public/v2/observations"
	target := fmt.Sprintf("%s?limit=%d&fields=core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context", path, walkedRows)
	cursor := ""
	for page := range walkedPages {
		status, body, err := a.get(ctx, target+cursor)
		if err != nil {
			return err
		}
		if err := a.tell(fmt.Sprintf("%s, page %d", target, page+1), status, body); err != nil {
			return err
		}
		var next struct{ Meta struct{ Cursor string } }
		if err := json.Unmarshal(body, &next); err != nil {
			next.Meta.Cursor = "" // a refusal, which was told
		}
		if next.Meta.Cursor == "" {
			break
		}
		cursor = "&cursor=" + url.QueryEscape(next.Meta.Cursor)
	}
	return nil
}

// namesIn are the ids and names of a list's things.
func namesIn(body []byte) (names []string) {
	var list struct {
		Data []struct{ ID, Name string }
	}
	if json.Unmarshal(body, &list) != nil {
		return nil
	}
	for _, thing := range list.Data {
		for _, name := range []string{thing.ID, thing.Name} {
			if name != "" && len(names) < namesPerList && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// answered keeps an answer in memory, where all of it is flushed.
type answered struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *answered) Header() http.Header         { return w.header }
func (w *answered) WriteHeader(status int)      { w.status = status }
func (w *answered) Write(p []byte) (int, error) { return w.body.Write(p) }
func (w *answered) Flush()                      {}
