package e2e_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// The same bytes to two projects are two sets of rows; the same bytes again, at once or after a
// restart, are none.
func TestSameBytesCountOnce(t *testing.T) {
	s := startServer(t)
	one, other := s.client(), s.addProject("other")
	binary, text := newSpans(20), newSpans(20)
	bodies := []body{inProtobuf(t, binary...), inJSON(t, text...)}
	spans := slices.Concat(binary, text)

	stored := 0
	send := func(c *client) {
		t.Helper()
		for _, b := range bodies {
			c.send(b)
		}
		stored += len(spans)
		s.stored(stored)
	}
	send(one)
	one.shows(spans, 1000, 3)
	other.shows(nil, 1000)
	send(other)
	send(one)
	send(one)
	one.shows(spans, 1000, 3)
	other.shows(spans, 1000)

	s.restart()
	stored = 0
	send(one) // an exporter that was away for hours
	send(other)
	one.shows(spans, 1000, 3)
	other.shows(spans, 1000, 3)
}

// stored waits until the server has inserted this many rows since its start.
func (s *server) stored(rows int) {
	s.t.Helper()
	eventually(s.t, 30*time.Second, "what was sent is stored", func() error {
		n, err := s.metric("sonde_writer_rows_inserted_total")
		if err == nil && int(n) != rows {
			err = fmt.Errorf("%.0f rows of %d", n, rows)
		}
		return err
	})
}
