package live_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/live"
	"github.com/sondehq/sonde/internal/live/livetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContractMemory(t *testing.T) {
	t.Parallel()
	livetest.Run(t, func(*testing.T) live.Bus { return livetest.NewNetwork().Node() })
	livetest.RunNodes(t, func(*testing.T) (a, b live.Bus) {
		network := livetest.NewNetwork()
		return network.Node(), network.Node()
	})
}
