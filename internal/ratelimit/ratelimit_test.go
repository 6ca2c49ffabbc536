package ratelimit_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ratelimit"
)

// waits is how long a refusal says to wait; 0: it is none.
func waits(t *testing.T, err error) time.Duration {
	t.Helper()
	if err == nil {
		return 0
	}
	exceeded, ok := errors.AsType[*ratelimit.ExceededError](err)
	if !ok || !fault.Is(err, fault.Limited) || exceeded.RetryAfter() <= 0 || time.Until(exceeded.ResetAt) != exceeded.RetryAfter() {
		t.Fatalf("got %v", err)
	}
	return exceeded.RetryAfter()
}

func TestRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := ratelimit.New(ratelimit.Rates{Requests: 2}, map[string]ratelimit.Rates{"free": {}, "slow": {Requests: 0.1}})
		for range 10 { // five seconds at once
			if wait := waits(t, l.Ask("a")); wait != 0 {
				t.Fatalf("within the burst: wait for %v", wait)
			}
		}
		wait := waits(t, l.Ask("a"))
		if wait != 500*time.Millisecond {
			t.Errorf("wait for %v", wait)
		}
		if waits(t, l.Ask("b")) != 0 {
			t.Error("another project pays for this one")
		}
		time.Sleep(wait - time.Millisecond)
		if waits(t, l.Ask("a")) == 0 {
			t.Error("it may ask before the time that it was told")
		}
		time.Sleep(time.Millisecond)
		if waits(t, l.Ask("a")) != 0 {
			t.Error("it may not ask after the time that it was told")
		}
		for range 10_000 {
			if l.Ask("free") != nil {
				t.Fatal("a project without limits is limited")
			}
		}
		if waits(t, l.Ask("slow")) != 0 || waits(t, l.Ask("slow")) != 10*time.Second {
			t.Error("one request in ten seconds")
		}
		// Over a minute no more comes through than the rate allows.
		through := 0
		for range 6000 {
			time.Sleep(10 * time.Millisecond)
			if l.Ask("a") == nil {
				through++
			}
		}
		if through < 119 || through > 130 {
			t.Errorf("%d requests in a minute at 2 per second", through)
		}
	})
}

func TestWhatIsSentIsPaidAfterwards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := ratelimit.New(ratelimit.Rates{Spans: 100, Bytes: 1000}, nil)
		if l.Open("a") != nil {
			t.Fatal("closed at the start")
		}
		l.Spend("a", 700, 10) // 200 more than the burst
		if wait := waits(t, l.Open("a")); wait != 2*time.Second {
			t.Errorf("wait for %v", wait)
		}
		time.Sleep(2*time.Second + time.Millisecond)
		if err := l.Open("a"); err != nil {
			t.Errorf("after the debt is paid: %v", err)
		}
		l.Spend("a", 0, 6000)
		if wait := waits(t, l.Open("a")); wait < 900*time.Millisecond || wait > time.Second {
			t.Errorf("bytes: wait for %v", wait)
		}
		if waits(t, l.Ask("a")) != 0 {
			t.Error("reads are limited although they have no limit")
		}
	})
}

func TestNoLimits(t *testing.T) {
	t.Parallel()
	l := ratelimit.New(ratelimit.Rates{}, nil)
	for range 1000 {
		l.Spend("a", 1<<30, 1<<30)
		if l.Ask("a") != nil || l.Open("a") != nil {
			t.Fatal("limited without limits")
		}
	}
}

func TestManyAtOnceGetNoMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := ratelimit.New(ratelimit.Rates{Requests: 10}, nil)
		var through atomic.Int32
		var all sync.WaitGroup
		for i := range 1000 {
			all.Go(func() {
				if l.Ask("a") == nil {
					through.Add(1)
				}
				_ = l.Ask(fmt.Sprint("other", i))
			})
		}
		all.Wait()
		if through.Load() != 50 {
			t.Errorf("%d got through, want 50", through.Load())
		}
	})
}
