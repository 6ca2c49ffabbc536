// Package ratelimit bounds how much each project asks and sends in a second, when an operator wants that.
//
// A limit is a bucket of tokens per project that refills steadily and holds Burst of its rate. Buckets are those of one
// process: behind a balancer, two processes let twice as much through.
package ratelimit

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// Burst is how much of a rate may come at once after a pause.
const Burst = 5 * time.Second

// forgetAbove is how many projects are known before those whose buckets are full are forgotten.
const forgetAbove = 10_000

// Rates are what a project may do in a second; 0 is no limit.
type Rates struct {
	Requests float64 // to the API, but for those that send data in
	Spans    float64 // spans, events and log records
	Bytes    float64 // of what is sent in, decompressed
}

// ExceededError says that a project must wait. It is a fault.Limited.
type ExceededError struct {
	*fault.Fault
	Limit   float64   // of the bucket that is empty, per second
	ResetAt time.Time // when there is something in it again
}

// Unwrap makes it a fault.
func (e *ExceededError) Unwrap() error { return e.Fault }

// Limiter holds projects to their rates. It is safe for concurrent use.
type Limiter struct {
	usual  Rates
	single map[string]Rates

	mu       sync.Mutex
	projects map[string]*buckets
}

// New makes a limiter with the usual rates, and others for single projects by id.
func New(usual Rates, single map[string]Rates) *Limiter {
	return &Limiter{usual: usual, single: single, projects: map[string]*buckets{}}
}

// Ask takes a request of a project, or is ExceededError.
func (l *Limiter) Ask(projectID string) error {
	return l.with(projectID, func(b *buckets, now time.Time) error {
		if err := b.requests.open(now, 1, "requests"); err != nil {
			return err
		}
		b.requests.spend(1)
		return nil
	})
}

// Open is ExceededError while a project has sent more in than it may. What a request holds is known only when it is read: it is
// let in while anything is left, and paid for afterwards by Spend.
func (l *Limiter) Open(projectID string) error {
	return l.with(projectID, func(b *buckets, now time.Time) error {
		if err := b.spans.open(now, 0, "spans"); err != nil {
			return err
		}
		return b.bytes.open(now, 0, "bytes")
	})
}

// Spend takes what a project has sent in off its buckets, below zero if need be.
func (l *Limiter) Spend(projectID string, items int, size int) {
	_ = l.with(projectID, func(b *buckets, now time.Time) error { // nothing is refused
		b.spans.refill(now)
		b.bytes.refill(now)
		b.spans.spend(float64(items))
		b.bytes.spend(float64(size))
		return nil
	})
}

func (l *Limiter) with(projectID string, do func(*buckets, time.Time) error) error {
	rates, ok := l.single[projectID]
	if !ok {
		rates = l.usual
	}
	if rates == (Rates{}) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	b := l.projects[projectID]
	if b == nil {
		if len(l.projects) >= forgetAbove {
			l.forget(now)
		}
		b = &buckets{newBucket(rates.Requests, now), newBucket(rates.Spans, now), newBucket(rates.Bytes, now)}
		l.projects[projectID] = b
	}
	return do(b, now)
}

// forget drops projects that have nothing to remember.
func (l *Limiter) forget(now time.Time) {
	for id, b := range l.projects {
		if b.requests.full(now) && b.spans.full(now) && b.bytes.full(now) {
			delete(l.projects, id)
		}
	}
}

type buckets struct{ requests, spans, bytes bucket }

// bucket refills by rate up to most; it may be below zero. Without a rate it is never empty.
type bucket struct {
	rate, left, most float64
	at               time.Time
}

func newBucket(rate float64, now time.Time) bucket {
	most := max(1, rate*Burst.Seconds())
	return bucket{rate: rate, left: most, most: most, at: now}
}

func (b *bucket) refill(now time.Time) {
	b.left, b.at = min(b.most, b.left+b.rate*now.Sub(b.at).Seconds()), now
}

func (b *bucket) full(now time.Time) bool {
	b.refill(now)
	return b.rate == 0 || b.left >= b.most
}

func (b *bucket) spend(amount float64) {
	if b.rate > 0 {
		b.left -= amount
	}
}

// open is ExceededError unless there are at least least tokens, or with 0 anything at all.
func (b *bucket) open(now time.Time, least float64, what string) error {
	if b.rate == 0 {
		return nil
	}
	b.refill(now)
	if b.left >= least && b.left > 0 {
		return nil
	}
	missing := max(least-b.left, 0)
	wait := max(time.Duration(math.Ceil(missing/b.rate*1e3))*time.Millisecond, time.Millisecond)
	return &ExceededError{
		Fault: fault.New(fault.Limited, "Rate limit exceeded").
			Hint(fmt.Sprintf("this project may have %g %s per second", b.rate, what)).After(wait),
		Limit: b.rate, ResetAt: now.Add(wait),
	}
}
