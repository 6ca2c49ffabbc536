package partial

import (
	"cmp"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

// MergeScore makes the row of one score from all events that are known of it, nil when there is
// nothing to show, and a tombstone for every other place where a row made of fewer events may lie.
//
// Events count in the order of acceptance. A deletion hides all before it. Of what is left the
// first gives the subject's kind, trace, timestamp, environment and time of creation for good;
// everything else is the newest that is set, and metadata is merged in depth.
//
// The version is the highest of all events plus their number, as with Merge, so that a set that
// contains another has the higher one, deletions included.
func MergeScore(projectID, id string, events []Event) (row *model.Score, tombstones []*model.Score) {
	parts := scoreParts(events)
	if len(parts) == 0 {
		return nil, nil
	}
	version := parts[len(parts)-1].event.Version + uint64(len(parts))
	live := parts
	for i := range parts {
		if parts[i].event.Kind == ScoreDelete {
			live = parts[i+1:]
		}
	}
	seen := map[scorePlace]bool{}
	if len(live) > 0 {
		row = mergeScore(live)
		row.ProjectID, row.ID, row.Version = projectID, id, version
		seen[live[0].place()] = true
	}
	for i := range parts {
		at := parts[i].place()
		if parts[i].event.Kind != Score || seen[at] {
			continue
		}
		seen[at] = true
		tombstones = append(tombstones, &model.Score{
			ProjectID: projectID, ID: id, Timestamp: time.UnixMilli(at.millis).UTC(), TraceID: at.trace,
			CreatedAt: model.AcceptedAt(version), Version: version, Deleted: true,
		})
	}
	return row, tombstones
}

// scorePart is an event with what it says.
type scorePart struct {
	event  *Event
	fields scoreFields
}

// scorePlace is what of a score's row its other versions must share to be found.
type scorePlace struct {
	millis int64
	trace  string
}

func (p *scorePart) place() scorePlace {
	return scorePlace{p.event.Time.UnixMilli(), p.fields.traceID}
}

// scoreParts returns the events about a score in the order of their acceptance.
func scoreParts(events []Event) []scorePart {
	var parts []scorePart
	for i := range events {
		part := scorePart{event: &events[i]}
		if !part.event.Kind.OfScore() {
			continue
		}
		if part.event.Kind == Score {
			part.fields, _ = readScore(part.event.Body) // what is wrong with it was said when it came
		}
		parts = append(parts, part)
	}
	slices.SortFunc(parts, func(a, b scorePart) int {
		return cmp.Or(cmp.Compare(a.event.Version, b.event.Version), cmp.Compare(a.event.ID, b.event.ID))
	})
	return parts
}

func mergeScore(parts []scorePart) *model.Score {
	first := &parts[0]
	s := &model.Score{
		Timestamp: milliseconds(first.event.Time), TraceID: first.fields.traceID,
		Environment: model.NormalEnvironment(first.fields.environment), Source: model.FromAPI,
		CreatedAt: model.AcceptedAt(first.event.Version),
	}
	var metadata tree
	for i := range parts {
		f := &parts[i].fields
		set(&s.Name, f.name)
		s.Type, s.Number, s.Text = f.typedValue()
		set(&s.Source, f.source)
		switch {
		case first.fields.traceID != "" && f.traceID == s.TraceID:
			set(&s.ObservationID, f.observationID) // one of another trace is none of this score
		case first.fields.sessionID != "":
			set(&s.SessionID, f.sessionID)
		case first.fields.experimentID != "":
			set(&s.ExperimentID, f.experimentID)
		}
		set(&s.Comment, f.comment)
		set(&s.ConfigID, f.configID)
		set(&s.QueueID, f.queueID)
		set(&s.AuthorUserID, f.author)
		set(&s.ExecutionTraceID, f.executionTraceID)
		metadata.add(f.metadata)
	}
	if s.Type == model.Correction {
		s.Name = correctionName
	}
	s.Metadata = metadata.entries()
	return s
}

// correctionName is the name of every correction: what it corrects is the output.
const correctionName = "output"

// typedValue is the value as rows hold it, and its type where the client left that to us.
func (f *scoreFields) typedValue() (kind model.ScoreType, number float64, text string) {
	number, isNumber := numberOf(f.value)
	text, _ = textOf(f.value)
	switch kind = f.kind; {
	case kind == "" && isNumber:
		kind = model.Numeric
	case kind == "":
		kind = model.Categorical
	case kind == model.Boolean && number != 0:
		text = "True"
	case kind == model.Boolean:
		text = "False"
	}
	if kind == model.Categorical {
		number = f.number
	}
	return kind, number, text
}
