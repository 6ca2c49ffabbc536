// Package ingest takes what clients send: it validates every span, appends the good ones to the
// log and says so only after the log has them on disk.
//
// Promise: when Accept returns without error, every accepted span is durable. A bad span is
// reported and harms no good one.
package ingest

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/otlp"
	"github.com/sondehq/sonde/internal/selfobs"
)

// Submission is one OTLP trace export, authenticated and decompressed.
type Submission struct {
	ProjectID  string
	Body       []byte // not kept after Accept returns
	JSON       bool   // else protobuf
	SDKName    string
	SDKVersion string
}

// Outcome is what became of a submission.
type Outcome struct {
	Accepted int
	Rejected int
	Reason   string // why spans were rejected, for the client
	Receipt  string // names all of them to Receipts.State; empty when there was nothing to take
}

// Log is what ingest needs of the log.
type Log interface {
	// Append stores a record durably, as eventlog.Log promises.
	Append(ctx context.Context, record []byte) (eventlog.Position, error)
	// MaxRecordBytes is the largest record Append takes.
	MaxRecordBytes() int
}

// Service accepts submissions.
type Service struct {
	log      Log
	blobs    blob.Store
	gate     func() error
	metrics  *selfobs.Metrics
	receipts *Receipts // nil: none are given
	shares   *shares
	admit    func(ctx context.Context, projectID string) error // nil: everybody
	failing  atomic.Pointer[failing]
	buffers  sync.Pool // of *[]byte: records are as large as bodies and live as long as one append
}

// New makes a service. Without blobs, a span that is larger than a record is refused. The gate
// refuses (fault.Unavailable) while there is not enough room left for the store to drain what the
// log already holds.
func New(log Log, blobs blob.Store, gate func() error, metrics *selfobs.Metrics) *Service {
	return &Service{log: log, blobs: blobs, gate: gate, metrics: metrics, shares: newShares()}
}

// WithReceipts makes the service answer with receipts, and returns it.
func (s *Service) WithReceipts(receipts *Receipts) *Service {
	s.receipts = receipts
	return s
}

// Admitting asks before every append whether the project may still be written to, and returns the service. A body takes
// time to come; who was let in with it may not be any more when it is there.
func (s *Service) Admitting(admit func(ctx context.Context, projectID string) error) *Service {
	s.admit = admit
	return s
}

// Open refuses (fault.Unavailable) what would not be taken from a project now, so that its body
// need not be read: there is no room, or the store is behind because of this project.
func (s *Service) Open(projectID string) error {
	if err := s.gate(); err != nil {
		return err
	}
	return s.shares.check(projectID)
}

// failing is an append that failed, with none that worked since.
type failing struct {
	err error
	at  time.Time
}

// failingFor is how long a failed append speaks for those to come: who is sent nothing any more
// could never show that it takes data again.
const failingFor = 10 * time.Second

// Acknowledging fails (fault.Unavailable) when the last thing that was sent could not be appended a
// moment ago.
func (s *Service) Acknowledging() error {
	if f := s.failing.Load(); f != nil && time.Since(f.at) < failingFor {
		return f.err
	}
	return nil
}

// Waiting reports whether something that this node appended was not stored when Observe was last
// called, or came since.
func (s *Service) Waiting() bool { return s.shares.waiting() }

// Observe tells how far the store has come. It is to be called about twice a second.
func (s *Service) Observe(status eventlog.Status) { s.shares.observe(status, time.Now()) }

// headerBytes is room in a record for the envelope's header; compression may also add a little
// to bytes that do not compress.
const headerBytes = 16 << 10

// Accept validates a submission and makes it durable. A submission of which no span can be used is
// fault.Invalid, with the reasons; the outcome then counts them.
func (s *Service) Accept(ctx context.Context, in Submission) (Outcome, error) {
	if err := s.gate(); err != nil {
		s.metrics.Refused()
		return Outcome{}, err
	}
	parse := otlp.ParseProtobuf
	if in.JSON {
		parse = otlp.ParseJSON
	}
	request, err := parse(in.Body)
	if err != nil {
		return Outcome{}, err
	}
	rejected, reason := request.Rejected()
	outcome := Outcome{Accepted: request.Spans(), Rejected: rejected, Reason: reason}
	if outcome.Accepted+outcome.Rejected > 0 {
		if outcome.Receipt, err = s.append(ctx, in, request); err != nil {
			if fault.Is(err, fault.Unavailable) {
				s.metrics.Refused()
			}
			return Outcome{}, err
		}
	}
	s.metrics.Accepted(outcome.Accepted, outcome.Rejected)
	return outcome, nil
}

