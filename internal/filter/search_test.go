package filter_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
)

func TestParseSearch(t *testing.T) {
	t.Parallel()
	search := func(mode filter.SearchMode, value string, in ...filter.Column) []filter.Condition {
		return []filter.Condition{filter.Search{In: in, Mode: mode, Value: value}}
	}
	for _, c := range []struct {
		value, mode string
		in          []string
		want        []filter.Condition
		fault       string
	}{
		{value: "", want: nil},
		{value: " x ", want: search(filter.Substring, " x ", filter.Input, filter.Output)},
		{value: "%", mode: "substring", in: []string{"output"}, want: search(filter.Substring, "%", filter.Output)},
		{value: "a b", mode: "phrase", in: []string{"output", "input", "output"}, want: search(filter.Phrase, "a b", filter.Output, filter.Input)},
		{value: "a|b", mode: "regex", want: search(filter.Regex, "a|b", filter.Input, filter.Output)},
		{value: "x", mode: "Regex", fault: "searchMode must be one of phrase, substring, regex"},
		{value: "", mode: "like", fault: "searchMode must be one of phrase, substring, regex"},
		{value: "x", in: []string{"metadata"}, fault: "searchIn must be input, output or both, separated by a comma"},
		{value: "...", mode: "phrase", fault: "search needs at least one letter or digit to be a phrase; use searchMode=substring for signs"},
		{value: "a(b", mode: "regex", fault: "search is not a regular expression in the syntax of RE2: missing closing ): `a(b`"},
		{value: `(?=a)`, mode: "regex", fault: "search is not a regular expression in the syntax of RE2: invalid or unsupported Perl syntax: `(?=`"},
		{value: strings.Repeat("x", filter.MaxRegexBytes+1), mode: "regex", fault: "search must not be longer than 1000 bytes as a regular expression, got 1001"},
		{value: strings.Repeat("x", filter.MaxSearchBytes+1), fault: "search must not be longer than 16384 bytes, got 16385"},
	} {
		got, err := filter.ParseSearch(c.value, c.mode, c.in)
		switch {
		case c.fault != "" && (!fault.Is(err, fault.Invalid) || err.Error() != c.fault):
			t.Errorf("%.20q %s %v gives %v, want %q", c.value, c.mode, c.in, err, c.fault)
		case c.fault == "" && (err != nil || cmp.Diff(c.want, got) != ""):
			t.Errorf("%.20q %s %v: %v\n%s", c.value, c.mode, c.in, err, cmp.Diff(c.want, got))
		}
	}
}

// FuzzSearch: what is parsed can be run, and everything else is a fault of the client.
func FuzzSearch(f *testing.F) {
	for _, seed := range [][3]string{{"x", "", ""}, {"a b", "phrase", "input"}, {"a(?i)b{1,1000}", "regex", "output,input"}, {"\xff\x00", "substring", "x"}} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, value, mode, in string) {
		var columns []string
		if in != "" {
			columns = strings.Split(in, ",")
		}
		conditions, err := filter.ParseSearch(value, mode, columns)
		if err != nil {
			if !fault.Is(err, fault.Invalid) || len(conditions) > 0 {
				t.Fatalf("%v with %v", err, conditions)
			}
			return
		}
		for _, c := range conditions {
			s, ok := c.(filter.Search)
			if !ok || s.Value != value || len(s.In) == 0 || len(s.In) > 2 || slices.ContainsFunc(s.In, func(c filter.Column) bool { return !slices.Contains(filter.SearchColumns, c) }) {
				t.Fatalf("%q gives %+v", value, c)
			}
			if _, err := regexp.Compile(value); s.Mode == filter.Regex && err != nil {
				t.Fatalf("%q is no expression: %v", value, err)
			}
		}
	})
}
