package metastoretest_test

import (
	"testing"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	metastoretest.Run(t, func(*testing.T) metastore.Store { return metastoretest.NewMemory() })
}
