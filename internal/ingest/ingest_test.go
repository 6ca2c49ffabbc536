package ingest_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sondehq/sonde/internal/blob/blobtest"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/eventlogtest"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp"
	"github.com/sondehq/sonde/internal/selfobs"
)

func field(out []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), value)
}

// span has the given input; an id of nil makes it a bad one.
func span(id []byte, input []byte) []byte {
	var out []byte
	out = field(out, 1, bytes.Repeat([]byte{7}, 16))
	out = field(out, 2, id)
	out = field(out, 5, []byte("name"))
	out = protowire.AppendFixed64(protowire.AppendTag(out, 7, protowire.Fixed64Type), uint64(time.Now().UnixNano()))
	return field(out, 9, field(field(nil, 1, []byte("langfuse.observation.input")), 2, field(nil, 1, input)))
}

func body(spans ...[]byte) []byte {
	var scope []byte
	for _, s := range spans {
		scope = field(scope, 2, s)
	}
	return field(nil, 1, field(nil, 2, scope))
}

func id(n int) []byte { return fmt.Appendf(nil, "%08d", n) }

type fixture struct {
	log     *eventlogtest.Memory
	blobs   *blobtest.Memory
	service *ingest.Service
}

func setup(options eventlogtest.Options, gate func() error) fixture {
	f := fixture{log: eventlogtest.NewMemory(options), blobs: &blobtest.Memory{}}
	f.service = ingest.New(f.log, f.blobs, gate, selfobs.NewMetrics())
	return f
}

func open() error { return nil }

// rows maps everything the log holds, as the writer would.
func (f fixture) rows(t *testing.T) []*model.Observation {
	t.Helper()
	var rows []*model.Observation
	for _, d := range f.log.Due() {
		rows = append(rows, f.mapped(t, d.Record())...)
	}
	return rows
}

func (f fixture) mapped(t *testing.T, record []byte) []*model.Observation {
	t.Helper()
	e, err := eventlog.DecodeEnvelope(record)
	if err != nil {
		t.Fatal(err)
	}
	if e.Kind == eventlog.KindRejections {
		return nil
	}
	rows, err := otlp.Map(f.payload(t, e), otlp.Source{ProjectID: e.ProjectID, AcceptedAt: e.AcceptedAt, First: e.First})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// payload is what a record carries, or what it says is in a blob.
func (f fixture) payload(t *testing.T, e eventlog.Envelope) []byte {
	t.Helper()
	if e.BlobKey == "" {
		return e.Payload
	}
	r, err := f.blobs.Get(t.Context(), e.BlobKey)
	if err != nil {
		t.Fatal(err)
	}
	var payload bytes.Buffer
	if _, err := payload.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return payload.Bytes()
}

func TestAcceptedIsInTheLog(t *testing.T) {
	t.Parallel()
	f := setup(eventlogtest.Options{}, open)
	out, err := f.service.Accept(t.Context(), ingest.Submission{ProjectID: "p", Body: body(span(id(1), nil), span(nil, nil), span(id(2), []byte("hi")))})
	if err != nil || out.Accepted != 2 || out.Rejected != 1 || out.Reason == "" {
		t.Fatalf("outcome %+v, %v", out, err)
	}
	rows := f.rows(t)
	if len(rows) != 2 || rows[0].ProjectID != "p" || rows[1].Input != "hi" || rows[0].Version >= rows[1].Version {
		t.Errorf("rows %+v", rows)
	}
}

func TestNothingToStoreIsNotAppended(t *testing.T) {
	t.Parallel()
	f := setup(eventlogtest.Options{}, open)
	for _, b := range [][]byte{nil, body()} {
		if _, err := f.service.Accept(t.Context(), ingest.Submission{ProjectID: "p", Body: b}); err != nil {
			t.Errorf("body %x: %v", b, err)
		}
	}
	if rows := f.rows(t); len(rows) != 0 {
		t.Errorf("%d rows in the log", len(rows))
	}
}

func TestLargeBodiesAreSplit(t *testing.T) {
	t.Parallel()
	f := setup(eventlogtest.Options{MaxRecordBytes: 64 << 10}, open)
	var spans [][]byte
	for i := range 100 {
		spans = append(spans, span(id(i+1), randomText(5_000)))
	}
	spans = append(spans, span(id(500), randomText(200_000))) // larger than a record by itself
	out, err := f.service.Accept(t.Context(), ingest.Submission{ProjectID: "p", Body: body(spans...)})
	if err != nil || out.Accepted != len(spans) {
		t.Fatalf("outcome %+v, %v", out, err)
	}
	versions := map[uint64]bool{}
	for _, o := range f.rows(t) {
		versions[o.Version] = true
	}
	if len(versions) != len(spans) {
		t.Errorf("%d rows with versions of their own, want %d", len(versions), len(spans))
	}
}

func TestLargeSpanWithoutBlobsIsRefused(t *testing.T) {
	t.Parallel()
	log := eventlogtest.NewMemory(eventlogtest.Options{MaxRecordBytes: 64 << 10})
	service := ingest.New(log, nil, open, selfobs.NewMetrics())
	_, err := service.Accept(t.Context(), ingest.Submission{ProjectID: "p", Body: body(span(id(1), randomText(200_000)))})
	if !fault.Is(err, fault.TooLarge) {
		t.Errorf("got %v, want TooLarge", err)
	}
	if status, err := log.Status(t.Context()); err != nil || status.Records != 0 {
		t.Errorf("%d records (%v), want none", status.Records, err)
	}
}

// randomText does not compress, so that sizes are what they seem.
func randomText(n int) []byte {
	text := make([]byte, n)
	if _, err := rand.Read(text); err != nil {
		panic(err)
	}
	for i := range text {
		text[i] = 'a' + text[i]%26
	}
	return text
}

func TestFullLogRefuses(t *testing.T) {
	t.Parallel()
	f := setup(eventlogtest.Options{CapacityBytes: 4096, Partitions: 1}, open)
	var err error
	for range 100 {
		if _, err = f.service.Accept(t.Context(), ingest.Submission{ProjectID: "p", Body: body(span(id(1), randomText(500)))}); err != nil {
			break
		}
	}
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("a full log gives %v, want Unavailable", err)
	}
}

