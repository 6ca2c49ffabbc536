// Package probe is a client that knows what it sent: it writes a trace and a score to a server, reads both back, and
// says how long that took or what was wrong.
package probe

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Config says which server is tried, with which key.
type Config struct {
	URL                  string
	PublicKey, SecretKey string
	// Within bounds the time from the acknowledgement to everything being readable.
	Within time.Duration
	Client *http.Client
}

// The outcomes of a round, as selfobs.ProbeMetrics counts them.
const (
	OK        = "ok"
	Refused   = "refused"   // not acknowledged
	Missing   = "missing"   // not readable in time
	Different = "different" // read back with other content
)

// Round is what one trace met.
type Round struct {
	Outcome      string
	TraceID      string
	Acknowledged time.Duration // from the first byte sent; 0: not
	Readable     time.Duration // from the acknowledgement of trace and score; 0: not
	Err          error         // why the outcome is not OK
}

const (
	// lookEvery is the time between two reads.
	lookEvery = 100 * time.Millisecond
	// answerWithin bounds each request.
	answerWithin = 10 * time.Second
	maxAnswer    = 1 << 20
)

// errDifferent is content that nobody sent.
var errDifferent = errors.New("what is read is not what was sent")

// Try writes one trace and its score, and reads both back.
func Try(ctx context.Context, c Config) Round {
	t := newTrace(time.Now())
	r := Round{TraceID: t.id}
	began := time.Now()
	if err := c.post(ctx, "/api/public/otel/v1/traces", t.export()); err != nil {
		r.Outcome, r.Err = Refused, fmt.Errorf("the trace is not acknowledged: %w", err)
		return r
	}
	r.Acknowledged = time.Since(began)
	if err := c.post(ctx, "/api/public/scores", t.score()); err != nil {
		r.Outcome, r.Err = Refused, fmt.Errorf("the score is not acknowledged: %w", err)
		return r
	}
	acknowledged := time.Now()
	err := c.readBack(ctx, t, acknowledged.Add(c.Within))
	switch {
	case err == nil:
		r.Outcome, r.Readable = OK, time.Since(acknowledged)
	case errors.Is(err, errDifferent):
		r.Outcome, r.Err = Different, err
	default:
		r.Outcome, r.Err = Missing, fmt.Errorf("not readable within %s: %w", c.Within, err)
	}
	return r
}

// readBack looks until both are there as they were sent.
func (c Config) readBack(ctx context.Context, t trace, until time.Time) error {
	for {
		err := c.look(ctx, t)
		if err == nil || errors.Is(err, errDifferent) || time.Now().After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}

func (c Config) look(ctx context.Context, t trace) error {
	var observations struct {
		Data []struct{ ID, Name, Input, Output string }
	}
	query := url.Values{"traceId": {t.id}, "fields": {"core,basic,io"}, "fromStartTime": {t.start.Add(-time.Minute).UTC().Format(time.RFC3339)}}
	if err := c.get(ctx, "/api/public/v2/observations?"+query.Encode(), &observations); err != nil {
		return err
	}
	if len(observations.Data) < len(t.spans) {
		return fmt.Errorf("%d of %d observations are there", len(observations.Data), len(t.spans))
	}
	wanted := map[string]span{}
	for _, s := range t.spans {
		wanted[s.id] = s
	}
	for _, o := range observations.Data {
		if want, known := wanted[o.ID]; !known || o.Name != want.name || o.Input != want.input || o.Output != want.output {
			return fmt.Errorf("%w: observation %s of trace %s", errDifferent, o.ID, t.id)
		}
		delete(wanted, o.ID)
	}
	var scores struct {
		Data []struct {
			ID    string
			Value float64
		}
	}
	if err := c.get(ctx, "/api/public/v3/scores?id="+t.scoreID, &scores); err != nil {
		return err
	}
	if len(scores.Data) == 0 {
		return errors.New("the score is not there")
	}
	if scores.Data[0].ID != t.scoreID || scores.Data[0].Value != t.value {
		return fmt.Errorf("%w: score %s", errDifferent, t.scoreID)
	}
	return nil
}

func (c Config) post(ctx context.Context, path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.do(ctx, http.MethodPost, path, bytes.NewReader(text), nil)
}

func (c Config) get(ctx context.Context, path string, into any) error {
	return c.do(ctx, http.MethodGet, path, http.NoBody, into)
}

func (c Config) do(ctx context.Context, method, path string, body io.Reader, into any) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(c.URL, "/")+path, body)
	if err != nil {
		return err
	}
	request.SetBasicAuth(c.PublicKey, c.SecretKey)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Sonde-Sdk-Name", "sonde-probe")
	answer, err := c.Client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	switch {
	case err != nil:
		return err
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %.300s", answer.Status, text)
	case into == nil:
		return nil
	}
	return json.Unmarshal(text, into)
}

// trace is what is written: two spans and a score.
type trace struct {
	id, scoreID string
	value       float64
	start       time.Time
	spans       []span
}

type span struct{ id, parent, name, input, output string }

func newTrace(start time.Time) trace {
	t := trace{id: randomHex(16), scoreID: randomHex(16), value: float64(start.UnixMilli() % 1000), start: start}
	root, child := randomHex(8), randomHex(8)
	t.spans = []span{
		{id: root, name: "sonde probe", input: "ask " + randomHex(8), output: "answer " + randomHex(8)},
		{id: child, parent: root, name: "sonde probe step", input: "step " + randomHex(8), output: "done " + randomHex(8)},
	}
	return t
}

func randomHex(bytes int) string {
	raw := make([]byte, bytes)
	_, _ = rand.Read(raw) // never fails
	return hex.EncodeToString(raw)
}

func (t trace) export() any {
	var spans []any
	for _, s := range t.spans {
		spans = append(spans, map[string]any{
			"traceId": t.id, "spanId": s.id, "parentSpanId": s.parent, "name": s.name,
			"startTimeUnixNano": nanos(t.start), "endTimeUnixNano": nanos(t.start.Add(time.Millisecond)),
			"attributes": []any{attribute("langfuse.observation.input", s.input), attribute("langfuse.observation.output", s.output)},
		})
	}
	return map[string]any{"resourceSpans": []any{map[string]any{"scopeSpans": []any{map[string]any{"scope": map[string]any{"name": "sonde-probe"}, "spans": spans}}}}}
}

func (t trace) score() any {
	return map[string]any{"id": t.scoreID, "traceId": t.id, "name": "probe", "dataType": "NUMERIC", "value": t.value}
}

func attribute(key, value string) any {
	return map[string]any{"key": key, "value": map[string]any{"stringValue": value}}
}

func nanos(at time.Time) string { return strconv.FormatInt(at.UnixNano(), 10) }
