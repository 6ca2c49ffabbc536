package writer

import (
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

func rowsOf(n int) unit { return unit{rows: make([]*model.Observation, n), bytes: n} }

// A batch whose time has come grows while the store is busy with another small one, for a while; a
// full batch does not wait.
func TestDueBatchesComeOneAtATime(t *testing.T) {
	t.Parallel()
	w := &Writer{config: Config{MaxRows: 10, MaxBytes: 1 << 20, MaxWait: 200 * time.Millisecond}}
	units, due, full := make(chan unit), make(chan batch), make(chan batch)
	done := make(chan struct{})
	go func() { w.collect(units, due, full); close(done) }()

	units <- rowsOf(1)
	if b := <-due; b.rows != 1 {
		t.Errorf("first batch of %d rows", b.rows)
	}
	began := time.Now()
	units <- rowsOf(1) // nobody takes due ones now
	units <- rowsOf(1)
	if b := <-full; b.rows != 2 || time.Since(began) < 2*w.config.MaxWait {
		t.Errorf("a batch of %d rows after %s", b.rows, time.Since(began))
	}
	units <- rowsOf(4)
	units <- rowsOf(6)
	if b := <-full; b.rows != 10 {
		t.Errorf("full batch of %d rows", b.rows)
	}
	units <- rowsOf(2)
	close(units)
	if b := <-full; b.rows != 2 {
		t.Errorf("last batch of %d rows", b.rows)
	}
	if _, open := <-due; open {
		t.Error("a batch after the last")
	}
	<-done
}
