package ingest_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/eventlogtest"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/partial"
)

// logged is one event as the log holds it, with its position in the request.
type logged struct {
	partial.Event
	position int
	blob     bool
}

func (f fixture) events(t *testing.T) (list []logged, records int) {
	t.Helper()
	for _, d := range f.log.Due() {
		records++
		e, err := eventlog.DecodeEnvelope(d.Record())
		if err != nil || e.Kind != eventlog.KindPartials || e.ProjectID != "p" || e.SDKName != "python" {
			t.Fatalf("envelope %+v, %v", e, err)
		}
		events, err := partial.ParseLines(f.payload(t, e))
		if err != nil {
			t.Fatal(err)
		}
		for i, event := range events {
			list = append(list, logged{event, e.First + i, e.BlobKey != ""})
		}
	}
	slices.SortFunc(list, func(a, b logged) int { return a.position - b.position })
	return list, records
}

// spanEvent is the create of a span with an input that does not compress.
func spanEvent(n, size int) partial.Event {
	text := make([]byte, size/2)
	for i := range text {
		text[i] = byte(i*i*7 + i*n + i>>3)
	}
	body := fmt.Sprintf(`{"id":"%d","traceId":"t","input":"%s"}`, n, hex.EncodeToString(text))
	return partial.Event{ID: strconv.Itoa(n), Time: time.UnixMicro(1_790_000_000_000_000).UTC(), Kind: "span-create", Body: json.RawMessage(body)}
}

func TestEventsAreInTheLog(t *testing.T) {
	t.Parallel()
	f := setup(eventlogtest.Options{MaxRecordBytes: 64 << 10}, open)
	var events []partial.Event
	for n := range 20 {
		size := 10 << 10
		if n == 7 {
			size = 300 << 10 // larger than a record
		}
		events = append(events, spanEvent(n, size))
	}
	out, err := f.service.AcceptEvents(t.Context(), ingest.EventSubmission{ProjectID: "p", Events: events, Rejected: 2, Notes: 1, SDKName: "python"})
	if err != nil || out.Accepted != 20 || out.Rejected != 2 {
		t.Fatalf("outcome %+v, %v", out, err)
	}
	got, records := f.events(t)
	if len(got) != len(events) || records < 4 || records > 8 {
		t.Fatalf("%d events in %d records", len(got), records)
	}
	for i, e := range got {
		if e.position != i || e.ID != events[i].ID || !e.Time.Equal(events[i].Time) || !bytes.Equal(e.Body, events[i].Body) || e.Kind != events[i].Kind {
			t.Errorf("event %d came as %d with id %s and %d bytes", i, e.position, e.ID, len(e.Body))
		}
		if e.blob && i != 7 {
			t.Errorf("event %d lies in a blob", i)
		}
	}
}

func TestNoEventsNoRecord(t *testing.T) {
	t.Parallel()
	f := setup(eventlogtest.Options{}, func() error { return fault.Unavailablef("no room") })
	if out, err := f.service.AcceptEvents(t.Context(), ingest.EventSubmission{ProjectID: "p", Notes: 3}); err != nil || out.Receipt != "" {
		t.Errorf("outcome %+v, %v", out, err)
	}
	if _, records := f.events(t); records != 0 {
		t.Errorf("%d records", records)
	}
}

func TestEventsAreRefusedWithoutRoom(t *testing.T) {
	t.Parallel()
	gated := setup(eventlogtest.Options{}, func() error { return fault.Unavailablef("no room") })
	full := setup(eventlogtest.Options{Partitions: 1, CapacityBytes: 1 << 10}, open)
	for name, f := range map[string]fixture{"gate": gated, "full log": full} {
		_, err := f.service.AcceptEvents(t.Context(), ingest.EventSubmission{ProjectID: "p", Events: []partial.Event{spanEvent(1, 8<<10)}, SDKName: "python"})
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", name, err)
		}
		if got, _ := f.events(t); len(got) != 0 {
			t.Errorf("%s: %d events in the log", name, len(got))
		}
	}
}

// Sending a score again is another event of it, whatever id the client gives: what was said first
// must stay known. A redelivery is not, because the id is in the log.
func TestEveryAcceptanceOfAScoreCounts(t *testing.T) {
	t.Parallel()
	f := setup(eventlogtest.Options{}, open)
	score := partial.Event{ID: "same", Time: time.UnixMicro(1_790_000_000_000_000).UTC(), Kind: partial.Score, Body: json.RawMessage(`{"id":"sc"}`)}
	deletion, err := partial.NewScoreDelete("sc", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	in := ingest.EventSubmission{ProjectID: "p", Events: []partial.Event{score, deletion, score}, SDKName: "python"}
	for range 2 {
		if _, err := f.service.AcceptEvents(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := f.events(t)
	ids := map[string]bool{}
	for _, e := range got {
		ids[e.ID] = true
	}
	if len(got) != 6 || len(ids) != 6 || ids["same"] || ids[""] || in.Events[0].ID != "same" {
		t.Errorf("%d events with ids %v", len(got), ids)
	}
}
