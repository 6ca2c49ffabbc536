// Package bench measures this build on this machine. Every bench starts its own server in a
// temporary directory, is bounded, and ends what it started.
package bench

import (
	"context"
	"fmt"
	"io"
	"time"
)

// Progress is where a bench says what it is doing, for the person who waits.
type Progress struct{ out io.Writer }

// NewProgress writes to out.
func NewProgress(out io.Writer) *Progress { return &Progress{out} }

func (p *Progress) say(format string, args ...any) {
	fmt.Fprintf(p.out, format+"\n", args...)
}

// IdleResult is what a server costs that nobody uses.
type IdleResult struct {
	ReadySeconds float64 `json:"ready_s"`
	RSSMegabytes float64 `json:"rss_mb"`
	CPUPercent   float64 `json:"cpu_percent"`
	StopSeconds  float64 `json:"stop_s"`
}

// Idle starts a server on an empty directory, lets it settle and watches it for the given time.
func Idle(ctx context.Context, watch time.Duration, p *Progress) (result IdleResult, err error) {
	s, err := newServer()
	if err != nil {
		return result, err
	}
	defer func() { err = joinRemove(err, s) }()
	ready, err := s.start(ctx)
	if err != nil {
		return result, err
	}
	p.say("ready after %s; settling for 10 s, then watching for %s", ready.Round(time.Millisecond), watch)
	if err := sleep(ctx, 10*time.Second); err != nil {
		return result, err
	}
	before, err := measureTree(s.pid())
	if err != nil {
		return result, err
	}
	if err := sleep(ctx, watch); err != nil {
		return result, err
	}
	after, err := measureTree(s.pid())
	if err != nil {
		return result, err
	}
	stop, err := s.stop()
	if err != nil {
		return result, err
	}
	return IdleResult{
		ReadySeconds: round(ready.Seconds(), 3), RSSMegabytes: round(float64(after.rssBytes)/1e6, 1),
		CPUPercent: round(100*(after.cpu-before.cpu).Seconds()/watch.Seconds(), 2), StopSeconds: round(stop.Seconds(), 3),
	}, nil
}
