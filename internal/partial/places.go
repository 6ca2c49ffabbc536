package partial

import (
	"slices"
	"time"
)

// Places is where rows of an entity may lie, by start time.
type Places struct {
	// Here is where the row of all events lies.
	Here time.Time
	// Old are the other start times that a row made of fewer events may have been stored under.
	Old []time.Time
	// Unmarked says that no event explains Here: all are updates without a start time. A Place
	// event must be stored before such a row, so that whoever moves the row knows of it.
	Unmarked bool
}

// PlacesOf finds the places of an entity from all its events.
//
// Any part of the events gives a row that lies at the first start time given in it; else, when it
// has a create, at the time of its first create; else at the time of its first update. The first
// two are found in the events themselves, the third by Place events.
func PlacesOf(events []Event) Places {
	parts := inOrder(events)
	if len(parts) == 0 {
		return Places{}
	}
	var p Places
	var given []time.Time
	for i := range parts {
		at := parts[i].fields.start
		if p.Here.IsZero() {
			p.Here = milliseconds(at)
		}
		if at.IsZero() && !parts[i].event.Kind.update() {
			at = parts[i].event.Time
		}
		if !at.IsZero() {
			given = append(given, milliseconds(at))
		}
	}
	if p.Here.IsZero() {
		p.Here = milliseconds(parts[0].event.Time)
	}
	explained := len(given) > 0
	marked := false
	for i := range events {
		if events[i].Kind == Place {
			at := milliseconds(events[i].Time)
			given = append(given, at)
			marked = marked || at.Equal(p.Here)
		}
	}
	p.Unmarked = !explained && !marked
	slices.SortFunc(given, time.Time.Compare)
	given = slices.CompactFunc(given, time.Time.Equal)
	p.Old = slices.DeleteFunc(given, p.Here.Equal)
	return p
}

// Mark is the event that notes a place. Its id is always the same: a place is noted once.
func Mark(here time.Time, version uint64) Event {
	return Event{ID: string(Place), Time: here, Kind: Place, Version: version}
}
