package e2e_test

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// hostileIDs mean something to a message bus, a database, a shell, a URL or a log, or are hard to carry.
var hostileIDs = []string{
	`*`, `>`, `.`, `..`, `a.*.>`, `$JS.API.>`, `sonde.log.0`, `%`, `_`, `%00`, `'`, `"`, `\`, `\'`, "`", `{p:String}`, `{{.}}`,
	`'; DROP TABLE observations; --`, `" OR ""="`, `' OR 1=1 --`, `../../etc/passwd`, `a/b`, `a?b#c&d=e`, `a b`, ` a`, `a `,
	"tab\tline\nreturn\r", "nul\x00inside", "\x00", "\x00\x01\x7f", "👩‍👩‍👧‍👦", "e\u0301", "\u00e9", "\u202e", "\ufeff", "İı", "NULL", "null", "0", "-1",
	"AAAA", "aaaa", strings.Repeat("x", 800),
}

// Ids are data: whatever they look like, they come back as they were sent and find their own row only.
func TestHostileIDs(t *testing.T) {
	const hostileProject = `*.>."'\;--👾 $JS.API.> {p:String} %`
	s := newServer(t)
	s.env = append(s.env, "SONDE_INIT_PROJECT_ID="+hostileProject)
	s.start()
	everything, sub, plain := s.client(), s.addProject(`>`), s.addProject("plain")

	var spans []span
	start := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	for i, id := range hostileIDs {
		spans = append(spans, span{trace: id, id: id, name: id, start: start.Add(time.Duration(i) * time.Second)})
	}
	everything.send(inJSON(t, spans...))
	own := newSpans(3)
	plain.send(inJSON(t, own...))
	everything.showsWithin(20*time.Second, spans)
	plain.showsWithin(20*time.Second, own)

	everything.shows(spans, 7)
	sub.shows(nil, 1000)
	plain.shows(own, 2)
	for _, want := range spans {
		for _, parameter := range []string{"traceId", "name"} {
			query := url.Values{parameter: {want.trace}, "fields": {"basic"}}
			rows, err := everything.walk(query, 10)
			if err != nil || len(rows) != 1 || rows[0].TraceID != want.trace || rows[0].ID != want.id || rows[0].Name != want.name || rows[0].ProjectID != hostileProject {
				t.Errorf("%s %q: %v, %+v", parameter, want.trace, err, rows)
			}
		}
		if rows, err := sub.walk(url.Values{"traceId": {want.trace}}, 10); err != nil || len(rows) > 0 {
			t.Errorf("trace %q shows a foreign project: %v, %+v", want.trace, err, rows)
		}
	}
}
