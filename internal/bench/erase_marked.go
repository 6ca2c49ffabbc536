package bench

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
)

// marked are the traces that carry a marker.
type marked struct {
	marker string
	traces []string
	spans  [][]span // per trace
	media  string
}

// lateTraces are sent just before the delete: they are still in the log then.
const lateTraces = 50

func newMarked(marker string, count int) *marked {
	m := &marked{marker: marker}
	c := newCorpus(3)
	for i := range count + lateTraces {
		spans := c.trace(time.Now().Add(-time.Duration(i%(40*24))*time.Hour), 1)
		for j := range spans {
			spans[j].input, spans[j].output = c.text(20)+" "+marker, marker+" "+c.text(20)
			spans[j].name = "step " + marker
			spans[j].attributes = append(spans[j].attributes,
				[2]string{"langfuse.trace.tags", `["` + marker + `"]`}, [2]string{"langfuse.observation.metadata.note", marker},
				[2]string{"langfuse.trace.metadata.deep", `{"` + marker + `":1}`})
		}
		m.spans, m.traces = append(m.spans, spans), append(m.traces, spans[0].traceHex())
	}
	content := base64.StdEncoding.EncodeToString([]byte("%PDF-1.4 " + marker))
	m.spans[0][0].input = `{"file":"data:application/pdf;base64,` + content + `"}`
	var large strings.Builder // than a record, also when it is compressed
	for range 80_000 {
		large.WriteString(rand.Text() + " ")
	}
	m.spans[1][0].input = large.String() + marker
	return m
}

// buryLetter puts a dead letter with the marker into the log of a server that does not run yet.
func (m *marked) buryLetter(ctx context.Context, data string) (err error) {
	log, err := natslog.OpenEmbedded(ctx, natslog.Config{Dir: filepath.Join(data, "log")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close(ctx)) }()
	record, err := eventlog.Envelope{
		Kind: eventlog.KindOTLPTraces, ProjectID: projectID, AcceptedAt: time.Now(), Payload: encodeRequest(m.spans[2]),
	}.Encode()
	if err != nil {
		return err
	}
	at, err := log.Append(ctx, record)
	if err != nil {
		return err
	}
	deliveries, err := log.Fetch(ctx, at.Partition, 1, 1<<20)
	if err != nil || len(deliveries) != 1 {
		return fmt.Errorf("fetch a record to bury, got %d: %w", len(deliveries), err)
	}
	return log.Bury(ctx, deliveries[0], "buried by the bench")
}

// plant sends all but the late traces, their scores and an event of an older client, and waits until they are
// readable.
func (m *marked) plant(ctx context.Context, s *server) error {
	early := m.spans[:len(m.spans)-lateTraces]
	for some := range slices.Chunk(early, 50) {
		b := encodeBody(slices.Concat(some...), false)
		if _, err := s.send(ctx, &b, publicKey, secretKey); err != nil {
			return err
		}
	}
	for i, trace := range m.traces[:min(100, len(early))] {
		score := fmt.Sprintf(`{"id":"score-%s","traceId":%q,"name":"n","value":1,"comment":"because %s","metadata":{"note":%q}}`, trace, trace, m.marker, m.marker)
		if err := s.call(ctx, http.MethodPost, "/api/public/scores", score, nil); err != nil {
			return fmt.Errorf("score %d: %w", i, err)
		}
	}
	event := fmt.Sprintf(`{"batch":[{"id":"e1","type":"span-create","timestamp":"2026-05-01T10:00:00Z","body":{"id":"legacy","traceId":%q,"name":"old %s","startTime":"2026-05-01T10:00:00Z","input":%q}}]}`, m.traces[3], m.marker, m.marker)
	if err := s.call(ctx, http.MethodPost, "/api/public/ingestion", event, nil); err != nil {
		return err
	}
	if err := s.waitDrained(ctx); err != nil {
		return err
	}
	var p struct{ Data []struct{ Input string } }
	if err := s.ask(ctx, "/api/public/v2/observations?fields=io&traceId="+m.traces[0], &p); err != nil {
		return err
	}
	for _, row := range p.Data {
		if _, rest, ok := strings.Cut(row.Input, "|id="); ok {
			m.media, _, _ = strings.Cut(rest, "|")
		}
	}
	if m.media == "" {
		return errors.New("the content of a span did not become media")
	}
	return nil
}

// delete sends the late traces and deletes all.
func (m *marked) delete(ctx context.Context, s *server, result *EraseResult) (jobs []string, err error) {
	late := encodeBody(slices.Concat(m.spans[len(m.spans)-lateTraces:]...), false)
	if _, err := s.send(ctx, &late, publicKey, secretKey); err != nil {
		return nil, err
	}
	for some := range slices.Chunk(m.traces, 1000) {
		text, err := json.Marshal(map[string]any{"traceIds": some})
		if err != nil {
			return nil, err
		}
		began := time.Now()
		var header http.Header
		if err := s.call(ctx, http.MethodDelete, "/api/public/traces", string(text), &header); err != nil {
			return nil, err
		}
		result.AnswerMS = max(result.AnswerMS, round(float64(time.Since(began).Microseconds())/1000, 1))
		if id := header.Get("X-Sonde-Job"); id != "" && !slices.Contains(jobs, id) {
			jobs = append(jobs, id)
		}
	}
	if len(jobs) == 0 {
		return nil, errors.New("the delete named no job")
	}
	return jobs, nil
}

