package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/reprice"
)

// repriceCommand starts a re-pricing job on a server and follows it.
type repriceCommand struct {
	URL       string `default:"http://127.0.0.1:3000" env:"LANGFUSE_BASE_URL,LANGFUSE_HOST" placeholder:"URL" help:"Address of the server; ${default} unless given."`
	PublicKey string `required:"" env:"LANGFUSE_PUBLIC_KEY" placeholder:"pk-lf-…" help:"Public key of the project."`
	SecretKey string `required:"" env:"LANGFUSE_SECRET_KEY" placeholder:"sk-lf-…" help:"Secret key of the project; better in the environment than on the command line."`

	From    string `required:"" placeholder:"TIME" help:"Start times at or after this: 2026-05-01 or 2026-05-01T00:00:00Z."`
	To      string `placeholder:"TIME" help:"Start times before this; now unless given."`
	Model   string `help:"Only this model, as clients name it."`
	Preview bool   `help:"Show the difference and write nothing."`
}

// pollEvery is the time between two looks at a job.
const pollEvery = 500 * time.Millisecond

// answerWithin bounds one request.
const answerWithin = 30 * time.Second

// clientTimeout is how long the server may be away while a job is followed.
const clientTimeout = time.Minute

// Run starts the job, shows how far it is, and the differences at its end. Ctrl-C leaves the job at
// work and says how to cancel it.
func (c *repriceCommand) Run(ctx context.Context, std streams) error {
	from, err := parseTime("--from", c.From)
	if err != nil {
		return err
	}
	to := time.Now().UTC()
	if c.To != "" {
		if to, err = parseTime("--to", c.To); err != nil {
			return err
		}
	}
	body, err := json.Marshal(struct {
		Kind string `json:"kind"`
		reprice.Parameters
	}{reprice.Kind, reprice.Parameters{From: from, To: to, Model: c.Model, Preview: c.Preview}})
	if err != nil {
		return fmt.Errorf("write the job: %w", err)
	}
	job, err := c.ask(ctx, http.MethodPost, "", body)
	if err != nil {
		return err
	}
	fmt.Fprintln(std.err, "job", job.ID)
	if job, err = c.follow(ctx, std.err, job); err != nil {
		return err
	}
	if job.State != jobs.Done {
		return fmt.Errorf("the job is %s: %s", job.State, job.Reason)
	}
	var result reprice.Result
	if err := json.Unmarshal(job.Result, &result); err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	return show(std.out, result)
}

func parseTime(flag, text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%s %q is not a time; write 2026-05-01 or 2026-05-01T00:00:00Z", flag, text)
}

// errRefused marks an answer that asking again does not change.
var errRefused = errors.New("the server refused")

// ask sends one request about jobs.
func (c *repriceCommand) ask(ctx context.Context, method, path string, body []byte) (jobs.Job, error) {
	address := strings.TrimSuffix(c.URL, "/") + "/api/public/jobs" + path
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return jobs.Job{}, fmt.Errorf("%w: --url: %w", errRefused, err)
	}
	request.SetBasicAuth(c.PublicKey, c.SecretKey)
	answer, err := (&http.Client{Timeout: answerWithin}).Do(request)
	if err != nil {
		return jobs.Job{}, fmt.Errorf("%w\nis the server running there? --url or LANGFUSE_BASE_URL says where it is", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 4*jobs.MaxBytes))
	if err != nil {
		return jobs.Job{}, fmt.Errorf("read the server's answer: %w", err)
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		return jobs.Job{}, refusal(address, answer.StatusCode, text)
	}
	var job jobs.Job
	if err := json.Unmarshal(text, &job); err != nil {
		return jobs.Job{}, fmt.Errorf("%w: %s is not a Sonde server: %w", errRefused, c.URL, err)
	}
	return job, nil
}

// refusal explains a status, with what the server said and what to do.
func refusal(address string, status int, text []byte) error {
	var said struct {
		Message string
		Error   json.RawMessage
	}
	_ = json.Unmarshal(text, &said) // whatever it is, the status counts
	var issues []struct{ Message string }
	if json.Unmarshal(said.Error, &issues) == nil && len(issues) > 0 {
		said.Message = issues[0].Message
	}
	next := map[int]string{
		http.StatusUnauthorized: "set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY to a key of the project on this server",
		http.StatusNotFound:     "ask a node with the role ingest or write, of a version that has jobs",
	}[status]
	if status >= http.StatusInternalServerError {
		return fmt.Errorf("%s answers %d: %s", address, status, said.Message)
	}
	return fmt.Errorf("%w (%d): %s\n%s", errRefused, status, said.Message, next)
}

// follow asks for the job until it ends. A server that restarts meanwhile is waited for.
func (c *repriceCommand) follow(ctx context.Context, out io.Writer, job jobs.Job) (jobs.Job, error) {
	shown, heard := "", time.Now()
	for !job.State.Final() {
		line := fmt.Sprintf("%s: %d of %d rows, %s", job.State, job.Progress.Done, job.Progress.Total, job.Progress.Text)
		if job.Reason != "" {
			line += " (waiting: " + job.Reason + ")"
		}
		if line != shown {
			fmt.Fprintln(out, line)
			shown = line
		}
		select {
		case <-ctx.Done():
			return jobs.Job{}, fmt.Errorf("the job goes on without this command; cancel it by POST /api/public/jobs/%s/cancel", job.ID)
		case <-time.After(pollEvery):
		}
		now, err := c.ask(ctx, http.MethodGet, "/"+job.ID, nil)
		switch {
		case err == nil:
			job, heard = now, time.Now()
		case ctx.Err() != nil: // said at the top
		case errors.Is(err, errRefused), time.Since(heard) > clientTimeout:
			return jobs.Job{}, fmt.Errorf("the job %s was started, but cannot be followed: %w", job.ID, err)
		}
	}
	return job, nil
}

// show prints the differences, a line per model.
func show(out io.Writer, r reprice.Result) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "rows\tchanged\tbefore $\tafter $\tdifference $\t  model")
	line := func(name string, s reprice.Sum) {
		fmt.Fprintf(table, "%d\t%d\t%s\t%s\t%s\t  %s\n", s.Rows, s.Changed, s.Before, s.After, s.Difference, name)
	}
	for _, m := range r.Models {
		name := m.Model
		if name == "" {
			name = "(no model)"
		}
		line(name, m.Sum)
	}
	line("all", r.Total)
	if err := table.Flush(); err != nil {
		return fmt.Errorf("show the result: %w", err)
	}
	if r.Preview && r.Total.Changed > 0 {
		fmt.Fprintln(out, "\nnothing was written; run the same without --preview to write")
	}
	return nil
}
