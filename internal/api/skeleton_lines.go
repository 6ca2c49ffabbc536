package api

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// linesRows is how many rows a line has. Lines that begin up to linesFlushed are sent at once, those behind when
// the connection's buffer is full.
const (
	linesRows    = 10_000
	linesFlushed = 2 * linesRows
)

// The bits of a row's flags. They are a format: never change one.
const (
	flagStatusMessage = 1 << iota
	flagAppRoot
	flagSynthetic
)

// columnNames are the columns of a line of rows in the order they are written, numbers first.
var columnNames = []string{
	"parent", "name", "type", "level", "start", "duration", "firstToken", "model", "input", "output", "total", "flags",
	"id", "cost",
}

// skeletonLines writes the lines of a skeleton. Rows are gathered as the texts of columns, so that a line is written by
// putting these together.
type skeletonLines struct {
	skeleton      *tracestore.Skeleton
	from, count   int
	columns       [][]byte // by columnNames
	names, models dictionary
	line          []byte
}

func newSkeletonLines(skeleton *tracestore.Skeleton) *skeletonLines {
	return &skeletonLines{
		skeleton: skeleton, columns: make([][]byte, len(columnNames)),
		names: newDictionary(skeleton.Names), models: newDictionary(skeleton.Models),
	}
}

// dictionary gives texts the numbers that a reader knows them by: in the order in which rows need them.
type dictionary struct {
	texts []string
	known []int32 // number plus 1, by index in texts; 0: not sent yet
	sent  int32
	added []byte // texts to send before the rows of this line
}

func newDictionary(texts []string) dictionary {
	return dictionary{texts: texts, known: make([]int32, len(texts))}
}

func (d *dictionary) number(i int) int64 {
	if i == tracestore.NoRow {
		return -1
	}
	if d.known[i] == 0 {
		d.sent++
		d.known[i] = d.sent
		d.added = append(appendText(d.added, d.texts[i]), ',')
	}
	return int64(d.known[i]) - 1
}

// traceLine is the first line.
type traceLine struct {
	Line          string   `json:"line"`
	Format        int      `json:"format"`
	ID            string   `json:"id"`
	Name          *string  `json:"name"`
	UserID        *string  `json:"userId"`
	SessionID     *string  `json:"sessionId"`
	Release       *string  `json:"release"`
	Version       *string  `json:"version"`
	Environment   string   `json:"environment"`
	Tags          []string `json:"tags"`
	Public        bool     `json:"public"`
	Bookmarked    bool     `json:"bookmarked"`
	StartTime     string   `json:"startTime"`
	EndTime       string   `json:"endTime"`
	Rows          int      `json:"rows"`
	Observations  int      `json:"observations"`
	Roots         int      `json:"roots"`
	SyntheticRoot *int     `json:"syntheticRoot"`
	Detached      int      `json:"detached"`
	Depth         int      `json:"depth"`
	Errors        int      `json:"errors"`
	Warnings      int      `json:"warnings"`
	Unfinished    int      `json:"unfinished"`
	InputTokens   uint64   `json:"inputTokens"`
	OutputTokens  uint64   `json:"outputTokens"`
	TotalTokens   uint64   `json:"totalTokens"`
	TotalCost     *string  `json:"totalCost"`

	Types  []model.Type  `json:"types"`
	Levels []model.Level `json:"levels"`
}