// append makes all records before it appends the first: what can go wrong with the body goes
// wrong before anything of it is stored. It returns the receipt.
func (s *Service) append(ctx context.Context, in Submission, request *otlp.Request) (string, error) {
	acceptedAt := time.Now().UTC()
	var records []*[]byte
	defer func() {
		for _, record := range records {
			s.buffers.Put(record)
		}
	}()
	for _, part := range request.Split(s.log.MaxRecordBytes() - headerBytes) {
		envelope := eventlog.Envelope{
			Kind: eventlog.KindOTLPTraces, ProjectID: in.ProjectID, AcceptedAt: acceptedAt,
			SDKName: in.SDKName, SDKVersion: in.SDKVersion, First: part.First, Payload: part.Payload,
		}
		record, err := s.record(ctx, envelope)
		if err != nil {
			return "", err
		}
		records = append(records, record)
	}
	reasons, err := s.reasons(in.ProjectID, acceptedAt, request)
	if err != nil {
		return "", err
	}
	positions := make([]eventlog.Position, len(records))
	for i, record := range records {
		if positions[i], err = s.store(ctx, in.ProjectID, *record); err != nil {
			return "", err
		}
	}
	var reasonsAt eventlog.Position
	if reasons != nil {
		if reasonsAt, err = s.store(ctx, in.ProjectID, reasons); err != nil {
			return "", err
		}
	}
	rejected, _ := request.Rejected()
	return s.receipt(in.ProjectID, newReceipt(acceptedAt, request.Spans(), rejected, positions, reasonsAt)), nil
}

func (s *Service) receipt(projectID string, content receipt) string {
	if s.receipts == nil {
		return ""
	}
	return s.receipts.issue(projectID, content)
}

// reasons is the record that says why spans were rejected, nil when none was. It names fewer of
// them when they do not fit into a record.
func (s *Service) reasons(projectID string, acceptedAt time.Time, request *otlp.Request) ([]byte, error) {
	count, _ := request.Rejected()
	if count == 0 {
		return nil, nil
	}
	var list []eventlog.Rejection
	for _, r := range request.Rejections() {
		list = append(list, eventlog.Rejection{Item: r.Item, TraceID: r.TraceID, ObservationID: r.SpanID, Reason: r.Reason})
	}
	for {
		payload, err := eventlog.Rejections{List: list, More: count - len(list)}.Encode()
		if err != nil {
			return nil, err
		}
		record, err := eventlog.Envelope{Kind: eventlog.KindRejections, ProjectID: projectID, AcceptedAt: acceptedAt, Payload: payload}.Encode()
		if err != nil || len(record) <= s.log.MaxRecordBytes() || len(list) == 0 {
			return record, err
		}
		list = list[:len(list)/2]
	}
}

// store appends one record and counts it toward its project's share.
func (s *Service) store(ctx context.Context, projectID string, record []byte) (eventlog.Position, error) {
	if s.admit != nil {
		if err := s.admit(ctx, projectID); err != nil {
			return eventlog.Position{}, err
		}
	}
	began := time.Now()
	at, err := s.log.Append(ctx, record)
	if err != nil {
		s.metrics.AppendFailed()
		err = appendFault(err)
		s.failing.Store(&failing{err, time.Now()})
		return eventlog.Position{}, err
	}
	s.failing.Store(nil)
	s.metrics.Appended(len(record), time.Since(began))
	s.shares.appended(projectID, at, len(record))
	return at, nil
}

// record encodes an envelope into a buffer of the pool; a payload that is too large for the log
// goes to a blob first.
func (s *Service) record(ctx context.Context, envelope eventlog.Envelope) (*[]byte, error) {
	buffer, ok := s.buffers.Get().(*[]byte)
	if !ok {
		buffer = new([]byte)
	}
	record, err := envelope.AppendTo(*buffer)
	if err == nil && len(record) > s.log.MaxRecordBytes() {
		if s.blobs == nil {
			return nil, fault.New(fault.TooLarge, "a span of %d bytes is larger than this node takes", len(envelope.Payload)).
				Hint("give the nodes that ingest and write a directory they share with --blob-dir")
		}
		envelope.BlobKey = eventlog.NewBlobKey(envelope.ProjectID)
		if err := s.blobs.Put(ctx, envelope.BlobKey, bytes.NewReader(envelope.Payload)); err != nil {
			return nil, fault.Unavailablef("no room for a large span").Because(err)
		}
		envelope.Payload = nil
		record, err = envelope.AppendTo(nil)
	}
	*buffer = record
	return buffer, err
}

func appendFault(err error) error {
	if errors.Is(err, eventlog.ErrFull) {
		return fault.Unavailablef("the ingest log is full").Hint(retryHint).Because(err)
	}
	return fault.Unavailablef("the ingest log does not answer").Because(err)
}
