package e2e_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A pipeline finds the regressions that the demo plants, all of them and nothing else, and tells a failed gate from a
// comparison that could not be made.
func TestExperimentsDiff(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	access := []string{"SONDE_URL=http://" + s.listen, "SONDE_PUBLIC_KEY=" + publicKey, "SONDE_SECRET_KEY=" + secretKey}
	filled := run(t, environment(t, access...), "demo", "--small", "--traces", "0", "--days", "1")
	if filled.code != 0 {
		t.Fatal(filled.stderr)
	}
	diff := func(args ...string) result {
		return run(t, environment(t, access...), append([]string{"experiments", "diff"}, args...)...)
	}
	const before, worse, small = "gpt-4o, first prompt", "gpt-4o, sources", "gpt-4o-mini, first prompt"
	compare := func(baseline, candidate string, more ...string) result {
		return diff(append([]string{"--baseline", baseline, "--candidate", candidate}, more...)...)
	}
	eventually(t, 30*time.Second, "all scores are stored", func() error {
		if got := compare(before, worse); !regexp.MustCompile(`similarity .*\b24 +\d+ +2 +0`).MatchString(got.stdout) {
			return fmt.Errorf("code %d, %s%s", got.code, got.stdout, got.stderr)
		}
		return nil
	})

	planted := []string{"support-question-12", "support-question-24"}
	for _, baseline := range []string{before, small} {
		got := compare(baseline, worse)
		items := regexp.MustCompile(`support-question-\d+`).FindAllString(got.stdout, -1)
		if diff := cmp.Diff(planted, items); diff != "" || got.code != 0 {
			t.Errorf("regressions beside %s, code %d (-want +got):\n%s", baseline, got.code, diff)
		}
	}
	if got := compare(small, before); strings.Contains(got.stdout, "Regressed") {
		t.Errorf("there is a regression where none is planted:\n%s", got.stdout)
	}

	for _, c := range []struct {
		name string
		got  result
		code int
		says string
	}{
		{"no rule is broken", compare(before, worse, "--fail-on", "correct<-0.5", "--fail-on", "latency>60"), 0, "ok    correct<-0.5: correct "},
		{"one of two is", compare(before, worse, "--fail-on", "correct<-0.5", "--fail-on", "latency>0.1"), 1, "FAIL  latency>0.1: latency rose by "},
		{"the other way round", compare(worse, before, "--fail-on", "latency<-0.1"), 1, "latency fell by "},
		{"in Markdown", compare(before, worse, "--markdown", "--fail-on", "similarity>-1"), 1, "| similarity | 0."},
		{"the planted regressions", compare(before, worse, "--fail-on", "regressions>0"), 1, "FAIL  regressions>0: items with a score that got worse: 2"},
		{"as many as are allowed", compare(before, worse, "--fail-on", "regressions>2", "--regressions", "0"), 0, "ok    regressions>2"},
		{"none where none is planted", compare(small, before, "--fail-on", "regressions>0"), 0, "ok    regressions>0: items with a score that got worse: 0"},
		{"them in Markdown", compare(before, worse, "--markdown", "--fail-on", "regressions>0"), 1, "- support-question-12: correct -1.000"},
		{"less is better", compare(small, before, "--lower-is-better", "similarity"), 0, "Regressed items: 24"},
		{"an unknown score", compare(before, worse, "--fail-on", "accuracies<0"), 2, "there are correct, cost, latency, similarity"},
		{"a rule that is none", compare(before, worse, "--fail-on", "correct"), 2, "accuracy<-0.02"},
		{"an unknown experiment", compare(before, "nothing"), 2, `no experiment with the id or the name "nothing"`},
		{"one experiment twice", compare(before, before), 2, "comes twice"},
		{"a missing flag", diff("--baseline", before), 2, "--candidate"},
		{"no server", compare(before, worse, "--url", "http://"+freeAddress(t)), 2, "does not answer"},
		{"a wrong key", compare(before, worse, "--secret-key", "sk-lf-wrong"), 2, "the server refuses"},
	} {
		if said := c.got.stdout + c.got.stderr; c.got.code != c.code || !strings.Contains(said, c.says) {
			t.Errorf("%s: code %d, want %d and %q in\n%s", c.name, c.got.code, c.code, c.says, said)
		}
	}
}
