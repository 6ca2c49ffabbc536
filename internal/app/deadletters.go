package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sondehq/sonde/internal/api"
)

// deadLettersCommand asks a running server through its operator's listener, which only answers to
// its own machine.
type deadLettersCommand struct {
	MetricsListen string `default:"127.0.0.1:9464" env:"SONDE_METRICS_LISTEN" placeholder:"HOST:PORT" help:"Address of the running server's metrics, ${default} unless given."`

	List    listLetters   `cmd:"" help:"List dead letters, newest first."`
	Show    showLetter    `cmd:"" help:"Print one dead letter as JSON, its record in base64."`
	Redrive redriveLetter `cmd:"" help:"Put the record of a dead letter, or of all, into the log again."`
	Delete  deleteLetter  `cmd:"" help:"Forget a dead letter and its record for good."`
}

// call asks the server and reads its answer, which is an error unless the status is 200.
func (c *deadLettersCommand) call(ctx context.Context, method, path string, into any) error {
	if _, _, err := net.SplitHostPort(c.MetricsListen); err != nil {
		return fmt.Errorf("metrics-listen must look like 127.0.0.1:9464, got %q", c.MetricsListen)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+loopbackOf(c.MetricsListen)+path, nil)
	if err != nil {
		return fmt.Errorf("ask the server: %w", err)
	}
	answer, err := (&http.Client{Timeout: callWithin}).Do(request)
	if err != nil {
		return fmt.Errorf("the server does not answer on %s; name its address with --metrics-listen: %w", c.MetricsListen, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswerBytes))
	if err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		var refusal struct{ Message string }
		if json.Unmarshal(body, &refusal) != nil || refusal.Message == "" {
			return fmt.Errorf("the server answers %s; is %s the address of its metrics?", answer.Status, c.MetricsListen)
		}
		return errors.New(refusal.Message)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	return nil
}

// callWithin bounds a call; redriving all letters is the longest.
const callWithin = 10 * time.Minute

// maxAnswerBytes is more than a page, or a letter with the largest record, takes.
const maxAnswerBytes = 64 << 20

type listLetters struct {
	Limit  int    `default:"50" help:"Letters to list, at most 100."`
	Cursor string `help:"Continue where an earlier list ended."`
	JSON   bool   `help:"Print the page as JSON."`
}

// Run lists a page.
func (l *listLetters) Run(ctx context.Context, parent *deadLettersCommand, std streams) error {
	query := url.Values{"limit": {strconv.Itoa(l.Limit)}}
	if l.Cursor != "" {
		query.Set("cursor", l.Cursor)
	}
	var page api.DeadLetterPage
	if err := parent.call(ctx, http.MethodGet, "/dead-letters?"+query.Encode(), &page); err != nil {
		return err
	}
	if l.JSON {
		return printJSON(std.out, page)
	}
	table := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tBURIED\tPROJECT\tKIND\tBYTES\tREDRIVEN\tREASON")
	for _, letter := range page.Data {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%d\t%s\n", letter.ID, letter.BuriedAt, plain(letter.ProjectID), plain(letter.Kind),
			letter.Bytes, letter.Redriven, printable(letter.Reason))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if page.Meta.Cursor != "" {
		fmt.Fprintln(std.err, "more: --cursor", page.Meta.Cursor)
	}
	return nil
}

// plain is a text that may be missing.
func plain(text *string) string {
	if text == nil {
		return "-"
	}
	return printable(*text)
}

// printable keeps a client's text from moving the cursor of a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
}

type letterArgument struct {
	ID string `arg:"" help:"Id of the letter."`
}

func (l letterArgument) path() string { return "/dead-letters/" + url.PathEscape(l.ID) }

type showLetter struct {
	letterArgument
}

// Run prints a letter.
func (l *showLetter) Run(ctx context.Context, parent *deadLettersCommand, std streams) error {
	var letter api.DeadLetter
	if err := parent.call(ctx, http.MethodGet, l.path(), &letter); err != nil {
		return err
	}
	return printJSON(std.out, letter)
}

type redriveLetter struct {
	ID  string `arg:"" optional:"" help:"Id of the letter."`
	All bool   `help:"Redrive every letter there is now."`
}

// Run redrives one letter or all.
func (l *redriveLetter) Run(ctx context.Context, parent *deadLettersCommand, std streams) error {
	if l.All == (l.ID != "") {
		return errors.New("name a letter, or say --all")
	}
	if l.All {
		var result api.RedrivenAll
		if err := parent.call(ctx, http.MethodPost, "/dead-letters/redrive", &result); err != nil {
			return err
		}
		_, err := fmt.Fprintf(std.out, "redriven: %d\nkept, too large for the log: %d\n", result.Redriven, result.Kept)
		return err
	}
	var result api.Redriven
	if err := parent.call(ctx, http.MethodPost, letterArgument{l.ID}.path()+"/redrive", &result); err != nil {
		return err
	}
	_, err := fmt.Fprintf(std.out, "redriven to partition %d, sequence %d\n", result.Position.Partition, result.Position.Sequence)
	return err
}

type deleteLetter struct {
	letterArgument
}

// Run deletes a letter.
func (l *deleteLetter) Run(ctx context.Context, parent *deadLettersCommand, std streams) error {
	var result struct{ Message string }
	if err := parent.call(ctx, http.MethodDelete, l.path(), &result); err != nil {
		return err
	}
	_, err := fmt.Fprintln(std.out, result.Message)
	return err
}

func printJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
