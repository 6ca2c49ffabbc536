package jobstest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/jobs/jobstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContractMemory(t *testing.T) {
	t.Parallel()
	jobstest.Run(t, func(*testing.T) jobs.Store { return &jobstest.Memory{} })
}
