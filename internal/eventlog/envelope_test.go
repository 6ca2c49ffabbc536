package eventlog_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/eventlog"
)

// version1 are envelopes whose bytes lie in testdata, as the first release wrote them. Logs
// and dead letters hold such bytes: a change here needs a new version, never new files.
var version1 = map[string]eventlog.Envelope{
	"empty": {AcceptedAt: time.UnixMicro(0).UTC()},
	"full": {
		Kind: eventlog.KindOTLPTraces, ProjectID: `pröject "1"`, AcceptedAt: time.UnixMicro(1_790_000_000_123_456).UTC(),
		SDKName: "python", SDKVersion: "4.1.0", First: 1024,
		Payload: append(bytes.Repeat([]byte("spans "), 40), 0, 1, 2, 253, 254, 255),
	},
	"blob": {
		Kind: eventlog.KindOTLPTraces, ProjectID: "p", AcceptedAt: time.UnixMicro(1_790_000_000_000_000).UTC(),
		BlobKey: "bodies/2026/11/0a1b2c",
	},
	"long header": {
		Kind: eventlog.KindOTLPTraces, ProjectID: strings.Repeat("p", 200), AcceptedAt: time.UnixMicro(1).UTC(),
		Payload: []byte{0xff},
	},
}

func golden(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "envelope_v1", strings.ReplaceAll(name, " ", "_")+".hex"))
	if err != nil {
		t.Fatal(err)
	}
	record, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func TestEnvelopeVersion1IsReadable(t *testing.T) {
	t.Parallel()
	for name, want := range version1 {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := eventlog.DecodeEnvelope(golden(t, name))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The compressed payload is left out: another release of the compressor may find other,
// equally readable bytes.
func TestEnvelopeVersion1IsWrittenTheSame(t *testing.T) {
	t.Parallel()
	for name, envelope := range version1 {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := envelope.Encode()
			if err != nil {
				t.Fatal(err)
			}
			want := golden(t, name)
			end := bytes.IndexByte(want, '}') + 1
			if len(got) < end || !bytes.Equal(got[:end], want[:end]) {
				t.Errorf("version, length and header are\n%q, want\n%q", got[:min(end, len(got))], want[:end])
			}
		})
	}
}

func TestEnvelopeRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := eventlog.Envelope{
			Kind:       eventlog.Kind(rapid.String().Draw(t, "kind")),
			ProjectID:  rapid.String().Draw(t, "project"),
			AcceptedAt: time.UnixMicro(rapid.Int64Range(0, 1<<52).Draw(t, "accepted")).UTC(),
			SDKName:    rapid.String().Draw(t, "sdk"),
			SDKVersion: rapid.String().Draw(t, "version"),
			First:      rapid.IntRange(0, 1<<31-1).Draw(t, "first"),
			BlobKey:    rapid.String().Draw(t, "blob"),
			Payload:    rapid.SliceOf(rapid.Byte()).Draw(t, "payload"),
		}
		record, err := want.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := eventlog.DecodeEnvelope(record)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		used := bytes.Repeat([]byte{0xaa}, rapid.IntRange(0, 300).Draw(t, "used buffer"))
		again, err := want.AppendTo(used)
		if err != nil || !bytes.Equal(again, record) {
			t.Fatalf("into a used buffer: %x, %v; want %x", again, err, record)
		}
	})
}

func TestDecodedPayloadIsItsOwn(t *testing.T) {
	t.Parallel()
	record, err := eventlog.Envelope{Payload: []byte("payload")}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := eventlog.DecodeEnvelope(record)
	if err != nil {
		t.Fatal(err)
	}
	clear(record)
	if string(got.Payload) != "payload" {
		t.Errorf("the payload changed with the record: %q", got.Payload)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	good := golden(t, "full")
	header := bytes.IndexByte(good, '}') + 1
	tests := map[string][]byte{
		"nothing":                 nil,
		"version 0":               {0},
		"version 2":               append([]byte{2}, good[1:]...),
		"version alone":           good[:1],
		"header length cut":       {1, 0x80},
		"header length too large": {1, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"header length overflows": {1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
		"header cut":              good[:header-1],
		"header is no JSON":       {1, 1, 'x', 0},
		"payload missing":         good[:header],
		"payload cut":             good[:len(good)-1],
		"payload too large":       append(bytes.Clone(good[:header]), 0xff, 0xff, 0xff, 0xff, 0x0f, 0),
		"trailing bytes":          append(bytes.Clone(good), 0),
	}
	for name, record := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := eventlog.DecodeEnvelope(record); !errors.Is(err, eventlog.ErrEnvelope) {
				t.Errorf("decoded to %+v, %v", got, err)
			}
		})
	}
}

// FuzzDecodeEnvelope checks that no bytes make the decoder panic, and that whatever it reads
// can be written and read again.
func FuzzDecodeEnvelope(f *testing.F) {
	for name := range version1 {
		f.Add(golden(f, name))
	}
	f.Add([]byte{})
	f.Add([]byte{1, 2, '{', '}', 0})
	f.Fuzz(func(t *testing.T, record []byte) {
		envelope, err := eventlog.DecodeEnvelope(record)
		if err != nil {
			if !errors.Is(err, eventlog.ErrEnvelope) {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		again, err := envelope.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := eventlog.DecodeEnvelope(again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(envelope, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}
