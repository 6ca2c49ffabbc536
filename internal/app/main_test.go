package app

import (
	"testing"

	"github.com/sondehq/sonde/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.EngineMain()
	m.Run()
}
