package partial

import "github.com/sondehq/sonde/internal/model"

// Bare notes the version that a span's row had when it came without input and output. Versions
// just above it are the same row with messages.
const Bare Kind = "bare"

// Wants reports whether messages of log records would complete the row: it is a call of a model or
// of what stands around one, and has neither input nor output.
func Wants(o *model.Observation) bool {
	plain := o.Type == model.Span || o.Type == model.Event
	return o.Input == "" && o.Output == "" && (!plain || o.Model != "")
}

// Join completes a span's stored row by the messages among the events that are known of it. It
// returns the new version of the row, nil when there is nothing to do, and the event to store
// before that version, nil when it is known already.
//
// The events must be read after the row. The version is that of the bare row plus the number of
// log events, so it grows with their set.
func Join(row *model.Observation, events []Event) (joined *model.Observation, note *Event) {
	logs := uint64(0)
	bare := uint64(0)
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == Log:
			logs++
		case e.Kind == Bare && e.Time.Equal(row.StartTime):
			bare = e.Version
		}
	}
	switch {
	case logs == 0:
		return nil, nil
	case row.Input == "" && row.Output == "":
		if bare != row.Version {
			note = &Event{ID: string(Bare), Time: row.StartTime, Kind: Bare, Version: row.Version}
			bare = row.Version
		}
	case bare == 0 || row.Version <= bare || row.Version >= bare+logs:
		return nil, nil // the row has messages of its own, or all of these
	}
	input, output := Messages(events)
	if input == "" && output == "" {
		return nil, nil
	}
	completed := *row
	completed.Input, completed.Output, completed.Version = input, output, bare+logs
	return &completed, note
}
