package ingest

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/partial"
)

// EventSubmission is what one request brings of partial events, each of them checked.
type EventSubmission struct {
	ProjectID  string
	Events     []partial.Event // not kept after AcceptEvents returns
	Rejected   int             // events of the request that were refused
	Notes      int             // events in which the client tells about itself
	SDKName    string
	SDKVersion string
	Bytes      int // of the body that brought them; 0: nobody counts
}

// AcceptEvents makes partial events durable. When it fails, some of them may be durable: sending
// them again does no harm. The receipt names the events that were kept; why others were refused is
// for the caller to tell.
func (s *Service) AcceptEvents(ctx context.Context, in EventSubmission) (Outcome, error) {
	out := Outcome{Accepted: len(in.Events), Rejected: in.Rejected}
	if len(in.Events) > 0 {
		var err error
		if out.Receipt, err = s.appendEvents(ctx, in); err != nil {
			if fault.Is(err, fault.Unavailable) {
				s.metrics.Refused()
			}
			return Outcome{}, err
		}
	}
	s.metrics.Events(out.Accepted, out.Rejected, in.Notes)
	return out, nil
}

func (s *Service) appendEvents(ctx context.Context, in EventSubmission) (receipt string, err error) {
	if err := s.gate(); err != nil {
		return "", err
	}
	acceptedAt := time.Now().UTC()
	records, err := s.eventRecords(ctx, in, acceptedAt)
	defer func() {
		for _, record := range records {
			s.buffers.Put(record)
		}
	}()
	if err != nil {
		return "", err
	}
	positions := make([]eventlog.Position, len(records))
	for i, record := range records {
		if positions[i], err = s.store(ctx, in.ProjectID, *record); err != nil {
			return "", err
		}
	}
	return s.receipt(in.ProjectID, newReceipt(acceptedAt, len(in.Events), 0, positions, eventlog.Position{})), nil
}

// eventRecords makes all records before the first is appended. An event that is larger than a
// record gets one of its own, whose payload goes to a blob.
func (s *Service) eventRecords(ctx context.Context, in EventSubmission, acceptedAt time.Time) ([]*[]byte, error) {
	var records []*[]byte
	envelope := eventlog.Envelope{
		Kind: eventlog.KindPartials, ProjectID: in.ProjectID, AcceptedAt: acceptedAt,
		SDKName: in.SDKName, SDKVersion: in.SDKVersion,
	}
	end := func(next int) error {
		if len(envelope.Payload) > 0 {
			record, err := s.record(ctx, envelope)
			if err != nil {
				return err
			}
			records = append(records, record)
		}
		envelope.First, envelope.Payload = next, nil
		return nil
	}
	room := s.log.MaxRecordBytes() - headerBytes
	for i := range in.Events {
		e := in.Events[i]
		if e.Kind.OfScore() {
			// Whatever ids a client gives, each time that something of a score is accepted counts.
			e.ID = uuid.NewString()
		}
		line, err := partial.AppendLine(nil, &e)
		if err != nil {
			return records, err
		}
		if len(envelope.Payload)+len(line) > room {
			if err := end(i); err != nil {
				return records, err
			}
		}
		envelope.Payload = append(envelope.Payload, line...)
	}
	return records, end(len(in.Events))
}
