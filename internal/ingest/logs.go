package ingest

import (
	"context"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/otlp"
	"github.com/sondehq/sonde/internal/partial"
)

// AcceptLogs reads an OTLP logs export and makes the records that carry messages of a span durable,
// as partial events. Other records are dropped: they are logs of an application, and no harm to
// anything.
func (s *Service) AcceptLogs(ctx context.Context, in Submission) (Outcome, error) {
	parse := otlp.ParseLogsProtobuf
	if in.JSON {
		parse = otlp.ParseLogsJSON
	}
	logs, err := parse(in.Body)
	if err != nil {
		return Outcome{}, err
	}
	events := EventSubmission{ProjectID: in.ProjectID, SDKName: in.SDKName, SDKVersion: in.SDKVersion}
	for _, record := range logs.Records {
		if event, ok := partial.NewLog(partial.LogRecord(record)); ok {
			events.Events = append(events.Events, event)
		}
	}
	outcome := Outcome{Accepted: len(events.Events), Rejected: logs.Excess}
	if logs.Excess > 0 {
		outcome.Reason = "too many events in one request; send smaller batches"
	}
	if len(events.Events) > 0 {
		if outcome.Receipt, err = s.appendEvents(ctx, events); err != nil {
			if fault.Is(err, fault.Unavailable) {
				s.metrics.Refused()
			}
			return Outcome{}, err
		}
	}
	s.metrics.Logs(outcome.Accepted, logs.Dropped)
	return outcome, nil
}
