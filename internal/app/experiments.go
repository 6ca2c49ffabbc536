package app

import (
	"context"
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

// experimentsCommand asks a running server about experiments, as pipelines do.
type experimentsCommand struct {
	Diff experimentsDiff `cmd:"" help:"Compare an experiment with a baseline, and fail when it got worse."`
}

// The exit codes of commands that compare: experiments diff, import. A pipeline tells a failed gate from a comparison that
// could not be made.
const (
	gateFailedCode = 1
	noVerdictCode  = 2
)

// errGateFailed ends a comparison that was made and did not pass.
var errGateFailed = errors.New("the gate failed")

// exitCodeOf is the code that an error ends the program with.
func exitCodeOf(args []string, err error) int {
	judges := len(args) > 0 && (args[0] == "experiments" || args[0] == "import")
	if judges && !errors.Is(err, errGateFailed) && !errors.Is(err, errDiffers) {
		return noVerdictCode
	}
	return gateFailedCode
}

// experimentsDiff compares two experiments.
type experimentsDiff struct {
	URL       string `default:"http://127.0.0.1:3000" env:"SONDE_URL" help:"Address of the server; ${default} unless given."`
	PublicKey string `required:"" env:"SONDE_PUBLIC_KEY,LANGFUSE_PUBLIC_KEY" placeholder:"KEY" help:"Public key of the project."`
	SecretKey string `required:"" env:"SONDE_SECRET_KEY,LANGFUSE_SECRET_KEY" placeholder:"KEY" help:"Secret key of the project."`

	Baseline      string     `required:"" placeholder:"EXPERIMENT" help:"Id or name of the experiment to compare with; of several with one name the latest."`
	Candidate     string     `required:"" placeholder:"EXPERIMENT" help:"Id or name of the experiment that is judged."`
	FailOn        []failRule `sep:"none" placeholder:"RULE" help:"What ends with code 1, such as \"accuracy<-0.02\": the mean difference to the baseline of a score, or of latency (seconds) and cost (US dollars), is below or above a number; or \"regressions>0\": so many items have a score that got worse. Can be given several times."`
	LowerIsBetter []string   `sep:"none" placeholder:"SCORE" help:"A score of which less is better. Can be given several times."`
	Regressions   int        `default:"20" help:"How many regressed items are listed, up to 1000; ${default} unless given."`
	Markdown      bool       `help:"Print a report in Markdown, for comments and job summaries."`
}

// Help tells the exit codes.
func (*experimentsDiff) Help() string {
	return "Ends with 0 when every rule holds, with 1 when one does not, and with 2 when there is no verdict: wrong usage, an unknown experiment or score, or a server that does not answer."
}

// Run compares, reports and judges.
func (d *experimentsDiff) Run(ctx context.Context, std streams) error {
	if d.Regressions < 0 || d.Regressions > 1000 {
		return fmt.Errorf("--regressions must be between 0 and 1000, got %d", d.Regressions)
	}
	baseline, err := d.find(ctx, d.Baseline)
	if err != nil {
		return err
	}
	candidate, err := d.find(ctx, d.Candidate)
	if err != nil {
		return err
	}
	query := url.Values{"baseline": {baseline}, "c": {candidate}, "lowerIsBetter": d.LowerIsBetter}
	var report diffReport
	if err := d.get(ctx, "/api/public/experiments/compare", query, &report); err != nil {
		return err
	}
	query.Set("only", "regressions")
	query.Set("fields", "core")
	query.Set("limit", strconv.Itoa(max(1, d.Regressions)))
	query.Set("orderBy", "worst")
	if err := d.get(ctx, "/api/public/experiments/compare/items", query, &report.regressions); err != nil {
		return err
	}
	if report.verdicts, err = judge(d.FailOn, report.Figures, report.regressions.Meta.TotalItems); err != nil {
		return err
	}
	report.regressions.Data = report.regressions.Data[:min(d.Regressions, len(report.regressions.Data))]
	write := report.text
	if d.Markdown {
		write = report.markdown
	}
	if err := write(std.out); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if failed := report.failed(); len(failed) > 0 {
		return fmt.Errorf("%w: %s", errGateFailed, strings.Join(failed, "; "))
	}
	return nil
}

// find returns the id of an experiment by its id or its name.
func (d *experimentsDiff) find(ctx context.Context, text string) (string, error) {
	for _, column := range []string{"id", "name"} {
		filter, err := json.Marshal([]map[string]any{{"type": "stringOptions", "column": column, "operator": "any of", "value": []string{text}}})
		if err != nil {
			return "", fmt.Errorf("write a filter: %w", err)
		}
		var page struct{ Data []struct{ ID string } }
		query := url.Values{"fromStartTime": {time.Unix(0, 0).UTC().Format(time.RFC3339)}, "filter": {string(filter)}, "limit": {"1"}}
		if err := d.get(ctx, "/api/public/experiments", query, &page); err != nil {
			return "", err
		}
		if len(page.Data) > 0 {
			return page.Data[0].ID, nil
		}
	}
	return "", fmt.Errorf("there is no experiment with the id or the name %q", text)
}

// diffWithin bounds one request.
const diffWithin = 2 * time.Minute

func (d *experimentsDiff) get(ctx context.Context, path string, query url.Values, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(d.URL, "/")+path+"?"+query.Encode(), nil)
	if err != nil {
		return fmt.Errorf("ask the server: %w", err)
	}
	request.SetBasicAuth(d.PublicKey, d.SecretKey)
	answer, err := (&http.Client{Timeout: diffWithin}).Do(request)
	if err != nil {
		return fmt.Errorf("the server does not answer on %s; name its address with --url: %w", d.URL, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswerBytes))
	if err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		if text := refusalText(body); text != "" {
			return fmt.Errorf("the server refuses: %s", text)
		}
		return fmt.Errorf("the server answers %s; is %s its address?", answer.Status, d.URL)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	return nil
}

// refusalText is what an error of the API says, with every parameter that it names; "": it is none.
func refusalText(body []byte) string {
	var refusal struct {
		Message string
		Error   json.RawMessage
	}
	if json.Unmarshal(body, &refusal) != nil {
		return ""
	}
	var issues []struct{ Message string }
	if json.Unmarshal(refusal.Error, &issues) != nil {
		return refusal.Message
	}
	texts := []string{refusal.Message}
	for _, issue := range issues {
		texts = append(texts, issue.Message)
	}
	return strings.Join(texts, ": ")
}
