package tracestoretest_test

import (
	"testing"

	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	tracestoretest.Run(t, func(*testing.T) tracestoretest.Stores { return &tracestoretest.Memory{} })
	tracestoretest.RunErasure(t, func(*testing.T) tracestoretest.Stores { return &tracestoretest.Memory{} })
}

// One store for all tests, as an engine is shared.
func TestMemoryShared(t *testing.T) {
	t.Parallel()
	store := &tracestoretest.Memory{}
	tracestoretest.Run(t, func(*testing.T) tracestoretest.Stores { return store })
}
