package blobtest_test

import (
	"testing"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/blob/blobtest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(*testing.T) blob.Store { return &blobtest.Memory{} })
}
