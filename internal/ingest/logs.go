package ingest

import (
	"context"

	"github.com/sondehq/sonde/internal/otlp"
)

// AcceptLogs reads an OTLP logs export and hands the records that carry messages of a span to
// keep, which makes them durable. Other records are dropped: they are logs of an application, and
// no harm to anything.
func (s *Service) AcceptLogs(ctx context.Context, in Submission, keep func(context.Context, []otlp.LogRecord) error) (Outcome, error) {
	if err := s.gate(); err != nil {
		s.metrics.Refused()
		return Outcome{}, err
	}
	parse := otlp.ParseLogsProtobuf
	if in.JSON {
		parse = otlp.ParseLogsJSON
	}
	logs, err := parse(in.Body)
	if err != nil {
		return Outcome{}, err
	}
	outcome := Outcome{Accepted: len(logs.Records), Rejected: logs.Excess}
	if logs.Excess > 0 {
		outcome.Reason = "too many events in one request; send smaller batches"
	}
	if len(logs.Records) > 0 {
		if err := keep(ctx, logs.Records); err != nil {
			return Outcome{}, err
		}
	}
	s.metrics.Logs(len(logs.Records), logs.Dropped)
	return outcome, nil
}