func (l *skeletonLines) trace() []byte {
	s := l.skeleton
	line := traceLine{
		Line: "trace", Format: 1, ID: s.TraceID, Name: orNull(s.Name), UserID: orNull(s.UserID), SessionID: orNull(s.SessionID),
		Release: orNull(s.Release), Version: orNull(s.CodeVersion), Environment: s.Environment, Tags: append([]string{}, s.Tags...),
		Public: s.Public, Bookmarked: s.Bookmarked, StartTime: stamp(s.Start), EndTime: stamp(s.End),
		Rows: s.Count, Observations: s.Count, Roots: s.Roots, Detached: s.Detached, Depth: s.Depth,
		Errors: s.Errors, Warnings: s.Warnings, Unfinished: s.Unfinished,
		InputTokens: s.Tokens.Input, OutputTokens: s.Tokens.Output, TotalTokens: s.Tokens.Total,
		Types: model.Types, Levels: model.Levels,
	}
	if s.SyntheticRoot != tracestore.NoRow {
		line.SyntheticRoot, line.Observations = &s.SyntheticRoot, s.Count-1
	}
	if s.TotalCost.Valid {
		cost := s.TotalCost.Decimal.String()
		line.TotalCost = &cost
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(line) // into a buffer: no error to have
	return out.Bytes()
}

// add takes the next row.
func (l *skeletonLines) add(row tracestore.SkeletonRow) {
	total := int64(-1)
	if row.Tokens.HasTotal {
		total = int64(row.Tokens.Total)
	}
	numbers := [...]int64{
		int64(row.Parent), l.names.number(row.Name), codeOf(model.Types, row.Type), codeOf(model.Levels, row.Level),
		row.Start.Milliseconds(), millis(row.Duration), millis(row.FirstToken), l.models.number(row.Model),
		int64(row.Tokens.Input), int64(row.Tokens.Output), total, l.flags(row),
	}
	for i, number := range numbers {
		l.columns[i] = append(strconv.AppendInt(l.columns[i], number, 10), ',')
	}
	id, cost := &l.columns[len(numbers)], &l.columns[len(numbers)+1]
	*id = append(appendText(*id, row.ID), ',')
	*cost = append(appendCost(*cost, row.Cost), ',')
	l.count++
}

func (l *skeletonLines) flags(row tracestore.SkeletonRow) (bits int64) {
	if row.HasStatusMessage {
		bits |= flagStatusMessage
	}
	if row.AppRoot {
		bits |= flagAppRoot
	}
	if l.from+l.count == l.skeleton.SyntheticRoot {
		bits |= flagSynthetic
	}
	return bits
}

func codeOf[T comparable](all []T, one T) int64 {
	for i, known := range all {
		if known == one {
			return int64(i)
		}
	}
	return 0
}

// millis is a time span in milliseconds; -1: none.
func millis(span time.Duration) int64 {
	if span < 0 {
		return -1
	}
	return span.Milliseconds()
}

func appendCost(out []byte, cost decimal.NullDecimal) []byte {
	out = append(out, '"')
	if cost.Valid {
		out = append(out, cost.Decimal.String()...)
	}
	return append(out, '"')
}

// appendText writes a text as JSON. Most need no escapes.
func appendText(out []byte, text string) []byte {
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(text) // a string: no error to have
			return append(out, quoted...)
		}
	}
	out = append(out, '"')
	out = append(out, text...)
	return append(out, '"')
}

// rows is the line of the rows since the last one. It is overwritten by the next.
func (l *skeletonLines) rows() []byte {
	l.line = append(l.line[:0], `{"line":"rows","from":`...)
	l.line = strconv.AppendInt(l.line, int64(l.from), 10)
	l.line = append(l.line, `,"count":`...)
	l.line = strconv.AppendInt(l.line, int64(l.count), 10)
	if len(l.names.added) > 0 {
		l.column("names", &l.names.added)
	}
	if len(l.models.added) > 0 {
		l.column("models", &l.models.added)
	}
	for i, name := range columnNames {
		l.column(name, &l.columns[i])
	}
	l.from, l.count = l.from+l.count, 0
	l.line = append(l.line, "}\n"...)
	return l.line
}

// column moves values, each with a comma behind it, to the line.
func (l *skeletonLines) column(name string, values *[]byte) {
	l.line = append(append(append(l.line, `,"`...), name...), `":[`...)
	l.line = append(l.line, (*values)[:len(*values)-1]...)
	l.line = append(l.line, ']')
	*values = (*values)[:0]
}

func (l *skeletonLines) end() []byte {
	return append(strconv.AppendInt([]byte(`{"line":"end","rows":`), int64(l.from), 10), "}\n"...)
}
