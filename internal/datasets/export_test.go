package datasets

import (
	"log/slog"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
)

// LinkerAt makes a linker with a clock.
func LinkerAt(store metastore.Datasets, rows Rows, log *slog.Logger, now func() time.Time) *Linker {
	l := NewLinker(store, rows, log)
	l.now = now
	return l
}
