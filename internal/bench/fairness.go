package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// FairnessResult says what many small projects notice of one that sends very much.
type FairnessResult struct {
	Projects int     `json:"projects"`
	Factor   int     `json:"factor"`
	Duration float64 `json:"duration_s"` // of each of the two phases

	AckP50Alone  float64 `json:"ack_p50_alone_ms"`
	AckP99Alone  float64 `json:"ack_p99_alone_ms"`
	AckP50Beside float64 `json:"ack_p50_beside_ms"`
	AckP99Beside float64 `json:"ack_p99_beside_ms"`

	ReadableP99Alone  float64 `json:"readable_p99_alone_ms"`
	ReadableP99Beside float64 `json:"readable_p99_beside_ms"`
	Samples           int     `json:"samples"` // acknowledgements beside the heavy project
	Errors            int     `json:"errors"`  // of small projects, refusals included

	HeavyBodies  int     `json:"heavy_bodies"`
	HeavyRefused int     `json:"heavy_refused"`
	HeavySpans   float64 `json:"heavy_spans_per_s"` // acknowledged
	LagSeconds   float64 `json:"lag_s"`             // when the heavy project stopped
}

// fairnessFloor is what noise may add to an acknowledgement.
const fairnessFloor = 50 // milliseconds

// Verdict fails when small projects suffer.
func (r FairnessResult) Verdict() error {
	var broken []error
	if r.Samples == 0 || r.Errors > 0 {
		broken = append(broken, fmt.Errorf("%d of %d requests of small projects failed", r.Errors, r.Errors+r.Samples))
	}
	if most := 2*r.AckP99Alone + fairnessFloor; r.AckP99Beside > most {
		broken = append(broken, fmt.Errorf("p99 acknowledgement is %.1f ms beside the heavy project, at most %.1f wanted", r.AckP99Beside, most))
	}
	if r.ReadableP99Beside > 2000 {
		broken = append(broken, fmt.Errorf("p99 readable is %.0f ms beside the heavy project, at most 2000 wanted", r.ReadableP99Beside))
	}
	return errors.Join(broken...)
}

// FairnessOptions bound the run.
type FairnessOptions struct {
	Projects int           // all of them, the heavy one included
	Factor   int           // the heavy project sends so many bodies for one of each other
	Rate     float64       // bodies per second of each small project
	Duration time.Duration // of each phase
}

const (
	heavySpans     = 50  // in a body of the heavy project
	heavyMade      = 400 // bodies, sent again and again
	heavyAtOnce    = 128 // requests of the heavy project in flight at most
	fairnessWatch  = 2   // bodies at once are watched until they can be read: more would make watching the load
	lightSpans     = 3
	fairnessWarmup = 3 * time.Second
)

// Fairness measures small projects alone, then beside one that sends much more.
func Fairness(ctx context.Context, o FairnessOptions, p *Progress) (result FairnessResult, err error) {
	if o.Projects < 2 || o.Factor < 1 || o.Rate <= 0 {
		return result, errors.New("there must be two projects, a factor and a rate")
	}
	s, err := newServer()
	if err != nil {
		return result, err
	}
	defer func() { err = joinRemove(err, s) }()
	if _, err := s.start(ctx); err != nil {
		return result, err
	}
	p.say("creating %d projects", o.Projects)
	keys, err := s.createProjects(ctx, o.Projects-1)
	if err != nil {
		return result, err
	}
	result.Projects, result.Factor, result.Duration = o.Projects, o.Factor, o.Duration.Seconds()
	f := &fairness{server: s, keys: keys, options: o, corpus: newCorpus(uint64(time.Now().UnixNano()))}
	heavy := f.corpus.smallBodies(heavyMade, heavySpans)
	if _, err := f.sendLightly(ctx, fairnessWarmup); err != nil {
		return result, err
	}
	p.say("%d projects alone for %s", len(keys), o.Duration)
	alone, err := f.sendLightly(ctx, o.Duration)
	if err != nil {
		return result, err
	}
	p.say("beside a project that sends %.0f bodies of %d spans a second", o.Rate*float64(o.Factor), heavySpans)
	stop := f.sendHeavily(ctx, heavy)
	beside, err := f.sendLightly(ctx, o.Duration)
	result.HeavyBodies, result.HeavyRefused = stop()
	if err != nil {
		return result, err
	}
	result.HeavySpans = round(float64(result.HeavyBodies*heavySpans)/o.Duration.Seconds(), 0)
	result.AckP50Alone, result.AckP99Alone = percentile(alone.acks, 0.5), percentile(alone.acks, 0.99)
	result.AckP50Beside, result.AckP99Beside = percentile(beside.acks, 0.5), percentile(beside.acks, 0.99)
	result.ReadableP99Alone, result.ReadableP99Beside = percentile(alone.waits, 0.99), percentile(beside.waits, 0.99)
	result.Samples, result.Errors = len(beside.acks), alone.errors+beside.errors
	result.LagSeconds, err = s.metric(ctx, "sonde_log_lag_seconds")
	result.LagSeconds = round(result.LagSeconds, 3)
	return result, err
}