func TestClosedGateRefusesBeforeAnythingElse(t *testing.T) {
	t.Parallel()
	f := setup(eventlogtest.Options{}, func() error { return fault.Unavailablef("disk") })
	_, err := f.service.Accept(t.Context(), ingest.Submission{ProjectID: "p", Body: []byte("garbage")})
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v, want Unavailable", err)
	}
}

func TestGarbageIsInvalid(t *testing.T) {
	t.Parallel()
	f := setup(eventlogtest.Options{}, open)
	for _, json := range []bool{true, false} {
		_, err := f.service.Accept(t.Context(), ingest.Submission{ProjectID: "p", Body: []byte("\xff\xffgarbage"), JSON: json})
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("json %t: got %v, want Invalid", json, err)
		}
	}
}

// While the store is behind, the project that most of what waits belongs to is refused.
func TestHeavyProjectIsRefusedWhileBehind(t *testing.T) {
	t.Parallel()
	f := setup(eventlogtest.Options{}, open)
	for i, project := range []string{"heavy", "heavy", "heavy", "light"} {
		if _, err := f.service.Accept(t.Context(), ingest.Submission{ProjectID: project, Body: body(span(id(i+1), randomText(900_000)))}); err != nil {
			t.Fatal(err)
		}
	}
	status, err := f.log.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	status.OldestPending = time.Now().Add(-3 * time.Second)
	f.service.Observe(status)
	if err := f.service.Open("heavy"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("heavy: %v", err)
	}
	if err := f.service.Open("light"); err != nil {
		t.Errorf("light: %v", err)
	}
}

func TestLogs(t *testing.T) {
	t.Parallel()
	f := setup(eventlogtest.Options{}, open)
	record := func(name string) string {
		return `{"traceId":"0102ab00000000000000000000000000","spanId":"03cd000000000000","eventName":"` + name + `","body":{"stringValue":"hi"}}`
	}
	in := ingest.Submission{ProjectID: "p", SDKName: "python", JSON: true, Body: []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + record("gen_ai.choice") + `,` + record("my.log") + `]}]}]}`)}
	out, err := f.service.AcceptLogs(t.Context(), in)
	if err != nil || out.Accepted != 1 || out.Rejected != 0 {
		t.Errorf("outcome %+v, %v", out, err)
	}
	if kept, _ := f.events(t); len(kept) != 1 || !strings.Contains(string(kept[0].Body), `"hi"`) {
		t.Errorf("kept %+v", kept)
	}
	closed := setup(eventlogtest.Options{}, func() error { return fault.Unavailablef("full") })
	if _, err := closed.service.AcceptLogs(t.Context(), in); !fault.Is(err, fault.Unavailable) {
		t.Errorf("no room: %v", err)
	}
	if _, err := f.service.AcceptLogs(t.Context(), ingest.Submission{ProjectID: "p", Body: []byte{0xff}}); !fault.Is(err, fault.Invalid) {
		t.Errorf("garbage: %v", err)
	}
}

// What could not be appended a moment ago speaks for what comes next, until something is.
func TestAcknowledging(t *testing.T) {
	t.Parallel()
	f := setup(eventlogtest.Options{Partitions: 1, CapacityBytes: 64 << 10}, open)
	submit := func(size int) error {
		_, err := f.service.Accept(t.Context(), ingest.Submission{ProjectID: "p", Body: body(span(id(1), randomText(size)))})
		return err
	}
	if err := f.service.Acknowledging(); err != nil {
		t.Errorf("before anything came: %v", err)
	}
	if err := submit(200_000); !fault.Is(err, fault.Unavailable) {
		t.Fatalf("a log without room answers %v", err)
	}
	if err := f.service.Acknowledging(); !fault.Is(err, fault.Unavailable) {
		t.Errorf("after a refusal: %v", err)
	}
	if err := submit(10); err != nil {
		t.Fatal(err)
	}
	if err := f.service.Acknowledging(); err != nil {
		t.Errorf("after something was taken: %v", err)
	}
}
