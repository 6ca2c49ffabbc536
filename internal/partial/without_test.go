package partial

import (
	"strings"
	"testing"
)

func TestWithout(t *testing.T) {
	t.Parallel()
	lines := []string{
		`{"id":"1","time_us":1,"kind":"trace-create","body":{"id":"gone"}}`,
		`{"id":"2","time_us":1,"kind":"span-create","body":{"id":"s","traceId":"gone"}}`,
		`{"id":"3","time_us":1,"kind":"span-create","body":{"id":"s","traceId":"kept"}}`,
		`{"id":"4","time_us":1,"kind":"score-create","body":{"id":"c","traceId":"gone"}}`,
		`{"id":"5","time_us":1,"kind":"score-create","body":{"id":"c","sessionId":"gone"}}`,
	}
	rest, dropped, err := Without([]byte(strings.Join(lines, "\n")+"\n"), func(id string) bool { return id == "gone" })
	if want := lines[2] + "\n" + lines[4] + "\n"; err != nil || dropped != 3 || string(rest) != want {
		t.Errorf("dropped %d, %v, left %s", dropped, err, rest)
	}
	if _, _, err := Without([]byte("no JSON"), func(string) bool { return false }); err == nil {
		t.Error("broken lines are taken")
	}
}
