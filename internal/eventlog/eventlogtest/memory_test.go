package eventlogtest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/eventlogtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemory(t *testing.T) {
	t.Parallel()
	eventlogtest.Run(t, func(_ *testing.T, opts eventlogtest.Options) eventlog.Log {
		return eventlogtest.NewMemory(opts)
	})
}