// shown asks every route that reads, all at once, and names one that shows something of the deleted traces.
func (m *marked) shown(ctx context.Context, s *server) (string, error) {
	routes := m.routes()
	found := make([]string, len(routes))
	asked, asking := errgroup.WithContext(ctx)
	for i, route := range routes {
		asked.Go(func() (err error) {
			found[i], err = m.shownBy(asking, s, route)
			return err
		})
	}
	err := asked.Wait()
	for _, shown := range found {
		if shown != "" {
			return shown, err
		}
	}
	return "", err
}

// routes are the reads that would show the deleted traces.
func (m *marked) routes() []string {
	condition := func(column, operator string) string {
		return url.QueryEscape(fmt.Sprintf(`[{"type":"string","column":%q,"operator":%q,"value":%q}]`, column, operator, m.marker))
	}
	window := `"fromTimestamp":"2026-01-01T00:00:00Z","toTimestamp":"2035-01-01T00:00:00Z"`
	count := func(view, filters string) string {
		return "/api/public/v2/metrics?query=" + url.QueryEscape(fmt.Sprintf(`{"view":%q,"metrics":[{"measure":"count","aggregation":"count"}],"dimensions":[{"field":"name"}],%s,"filters":%s,"config":{"row_limit":100}}`, view, window, filters))
	}
	named := fmt.Sprintf(`[{"type":"string","column":"name","operator":"contains","value":%q}]`, m.marker)
	first, late := m.traces[0], m.traces[len(m.traces)-1]
	return []string{
		"/api/public/v2/observations?traceId=" + first, "/api/public/v2/observations?traceId=" + late,
		"/api/public/v2/observations?traceId=" + m.traces[3],
		"/api/public/v2/observations?fields=basic,io,metadata&filter=" + condition("name", "contains"),
		"/api/public/v2/observations?fields=io&filter=" + condition("input", "matches"),
		"/api/public/v2/observations?fields=io&filter=" + condition("output", "matches"),
		"/api/public/v3/scores?fields=details&traceId=" + first,
		count("observations", named), count("scores-numeric", `[]`),
		"/api/public/facets?fields=tags,name,traceName&filter=" + condition("name", "contains"),
		"/api/public/traces?fields=core,io&filter=" + condition("name", "contains"),
		"/api/public/observations?traceId=" + first, "/api/public/v2/scores?traceId=" + first,
		"/api/public/media/" + m.media,
	}
}

// shownBy reads one route.
func (m *marked) shownBy(ctx context.Context, s *server, route string) (string, error) {
	body, status, err := s.text(ctx, route)
	shown := route + ": " + body[:min(300, len(body))]
	switch {
	case err != nil:
		return "", err
	case strings.HasPrefix(route, "/api/public/media/"):
		if status != http.StatusNotFound {
			return fmt.Sprintf("%s: status %d", route, status), nil
		}
	case status != http.StatusOK:
		return "", fmt.Errorf("%s: status %d: %s", route, status, body)
	case strings.Contains(body, m.marker), strings.Contains(body, `"score-`), strings.Contains(body, m.traces[0]):
		return shown, nil
	case strings.Contains(route, "traceId=") && !strings.Contains(body, `"data":[]`):
		return shown, nil
	}
	return "", nil
}

// call sends JSON and expects success.
func (s *server) call(ctx context.Context, method, path, body string, header *http.Header) error {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.SetBasicAuth(s.key.public, s.key.secret)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: status %d: %s", method, path, resp.StatusCode, text)
	}
	if header != nil {
		*header = resp.Header
	}
	return nil
}

// text reads a route.
func (s *server) text(ctx context.Context, path string) (string, int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return "", 0, err
	}
	req.SetBasicAuth(s.key.public, s.key.secret)
	resp, err := client.Do(req)
	if err != nil {
		return "", 0, err
	}
	defer resp.Body.Close()
	var text bytes.Buffer
	_, err = io.Copy(&text, resp.Body)
	return text.String(), resp.StatusCode, err
}

// ask reads JSON.
func (s *server) ask(ctx context.Context, path string, into any) error {
	text, status, err := s.text(ctx, path)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s: status %d: %s", path, status, text)
	}
	return json.Unmarshal([]byte(text), into)
}

// steadyLoad is what sending until told otherwise came to.
type steadyLoad struct {
	rate float64 // stored spans per second
	lag  time.Duration
}

// sendUntil sends at a rate until ctx ends, and watches how far the store is behind.
func (s *server) sendUntil(ctx context.Context, rate int) steadyLoad {
	bodies := newCorpus(uint64(time.Now().UnixNano())).bodies(rate*10, false)
	interval := time.Second * spansPerBody / time.Duration(rate)
	began := time.Now()
	var senders sync.WaitGroup
	var stored atomic.Int64
	var result steadyLoad
	for i := 0; ctx.Err() == nil; i++ {
		if sleep(ctx, time.Until(began.Add(time.Duration(i)*interval))) != nil {
			break
		}
		b := &bodies[i%len(bodies)] // the same spans again: versions of one row
		senders.Go(func() {
			if _, err := s.send(context.WithoutCancel(ctx), b, s.key.public, s.key.secret); err == nil {
				stored.Add(spansPerBody)
			}
		})
		if i%20 == 0 {
			if lag, err := s.metric(ctx, "sonde_log_lag_seconds"); err == nil {
				result.lag = max(result.lag, time.Duration(lag*float64(time.Second)))
			}
		}
	}
	senders.Wait()
	result.rate = float64(stored.Load()) / time.Since(began).Seconds()
	return result
}
