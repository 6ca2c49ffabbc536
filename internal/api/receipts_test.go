package api_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/tracestore"
)

// fakeReceipts knows the receipt "good.seal" of project A.
type fakeReceipts struct {
	state ingest.ReceiptState
	err   error
}

func (f *fakeReceipts) State(_ context.Context, projectID, id string) (ingest.ReceiptState, error) {
	if projectID != "project-a" || id != "good.seal" {
		return ingest.ReceiptState{}, fault.New(fault.NotFound, "Receipt not found")
	}
	return f.state, f.err
}

func TestReceipt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.receipts.state = ingest.ReceiptState{
		Status: ingest.ReceiptPartial, AcceptedAt: noon, Accepted: 3, Rejected: 5, Omitted: 3,
		Rejections: []tracestore.Rejection{
			{ProjectID: "project-a", Partition: 1, Sequence: 2, Item: 1, TraceID: "t", ObservationID: "o", Reason: "spanId:absent", At: noon},
			{Item: 4, Reason: "<b>"},
		},
	}
	a := f.get(t, "/api/public/receipts/good.seal")
	want := `{"id":"good.seal","status":"partial","acceptedAt":"2026-05-01T12:00:00.000Z","spans":{"accepted":3,"rejected":5},"pending":0,` +
		`"rejections":[{"item":1,"traceId":"t","observationId":"o","reason":"spanId:absent"},{"item":4,"traceId":null,"observationId":null,"reason":"<b>"}],` +
		`"rejectionsOmitted":3}` + "\n"
	if a.status != http.StatusOK || a.body != want {
		t.Errorf("status %d, body %s", a.status, a.body)
	}
	f.receipts.state = ingest.ReceiptState{Status: ingest.ReceiptAccepted, AcceptedAt: noon, Accepted: 1, Pending: 1}
	if a := f.get(t, "/api/public/receipts/good.seal"); a.status != http.StatusOK {
		t.Errorf("status %d, body %s", a.status, a.body)
	}
	f.receipts.err = fault.Unavailablef("away")
	if a := f.get(t, "/api/public/receipts/good.seal"); a.status != http.StatusServiceUnavailable {
		t.Errorf("status %d, body %s", a.status, a.body)
	}
}

// Whatever is no receipt of the caller's is answered in the same words.
func TestForeignReceipts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const want = `{"message":"Receipt not found","error":"LangfuseNotFoundError"}` + "\n"
	for name, r := range map[string]*http.Request{
		"another project": request("GET", "/api/public/receipts/good.seal", keyB, nil),
		"made up":         request("GET", "/api/public/receipts/abc", keyA, nil),
		"odd":             request("GET", "/api/public/receipts/%00%2F..", keyA, nil),
	} {
		if a := f.send(t, r); a.status != http.StatusNotFound || a.body != want {
			t.Errorf("%s: status %d, body %s", name, a.status, a.body)
		}
	}
	if a := f.send(t, request("GET", "/api/public/receipts/good.seal", "", nil)); a.status != http.StatusUnauthorized {
		t.Errorf("without a key: status %d", a.status)
	}
}

func TestNodesWithoutLog(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(cfg *api.Config) { cfg.Receipts, cfg.DeadLetters = nil, nil })
	for _, target := range []string{"/api/public/receipts/good.seal", "/api/public/dead-letters", "/api/public/dead-letters/1"} {
		if a := f.get(t, target); a.status != http.StatusNotFound {
			t.Errorf("%s: status %d", target, a.status)
		}
	}
}
