package eventlog_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/eventlog"
)

func TestRejectionsAreBounded(t *testing.T) {
	t.Parallel()
	long := eventlog.Rejections{List: make([]eventlog.Rejection, eventlog.MaxRejections+5), More: 2}
	for i := range long.List {
		long.List[i] = eventlog.Rejection{Item: i, Reason: strings.Repeat("ä", 10_000), TraceID: strings.Repeat("t", 10_000), ObservationID: "\xff"}
	}
	payload, err := long.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := eventlog.DecodeRejections(payload)
	if err != nil || len(got.List) != eventlog.MaxRejections || got.More != 7 {
		t.Fatalf("%d rejections and %d more, %v", len(got.List), got.More, err)
	}
	first := got.List[0]
	if len(first.Reason) > eventlog.MaxReasonBytes || len(first.TraceID) > 256 || first.ObservationID != "" || !strings.HasSuffix(first.Reason, "ä…") {
		t.Errorf("%d bytes of reason, %d of trace id, observation %q", len(first.Reason), len(first.TraceID), first.ObservationID)
	}
	if len(payload) > 900<<10 {
		t.Errorf("%d bytes do not fit into a record", len(payload))
	}
}

// FuzzDecodeRejections checks that whatever is read is bounded and reads the same again.
func FuzzDecodeRejections(f *testing.F) {
	f.Add([]byte(`{"rejections":[{"item":3,"trace":"t","observation":"o","reason":"why"}],"more":4}`))
	f.Add([]byte(`{"rejections":[{"item":-1}]}`))
	f.Add([]byte(`{}`))
	f.Add([]byte(``))
	f.Fuzz(func(t *testing.T, payload []byte) {
		read, err := eventlog.DecodeRejections(payload)
		if err != nil {
			if !errors.Is(err, eventlog.ErrEnvelope) {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		again, err := read.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := eventlog.DecodeRejections(again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(read, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestOwner(t *testing.T) {
	t.Parallel()
	record := golden(t, "full")
	if project, kind := eventlog.Owner(record[:len(record)-5]); project != `pröject "1"` || kind != eventlog.KindOTLPTraces {
		t.Errorf("a damaged payload hides the owner: %q, %q", project, kind)
	}
	for _, broken := range [][]byte{nil, {}, {1}, {2, 0}, {1, 0x80}, {1, 9, '{'}, {1, 1, 'x'}} {
		if project, kind := eventlog.Owner(broken); project != "" || kind != "" {
			t.Errorf("%x belongs to %q, %q", broken, project, kind)
		}
	}
}
