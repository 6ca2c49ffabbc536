package chstore

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/filter"
)

// marker is a word that no SQL of ours has; every hostile text has it.
const marker = "zqxhostile"

// hostileTexts are what could end a literal, open a comment, or pass for a parameter.
var hostileTexts = []string{
	marker, marker + `' OR 1=1 --`, `\` + marker + `\'`, `"` + marker + "` OR `x", marker + "{p0:String}", "{p1:Array(String)}" + marker,
	marker + "/* */ -- #\n; DROP TABLE spans", "\x00" + marker + "\x00", "\xff\xfe" + marker, marker + "\t\r\b\f\\N", "%_" + marker + "%%", "[" + marker + "']",
	"zqxhostile') UNION ALL SELECT * FROM system.tables FORMAT Null SETTINGS readonly=0 --", "'; -- \u2028" + marker, "$$" + marker + "$$",
}

// TestNoTextReachesSQL: whatever a client writes into a condition on any column travels as a bound
// parameter. The SQL is the same for every text.
func TestNoTextReachesSQL(t *testing.T) {
	t.Parallel()
	for _, field := range filter.Observations {
		for _, kind := range field.Types() {
			for _, operator := range field.Operators(kind) {
				if err := checkBound(field, kind, operator); err != nil {
					t.Errorf("%s/%s/%s: %v", field.Column, kind, operator, err)
				}
			}
		}
	}
	for _, mode := range []filter.SearchMode{filter.Substring, filter.Phrase, filter.Regex} {
		for _, text := range hostileTexts {
			sql, p, err := rendered(filter.Search{In: filter.SearchColumns, Mode: mode, Value: text})
			if err != nil || strings.Contains(strings.ToLower(sql), marker) || !printable(sql) || !strings.Contains(fmt.Sprint(p.list), marker) {
				t.Errorf("search by mode %d for %q: %s (%v)", mode, text, sql, err)
			}
		}
	}
}

// rendered is the SQL of a condition, on texts or on the spine.
func rendered(c filter.Condition) (string, params, error) {
	var p params
	if texts, _ := splitPayload([]filter.Condition{c}); len(texts) > 0 {
		test, err := newTextTest(&p, texts)
		return test.exact + " " + test.sieve, p, err
	}
	sql, err := where(&p, "project", []filter.Condition{c})
	return sql, p, err
}

// checkBound renders the condition with every text and says what of a text is in the SQL.
func checkBound(field filter.Field, kind, operator string) error {
	var plain string
	for i, text := range hostileTexts {
		c, err := conditionWith(field.Column, kind, operator, text, i)
		if err != nil {
			return err
		}
		sql, p, err := rendered(c)
		if err != nil {
			return err
		}
		if strings.Contains(strings.ToLower(sql), marker) || !printable(sql) {
			return fmt.Errorf("the text %q is in the SQL: %s", text, sql)
		}
		if bound := fmt.Sprint(p.list); carriesText(c) && !strings.Contains(bound, marker) {
			return fmt.Errorf("the text %q is not among the parameters: %s", text, bound)
		}
		if plain == "" {
			plain = sql
		}
		// Words are counted, so only this operator may look at the text.
		if operator != "matches" && sql != plain {
			return fmt.Errorf("the text %q changes the SQL:\n%s\n%s", text, plain, sql)
		}
	}
	return nil
}

// conditionWith is a condition of a client who writes text wherever the type lets it, and other numbers
// and times each time.
func conditionWith(column filter.Column, kind, operator, text string, i int) (filter.Condition, error) {
	value := map[string]any{
		"string": text, "stringObject": text, "stringOptions": []string{text, "x"}, "arrayOptions": []string{text, "x"},
		"number": 1.5e99 * float64(i), "numberObject": -0.25 * float64(i), "boolean": true, "null": "",
		"datetime": time.UnixMilli(1777629600123 + int64(i)).UTC().Format(time.RFC3339Nano),
	}[kind]
	sent, err := json.Marshal([]map[string]any{{"type": kind, "column": column, "operator": operator, "key": text, "value": value}})
	if err != nil {
		return nil, err
	}
	parsed, err := filter.Parse(string(sent), filter.Observations)
	if err != nil {
		return nil, err
	}
	return withRaw(parsed[0], text), nil
}

// withRaw puts the text back as it was: JSON replaces what is not UTF-8, a query string does not.
func withRaw(c filter.Condition, text string) filter.Condition {
	switch c := c.(type) {
	case filter.OneOf:
		c.Values = []string{text, "x"}
		return c
	case filter.Text:
		c.Value = text
		return c
	case filter.List:
		c.Values = []string{text, "x"}
		return c
	case filter.MetadataText:
		c.Key, c.Value = text, text
		return c
	case filter.MetadataNumber:
		c.Key = text
		return c
	case filter.MetadataSet:
		c.Key = text
		return c
	default:
		return c
	}
}

func carriesText(c filter.Condition) bool {
	switch c.(type) {
	case filter.Number, filter.Time, filter.IsTrue, filter.IsSet:
		return false
	}
	return true
}

func TestNoCursorReachesSQL(t *testing.T) {
	t.Parallel()
	for _, text := range hostileTexts {
		var p params
		if sql := after(&p, &filter.Position{TraceID: text, ID: text}); strings.Contains(sql, marker) || len(p.list) < 3 {
			t.Errorf("the text %q is in the SQL: %s", text, sql)
		}
	}
}

// printable reports whether there is nothing in a statement that only a text could have brought.
func printable(sql string) bool {
	return !strings.ContainsFunc(sql, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r > '~' })
}
