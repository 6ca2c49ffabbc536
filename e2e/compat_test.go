package e2e_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/otlp/otlptest"
)

// tally counts golden values that were found again, by convention and column.
type tally struct {
	rows, shown, unseen, empty int
	equal                      map[string]map[string]int
	requests                   map[string]map[string]int // by sender and form
}

// newTally forgets what an earlier run wrote.
func newTally(t *testing.T) *tally {
	t.Helper()
	if err := os.Remove(resultFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return &tally{equal: map[string]map[string]int{}, requests: map[string]map[string]int{}}
}

func add(counts map[string]map[string]int, row, column string, n int) {
	if counts[row] == nil {
		counts[row] = map[string]int{}
	}
	counts[row][column] += n
}

// compare holds the rows of a project against those wanted.
func (n *tally) compare(c *client, x goldenSet) {
	c.t.Helper()
	rows, err := c.answered(x.want)
	if err != nil {
		c.t.Errorf("%s: %v", x.name, err)
		return
	}
	if len(rows) != x.rows {
		c.t.Errorf("%s: %d rows, want %d", x.name, len(rows), x.rows)
	}
	if x.counted && x.sender != "" {
		add(n.requests, x.sender, x.form, x.requests)
	}
	for _, g := range x.want {
		got := rows[[2]any{g.want["traceId"], g.want["id"]}]
		if len(rows) == 1 { // a case need not say its ids
			for _, only := range rows {
				got = only
			}
		}
		if got == nil {
			c.t.Errorf("%s: row %v is missing", x.name, g.want["id"])
			continue
		}
		if g.adapt != nil {
			g.adapt(got)
		}
		diff := otlptest.Diff(g.want, got)
		if g.mapped != nil {
			diff = append(diff, otlptest.Diff(g.unseen, *g.mapped)...)
		}
		if len(diff) > 0 {
			c.t.Errorf("%s, row %v %v:\n%s", x.name, g.want["id"], g.want["name"], strings.Join(diff, "\n"))
			continue
		}
		if x.counted {
			n.count(g)
		}
	}
}

func (n *tally) count(g golden) {
	n.rows++
	n.shown += n.countFields(g.convention, g.want)
	if g.mapped != nil {
		n.unseen += n.countFields(g.convention, g.unseen)
	}
}

// countFields counts fields that say something; that the others say nothing in the row either is
// worth less.
func (n *tally) countFields(convention string, row otlptest.Row) (counted int) {
	for field, value := range row {
		if otlptest.Empty(value) {
			n.empty++
			continue
		}
		counted++
		add(n.equal, convention, otlptest.Column(field), 1)
	}
	return counted
}

// resultFile is where the counts are left for tools/compat.py.
func resultFile() string {
	return filepath.Join("..", ".cache", "compat", "conventions.json")
}

func (n *tally) write(t *testing.T) {
	t.Helper()
	text, err := json.MarshalIndent(map[string]any{
		"columns": otlptest.Columns, "conventions": otlptest.Conventions, "equal": n.equal, "requests": n.requests,
		"rows": n.rows, "answers": n.shown, "mapped": n.unseen, "empty": n.empty,
	}, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(resultFile()), 0o750)
	}
	if err == nil {
		err = os.WriteFile(resultFile(), text, 0o600)
	}
	if err != nil {
		t.Error(err)
	}
}
