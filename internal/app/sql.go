package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"

	"github.com/sondehq/sonde/internal/tracestore"
)

// sqlCommand asks a running server.
type sqlCommand struct {
	Query     string `arg:"" optional:"" help:"One SELECT over observations, texts, scores and traces; read from standard input when it is left out or -."`
	URL       string `name:"url" default:"http://127.0.0.1:3000" env:"LANGFUSE_BASE_URL" help:"Address of the server; ${default} unless given."`
	PublicKey string `env:"LANGFUSE_PUBLIC_KEY" required:"" help:"Public key of the project."`
	SecretKey string `env:"LANGFUSE_SECRET_KEY" required:"" help:"Secret key of the project; better in the environment than on the command line."`
	Format    string `default:"table" enum:"table,json,jsonl,csv" help:"How rows are printed: table for people, json, jsonl or csv."`
}

// Help is what stands behind the flags.
func (*sqlCommand) Help() string {
	return `Examples:

  sonde sql "SELECT model, count() AS calls, sum(total_cost) AS cost FROM observations GROUP BY model ORDER BY cost DESC"
  sonde sql "SELECT id, root_name, errors FROM traces WHERE errors > 0 ORDER BY start_time DESC LIMIT 20"
  sonde sql --format csv < report.sql > report.csv

The server must allow it (--sql-enabled). It is ClickHouse's SQL, over the rows of the key's project only.`
}

// Run prints the rows of a query.
func (c *sqlCommand) Run(ctx context.Context, std streams) error {
	query := c.Query
	if query == "" || query == "-" {
		text, err := io.ReadAll(io.LimitReader(std.in, tracestore.MaxSQL+1))
		if err != nil {
			return fmt.Errorf("read the query: %w", err)
		}
		query = string(text)
	}
	format := c.Format
	if format == "table" {
		format = "jsonl"
	}
	body, err := json.Marshal(map[string]string{"query": query, "format": format})
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(c.URL, "/")+"/api/public/sql", bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask the server: %w", err)
	}
	request.SetBasicAuth(c.PublicKey, c.SecretKey)
	request.Header.Set("Content-Type", "application/json")
	answer, err := (&http.Client{Timeout: answerWithin}).Do(request)
	if err != nil {
		return fmt.Errorf("the server does not answer on %s; name its address with --url: %w", c.URL, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return sqlRefusal(answer)
	}
	if c.Format == "table" {
		return printTable(std.out, answer.Body)
	}
	if _, err := io.Copy(std.out, answer.Body); err != nil {
		return fmt.Errorf("the answer ended before its end: %w", err)
	}
	return nil
}

func sqlRefusal(answer *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("the server answers %s", answer.Status)
	}
	var refusal struct {
		Message string
		Error   any
	}
	if json.Unmarshal(text, &refusal) != nil || refusal.Message == "" {
		return fmt.Errorf("the server answers %s", answer.Status)
	}
	if issues, ok := refusal.Error.([]any); ok && len(issues) > 0 {
		if issue, ok := issues[0].(map[string]any); ok {
			return fmt.Errorf("%v", issue["message"])
		}
	}
	if answer.StatusCode == http.StatusNotFound {
		return errors.New("this server answers no SQL; start it with --sql-enabled")
	}
	return errors.New(refusal.Message)
}

// printTable shows rows in columns as wide as they need to be.
func printTable(out io.Writer, rows io.Reader) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	lines := bufio.NewReader(rows)
	for first := true; ; first = false {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return table.Flush()
		}
		if err != nil {
			return errors.Join(table.Flush(), fmt.Errorf("the answer ended before its end: %w", err))
		}
		names, values, err := rowOf(line)
		if err != nil {
			return err
		}
		if first {
			fmt.Fprintln(table, strings.Join(names, "\t"))
		}
		fmt.Fprintln(table, strings.Join(values, "\t"))
	}
}

// rowOf reads the names and values of a line, in their order; what would break a table is shown as spaces.
func rowOf(line []byte) (names, values []string, err error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	if _, err := decoder.Token(); err != nil {
		return nil, nil, fmt.Errorf("read a row: %w", err)
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, nil, fmt.Errorf("read a row: %w", err)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, nil, fmt.Errorf("read a row: %w", err)
		}
		text := string(value)
		if text == "null" {
			text = ""
		}
		_ = json.Unmarshal(value, &text) // a number or a list stays as it is
		names, values = append(names, fmt.Sprint(name)), append(values, printable(text))
	}
	return names, values, nil
}
