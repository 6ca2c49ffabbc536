package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const jobsPath = "/api/public/jobs"

// job is the part of a job that tests look at.
type job struct {
	ID       string
	State    string
	Reason   string
	Attempts int
	Progress struct{ Done, Total int }
	Result   struct {
		Total struct {
			Rows, Changed             int
			Before, After, Difference string
		}
	}
}

func (c *client) job(method, path, body string) (job, error) {
	a, err := c.do(method, jobsPath+path, []byte(body))
	if err != nil {
		return job{}, err
	}
	if a.status != http.StatusOK && a.status != http.StatusAccepted {
		return job{}, fmt.Errorf("status %d: %s", a.status, a.body)
	}
	var j job
	return j, json.Unmarshal([]byte(a.body), &j)
}

// priced is how many rows of a walk have the cost.
func (c *client) priced(query url.Values, cost float64) (priced, all int, err error) {
	query.Set("fields", "usage")
	query.Set("limit", "1000")
	for {
		a, err := c.do(http.MethodGet, observationsPath+"?"+query.Encode(), nil)
		if err == nil {
			err = a.err()
		}
		var p struct {
			Data []struct{ TotalCost float64 }
			Meta struct{ Cursor string }
		}
		if err == nil {
			err = json.Unmarshal([]byte(a.body), &p)
		}
		if err != nil {
			return 0, 0, err
		}
		for _, row := range p.Data {
			if all++; row.TotalCost == cost {
				priced++
			}
		}
		if p.Meta.Cursor == "" {
			return priced, all, nil
		}
		query.Set("cursor", p.Meta.Cursor)
	}
}

// awaitJob waits until a job is as wanted.
func (c *client) awaitJob(id string, within time.Duration, what string, wanted func(job) bool) (j job) {
	c.t.Helper()
	eventually(c.t, within, what, func() (err error) {
		j, err = c.job(http.MethodGet, "/"+id, "")
		if err == nil && !wanted(j) {
			err = fmt.Errorf("%+v", j)
		}
		return err
	})
	return j
}

// sendUnpriced stores generations of a model that nobody knows, and then gives it a price.
func (c *client) sendUnpriced(count int) []span {
	c.t.Helper()
	spans := newSpans(count)
	for i := range spans {
		spans[i].attributes = map[string]string{
			"langfuse.observation.type": "generation", "langfuse.observation.model.name": "late-model",
			"langfuse.observation.usage_details": `{"input":1000}`, "langfuse.observation.input": "kept",
		}
	}
	for part := range slices.Chunk(spans, 5000) {
		c.send(inProtobuf(c.t, part...))
	}
	eventually(c.t, time.Minute, "all rows are readable", func() error {
		if _, all, err := c.priced(url.Values{"traceId": {spans[0].trace}}, 0); err != nil || all != count {
			return fmt.Errorf("%d rows, %w", all, err)
		}
		return nil
	})
	const definition = `{"modelName":"late-model","matchPattern":"^late-model$","inputPrice":0.000001,"unit":"TOKENS"}`
	a, err := c.do(http.MethodPost, "/api/public/models", []byte(definition), "Content-Type", "application/json")
	if err != nil || a.err() != nil {
		c.t.Fatal(err, a.err())
	}
	return spans
}

// A price comes after the rows. Whatever happens to the server on the way, the job ends with all rows
// priced and with the differences of all of them.
func TestRepricingSurvivesKill(t *testing.T) {
	t.Parallel()
	const count = 20_000
	s := startNode(t)
	c := s.client()
	spans := c.sendUnpriced(count)
	from, to := spans[0].start.Format(time.RFC3339Nano), spans[0].start.Add(time.Hour).Format(time.RFC3339Nano)
	began := time.Now()
	j, err := c.job(http.MethodPost, "", fmt.Sprintf(`{"kind":"reprice","from":%q,"to":%q}`, from, to))
	if err != nil {
		t.Fatal(err)
	}
	j = c.awaitJob(j.ID, 30*time.Second, "the job is under way", func(j job) bool { return j.Progress.Done > 0 && j.State == "running" })
	s.signal(s.pid(), syscall.SIGKILL)
	<-s.exited
	t.Logf("killed after %d rows, %v", j.Progress.Done, time.Since(began))
	s.start()
	restarted := time.Now()
	j = c.awaitJob(j.ID, time.Minute, "the job is done", func(j job) bool { return j.State == "done" })
	t.Logf("done %v after the restart", time.Since(restarted))
	if total := j.Result.Total; total.Rows != count || total.Changed != count || total.Before != "0" || total.After != "20" || j.Attempts < 2 {
		t.Errorf("ended as %+v", j)
	}
	c.showsPriced(spans)
	previewed := time.Now()
	again := run(t, environment(t, "LANGFUSE_BASE_URL=http://"+s.listen, "LANGFUSE_PUBLIC_KEY="+publicKey, "LANGFUSE_SECRET_KEY="+secretKey),
		"reprice", "--from", from, "--to", to, "--preview")
	t.Logf("a preview of %d rows took %v", count, time.Since(previewed))
	if fields := strings.Fields(again.stdout); again.code != 0 || len(fields) < 16 || strings.Join(fields[9:14], " ") != "20000 0 20 20 0" {
		t.Errorf("code %d, %s%s", again.code, again.stdout, again.stderr)
	}
	other := s.addProject("jobs of B")
	if _, err := other.job(http.MethodGet, "/"+j.ID, ""); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("another project gets the job: %v", err)
	}
}

// showsPriced checks that all rows have their cost, and that nothing else of them changed.
func (c *client) showsPriced(spans []span) {
	c.t.Helper()
	trace := spans[0].trace
	if priced, all, err := c.priced(url.Values{"traceId": {trace}}, 0.001); err != nil || priced != len(spans) || all != len(spans) {
		c.t.Errorf("%d of %d rows have their cost, %v", priced, all, err)
	}
	rows, err := c.observations(url.Values{"traceId": {trace}, "fields": {"io"}, "limit": {"1"}})
	if err != nil || len(rows.Data) != 1 || rows.Data[0].Input != "kept" {
		c.t.Errorf("the input became %+v, %v", rows.Data, err)
	}
}
