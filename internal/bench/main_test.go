package bench

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.EngineMain()
	goleak.VerifyTestMain(m)
}
