package filter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/filter"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                   nil,
		" -.%_":              nil,
		"one":                {"one"},
		"needle@x.com, x":    {"needle", "x", "com"},
		"Émile 日本語，テスト。abc":  {"Émile", "日本語，テスト。abc"},
		"a_b\x00c\td1":       {"a", "b", "c", "d1"},
		"same Same same":     {"same", "Same"},
		"trailing \xff\xfe ": {"trailing", "\xff\xfe"},
	} {
		if diff := cmp.Diff(want, filter.Words(text)); diff != "" {
			t.Errorf("words of %q (-want +got):\n%s", text, diff)
		}
	}
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, "w%d ", i)
	}
	if n := len(filter.Words(many.String())); n != 64 {
		t.Errorf("%d words, want the first 64", n)
	}
}

func TestLowerASCII(t *testing.T) {
	t.Parallel()
	if got, want := filter.LowerASCII("AZaz09 ÄÖ\xff@["), "azaz09 ÄÖ\xff@["; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
