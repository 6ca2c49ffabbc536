package otlp

import (
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/otlp/otlptest"
)

func TestMappingCases(t *testing.T) {
	t.Parallel()
	cases := otlptest.Cases()
	if len(cases) != 123 {
		t.Errorf("%d cases, want 123", len(cases))
	}
	passed, fields := 0, 0
	for _, c := range cases {
		row := mapAll(t, parseJSON(t, object{"resourceSpans": c.ResourceSpans}))[0]
		fields += len(c.Want)
		if diff := otlptest.Diff(c.Want, otlptest.Of(row)); len(diff) > 0 {
			t.Errorf("%s (%s):\n%s", c.ID, c.Name, strings.Join(diff, "\n"))
			continue
		}
		passed++
	}
	t.Logf("%d of %d cases pass, %d fields compared", passed, len(cases), fields)
}
