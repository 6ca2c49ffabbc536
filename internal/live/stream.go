package live

import (
	"context"
	"encoding/json"
	"sync"
)

// streamRoom is how many events a stream holds for a reader that is busy.
const streamRoom = 64

// Stream is what one listener hears.
type Stream struct {
	events chan Event
	behind chan struct{}
	full   sync.Once
	stops  []func()
}

// Listen returns the news of projects from now on, in the order of each. Close ends it. fault.Unavailable.
func (r *Reporter) Listen(ctx context.Context, projectIDs ...string) (*Stream, error) {
	s := &Stream{events: make(chan Event, streamRoom), behind: make(chan struct{})}
	for _, projectID := range projectIDs {
		stop, err := r.bus.Listen(ctx, projectID, s.hear)
		if err != nil {
			s.Close()
			return nil, err
		}
		s.stops = append(s.stops, stop)
	}
	return s, nil
}

func (s *Stream) hear(message []byte) {
	var event Event
	if json.Unmarshal(message, &event) != nil {
		return // of a version that we do not know
	}
	select {
	case s.events <- event:
	default:
		s.full.Do(func() { close(s.behind) })
	}
}

// Events is never closed.
func (s *Stream) Events() <-chan Event { return s.events }

// Behind is closed once an event was lost because the reader did not keep up.
func (s *Stream) Behind() <-chan struct{} { return s.behind }

// Close ends the listening.
func (s *Stream) Close() {
	for _, stop := range s.stops {
		stop()
	}
}
