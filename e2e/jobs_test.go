package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
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

// A price comes after the rows. Whatever happens to the server on the way, the job ends with all rows
// priced and with the differences of all of them.
func TestRepricingSurvivesKill(t *testing.T) {
	t.Parallel()
	const count = 20_000
	s := startServer(t)
	c := s.client()
	spans := newSpans(count)
	for i := range spans {
		spans[i].attributes = map[string]string{
			"langfuse.observation.type": "generation", "langfuse.observation.model.name": "late-model",
			"langfuse.observation.usage_details": `{"input":1000}`, "langfuse.observation.input": "kept",
		}
	}
	for part := 0; part < count; part += 5000 {
		c.send(inProtobuf(t, spans[part:part+5000]...))
	}
	trace := func() url.Values { return url.Values{"traceId": {spans[0].trace}} }
	eventually(t, time.Minute, "all rows are readable", func() error {
		if _, all, err := c.priced(trace(), 0); err != nil || all != count {
			return fmt.Errorf("%d rows, %w", all, err)
		}
		return nil
	})
	if a, err := c.do(http.MethodPost, "/api/public/models", []byte(`{"modelName":"late-model","matchPattern":"^late-model$","inputPrice":0.000001,"unit":"TOKENS"}`), "Content-Type", "application/json"); err != nil || a.err() != nil {
		t.Fatal(err, a.err())
	}
	body := fmt.Sprintf(`{"kind":"reprice","from":%q,"to":%q}`, spans[0].start.Format(time.RFC3339Nano), spans[0].start.Add(time.Hour).Format(time.RFC3339Nano))
	began := time.Now()
	j, err := c.job(http.MethodPost, "", body)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, 30*time.Second, "the job is under way", func() error {
		j, err = c.job(http.MethodGet, "/"+j.ID, "")
		if err == nil && (j.Progress.Done == 0 || j.State != "running") {
			err = fmt.Errorf("%+v", j)
		}
		return err
	})
	s.signal(s.pid(), syscall.SIGKILL)
	<-s.exited
	t.Logf("killed after %d rows, %v", j.Progress.Done, time.Since(began))
	s.start()
	restarted := time.Now()
	eventually(t, time.Minute, "the job is done", func() error {
		j, err = c.job(http.MethodGet, "/"+j.ID, "")
		if err == nil && j.State != "done" {
			err = fmt.Errorf("%+v", j)
		}
		return err
	})
	t.Logf("done %v after the restart", time.Since(restarted))
	if total := j.Result.Total; total.Rows != count || total.Changed != count || total.Before != "0" || total.After != "20" || j.Attempts < 2 {
		t.Errorf("ended as %+v", j)
	}
	if priced, all, err := c.priced(trace(), 0.001); err != nil || priced != count || all != count {
		t.Errorf("%d of %d rows have their cost, %v", priced, all, err)
	}
	rows, err := c.observations(url.Values{"traceId": {spans[0].trace}, "fields": {"io"}, "limit": {"1"}})
	if err != nil || rows.Data[0].Input != "kept" {
		t.Errorf("the input became %+v, %v", rows.Data, err)
	}
	previewed := time.Now()
	again := run(t, environment(t, "LANGFUSE_BASE_URL=http://"+s.listen, "LANGFUSE_PUBLIC_KEY="+publicKey, "LANGFUSE_SECRET_KEY="+secretKey),
		"reprice", "--from", spans[0].start.Format(time.RFC3339Nano), "--to", spans[0].start.Add(time.Hour).Format(time.RFC3339Nano), "--preview")
	t.Logf("a preview of %d rows took %v", count, time.Since(previewed))
	if fields := strings.Fields(again.stdout); again.code != 0 || len(fields) < 16 || strings.Join(fields[9:14], " ") != "20000 0 20 20 0" {
		t.Errorf("code %d, %s%s", again.code, again.stdout, again.stderr)
	}
	other := s.addProject("jobs of B")
	if _, err := other.job(http.MethodGet, "/"+j.ID, ""); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("another project gets the job: %v", err)
	}
}
