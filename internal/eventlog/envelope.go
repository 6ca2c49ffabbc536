package eventlog

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/klauspost/compress/s2"
)

// Kind says what an envelope's payload is.
type Kind string

// The kinds of payloads.
const (
	KindOTLPTraces Kind = "otlp-traces"    // a protobuf ExportTraceServiceRequest
	KindPartials   Kind = "partial-events" // partial events, each a line of JSON
)

// Envelope is what the log carries: a client's data as it came, with what the server knew
// when it accepted it. The wire form is described in docs/formats/envelope.md.
type Envelope struct {
	Kind       Kind
	ProjectID  string
	AcceptedAt time.Time // microseconds; orders versions of a row
	SDKName    string
	SDKVersion string
	// First is the position in the request of the payload's first span: a body that was split
	// over several envelopes still gives every span its own version.
	First int
	// BlobKey, when set, is where the payload lies because it is larger than a record.
	BlobKey string
	Payload []byte
}

// ErrEnvelope is wrapped by DecodeEnvelope for bytes that are no envelope this version reads.
var ErrEnvelope = errors.New("not a readable envelope")

// envelopeVersion is the first byte of every envelope.
const envelopeVersion = 1

// maxPayloadBytes bounds what a damaged length can make us allocate.
const maxPayloadBytes = 1 << 30

type envelopeHeader struct {
	Kind       Kind   `json:"kind"`
	ProjectID  string `json:"project"`
	AcceptedAt int64  `json:"accepted_us"`
	SDKName    string `json:"sdk,omitempty"`
	SDKVersion string `json:"sdk_version,omitempty"`
	First      int    `json:"first,omitempty"`
	BlobKey    string `json:"blob,omitempty"`
}

// Encode renders the envelope: version, header length, header as JSON, payload compressed by S2.
func (e Envelope) Encode() ([]byte, error) { return e.AppendTo(nil) }

// AppendTo is Encode into a buffer that the caller reuses; buf is grown where it is too small.
func (e Envelope) AppendTo(buf []byte) ([]byte, error) {
	header, err := json.Marshal(envelopeHeader{
		e.Kind, e.ProjectID, e.AcceptedAt.UnixMicro(), e.SDKName, e.SDKVersion, e.First, e.BlobKey,
	})
	if err != nil {
		return nil, fmt.Errorf("encode envelope header: %w", err)
	}
	out := slices.Grow(buf[:0], 1+binary.MaxVarintLen32+len(header)+s2.MaxEncodedLen(len(e.Payload)))
	out = append(out, envelopeVersion)
	out = binary.AppendUvarint(out, uint64(len(header)))
	out = append(out, header...)
	body := s2.Encode(out[len(out):cap(out)], e.Payload)
	return out[:len(out)+len(body)], nil
}

// DecodeEnvelope reads what Encode wrote. The payload does not alias record.
func DecodeEnvelope(record []byte) (Envelope, error) {
	if len(record) == 0 || record[0] != envelopeVersion {
		return Envelope{}, fmt.Errorf("%w: unknown version", ErrEnvelope)
	}
	size, n := binary.Uvarint(record[1:])
	if n <= 0 || size > uint64(len(record)-1-n) {
		return Envelope{}, fmt.Errorf("%w: header length", ErrEnvelope)
	}
	rest := record[1+n:]
	var h envelopeHeader
	if err := json.Unmarshal(rest[:size], &h); err != nil {
		return Envelope{}, fmt.Errorf("%w: header: %w", ErrEnvelope, err)
	}
	body := rest[size:]
	if length, err := s2.DecodedLen(body); err != nil || length > maxPayloadBytes {
		return Envelope{}, fmt.Errorf("%w: payload length", ErrEnvelope)
	}
	payload, err := s2.Decode(nil, body)
	if err != nil {
		return Envelope{}, fmt.Errorf("%w: payload: %w", ErrEnvelope, err)
	}
	return Envelope{
		Kind: h.Kind, ProjectID: h.ProjectID, AcceptedAt: time.UnixMicro(h.AcceptedAt).UTC(),
		SDKName: h.SDKName, SDKVersion: h.SDKVersion, First: h.First, BlobKey: h.BlobKey, Payload: payload,
	}, nil
}
