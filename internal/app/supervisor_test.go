package app

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"
)

func quiet() *supervisor { return &supervisor{logger: slog.New(slog.DiscardHandler)} }

// recording is a part that notes what happens to it.
func recording(name string, events *[]string, startErr, stopErr error) part {
	return part{
		name:  name,
		start: func(context.Context) error { *events = append(*events, "start "+name); return startErr },
		stop:  func(context.Context) error { *events = append(*events, "stop "+name); return stopErr },
	}
}

func TestPartsStopInReverse(t *testing.T) {
	t.Parallel()
	var events []string
	s := quiet()
	parts := []part{recording("a", &events, nil, nil), recording("b", &events, nil, errTest), {name: "c", start: func(context.Context) error { return nil }}}
	if err := s.start(t.Context(), parts, time.Second); err != nil {
		t.Fatal(err)
	}
	if err := s.stop(t.Context()); !errors.Is(err, errTest) {
		t.Errorf("stop gives %v, want the error of b", err)
	}
	if want := []string{"start a", "start b", "stop b", "stop a"}; !slices.Equal(events, want) {
		t.Errorf("events %v, want %v", events, want)
	}
	if err := s.stop(t.Context()); err != nil {
		t.Errorf("a second stop gives %v", err)
	}
}

func TestFailedStartStopsWhatRuns(t *testing.T) {
	t.Parallel()
	var events []string
	err := quiet().start(t.Context(), []part{recording("a", &events, nil, nil), recording("b", &events, errTest, nil), recording("c", &events, nil, nil)}, time.Second)
	if !errors.Is(err, errTest) {
		t.Errorf("start gives %v", err)
	}
	if want := []string{"start a", "start b", "stop a"}; !slices.Equal(events, want) {
		t.Errorf("events %v, want %v", events, want)
	}
}

var errTest = errors.New("test")