type fairness struct {
	server  *server
	keys    []keyPair // of the small projects
	options FairnessOptions
	corpus  *corpus
}

// phase is what small projects saw.
type phase struct {
	mu     sync.Mutex
	acks   []time.Duration
	waits  []time.Duration // from acknowledged to readable
	errors int
	free   chan struct{} // rights to watch a body
}

// smallBodies makes bodies of a few spans.
func (c *corpus) smallBodies(n, spans int) []body {
	list := make([]body, n)
	for i := range list {
		var made []span
		for len(made) < spans {
			made = append(made, c.trace(time.Now(), spans/2)...)
		}
		list[i] = encodeBody(made[:spans], false)
	}
	return list
}

// sendLightly is an open loop over all small projects in turn.
func (f *fairness) sendLightly(ctx context.Context, lasting time.Duration) (*phase, error) {
	interval := time.Duration(float64(time.Second) / (f.options.Rate * float64(len(f.keys))))
	bodies := f.corpus.smallBodies(int(lasting/interval)+1, lightSpans)
	result := &phase{free: make(chan struct{}, fairnessWatch)}
	var senders sync.WaitGroup
	began := time.Now()
	for i := range bodies {
		if err := sleep(ctx, time.Until(began.Add(time.Duration(i)*interval))); err != nil {
			break
		}
		senders.Go(func() { f.sendOne(ctx, result, f.keys[i%len(f.keys)], &bodies[i]) })
	}
	senders.Wait()
	return result, ctx.Err()
}

func (f *fairness) sendOne(ctx context.Context, p *phase, key keyPair, b *body) {
	took, err := f.server.send(ctx, b, key.public, key.secret)
	p.note(&p.acks, took, err)
	if err != nil {
		return
	}
	select {
	case p.free <- struct{}{}:
		defer func() { <-p.free }()
		wait, err := f.server.as(key).untilReadable(ctx, b)
		p.note(&p.waits, wait, err)
	default:
	}
}

func (p *phase) note(list *[]time.Duration, took time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.errors++
		return
	}
	*list = append(*list, took)
}

// sendHeavily sends at the heavy project's rate until the returned function is called, which says
// how many bodies were taken and refused. What is refused is not sent again: more comes anyway.
func (f *fairness) sendHeavily(ctx context.Context, bodies []body) func() (taken, refused int) {
	ctx, cancel := context.WithCancel(ctx)
	var taken, refused atomic.Int64
	var senders sync.WaitGroup
	free := make(chan struct{}, heavyAtOnce)
	interval := time.Duration(float64(time.Second) / (f.options.Rate * float64(f.options.Factor)))
	senders.Go(func() {
		began := time.Now()
		for i := 0; sleep(ctx, time.Until(began.Add(time.Duration(i)*interval))) == nil; i++ {
			select {
			case free <- struct{}{}:
			case <-ctx.Done():
				return
			}
			senders.Go(func() {
				defer func() { <-free }()
				_, err := f.server.send(context.WithoutCancel(ctx), &bodies[i%len(bodies)], publicKey, secretKey)
				switch {
				case err == nil:
					taken.Add(1)
				case strings.Contains(err.Error(), "status 503"):
					refused.Add(1)
				}
			})
		}
	})
	return func() (int, int) {
		cancel()
		senders.Wait()
		return int(taken.Load()), int(refused.Load())
	}
}
