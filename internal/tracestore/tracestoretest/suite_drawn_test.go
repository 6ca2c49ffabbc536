package tracestoretest

import (
	"testing"

	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"
)

// Two suites may run side by side: the race detector sees what they share.
func TestGeneratorsAreShared(t *testing.T) {
	t.Parallel()
	generator := shared(func(t *rapid.T) bool { return rapid.Bool().Draw(t, "any") })
	var suites errgroup.Group
	for seed := range 8 {
		suites.Go(func() error {
			generator.Example(seed)
			rapid.SliceOf(generator).Example(seed)
			return nil
		})
	}
	if err := suites.Wait(); err != nil {
		t.Fatal(err)
	}
}
