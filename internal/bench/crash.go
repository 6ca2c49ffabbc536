package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// CrashResult says what kill -9 cost.
type CrashResult struct {
	Rounds       int `json:"rounds"`
	Acknowledged int `json:"acknowledged"`
	Lost         int `json:"lost"`
	Duplicated   int `json:"duplicated"`

	ServerKills int     `json:"server_kills"`
	EngineKills int     `json:"engine_kills"`
	BothKills   int     `json:"both_kills"`
	Resent      int     `json:"bodies_sent_again"`
	RecoveryP50 float64 `json:"recovery_p50_ms"`
	RecoveryMax float64 `json:"recovery_max_ms"`
	DeadLetters int     `json:"dead_letters"`
}

// victims of a round, in turn.
const (
	killServer = iota
	killEngine
	killBoth
	victims
)

// Crash kills processes at random moments under load, starts again, and looks for every
// acknowledged span: each must be there exactly once, in lists and in counts. A body whose answer
// never came is sent again after the restart, as exporters do.
func Crash(ctx context.Context, rounds int, p *Progress) (result CrashResult, err error) {
	s, err := newServer()
	if err != nil {
		return result, err
	}
	defer func() { err = joinRemove(err, s) }()
	if _, err := s.start(ctx); err != nil {
		return result, err
	}
	c := newCorpus(uint64(time.Now().UnixNano()))
	var recoveries []time.Duration
	for round := range rounds {
		recovery, err := s.crashRound(ctx, c, round%victims, &result)
		if err != nil {
			return result, fmt.Errorf("round %d: %w", round+1, err)
		}
		recoveries = append(recoveries, recovery)
		p.say("round %d of %d: %d acknowledged so far, %d lost, %d duplicated", round+1, rounds, result.Acknowledged, result.Lost, result.Duplicated)
	}
	result.Rounds = rounds
	result.RecoveryP50, result.RecoveryMax = percentile(recoveries, 0.5), percentile(recoveries, 1)
	dead, err := s.metric(ctx, "sonde_log_dead_letters")
	result.DeadLetters = int(dead)
	return result, err
}

// bodiesPerRound keep the load going well past the kill.
const bodiesPerRound = 60

func (s *server) crashRound(ctx context.Context, c *corpus, victim int, result *CrashResult) (time.Duration, error) {
	since := time.Now().Add(-corpusAge - time.Second) // the walk need not see earlier rounds
	bodies := c.bodies(bodiesPerRound*spansPerBody, false)
	acknowledged := make([]atomic.Bool, len(bodies))
	loadCtx, stopLoad := context.WithCancel(ctx)
	defer stopLoad()
	var load sync.WaitGroup
	load.Go(func() { s.sendUntilDown(loadCtx, bodies, acknowledged) })
	if err := sleep(ctx, time.Duration(rand.IntN(1200))*time.Millisecond); err != nil {
		return 0, err
	}
	began := time.Now()
	if err := s.strike(ctx, victim, result); err != nil {
		return 0, err
	}
	load.Wait()
	// Reads answer 503 while the engine is coming back; ready says when it is.
	if err := s.waitReady(ctx, time.Minute); err != nil {
		return 0, err
	}
	// What was not acknowledged goes out again, until everything is.
	for i := range bodies {
		if !acknowledged[i].Load() {
			result.Resent++
			if err := s.sendPatiently(ctx, &bodies[i]); err != nil {
				return 0, err
			}
		}
	}
	if err := s.waitReadable(ctx, bodies); err != nil {
		return 0, err
	}
	recovery := time.Since(began)
	return recovery, s.verify(ctx, bodies, since, result)
}

// strike kills the victim and brings the server back.
func (s *server) strike(ctx context.Context, victim int, result *CrashResult) error {
	engine, err := s.enginePid()
	if err != nil {
		return err
	}
	switch victim {
	case killEngine:
		result.EngineKills++
		return s.kill(engine)
	case killServer:
		result.ServerKills++
		err = s.kill(s.pid())
	default:
		result.BothKills++
		err = s.kill(s.pid(), engine)
	}
	if err != nil {
		return err
	}
	s.waitExit()
	_, err = s.start(ctx)
	return err
}

// sendUntilDown sends bodies over four connections until all are out or the server is gone.
func (s *server) sendUntilDown(ctx context.Context, bodies []body, acknowledged []atomic.Bool) {
	var next atomic.Int64
	var senders sync.WaitGroup
	for range 4 {
		senders.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= len(bodies) {
					return
				}
				if _, err := s.send(ctx, &bodies[i], publicKey, secretKey); err != nil {
					return
				}
				acknowledged[i].Store(true)
				_ = sleep(ctx, 50*time.Millisecond) // stretch the load over the moment of the kill
			}
		})
	}
	senders.Wait()
}

func (s *server) sendPatiently(ctx context.Context, b *body) error {
	var err error
	for range 200 {
		if _, err = s.send(ctx, b, publicKey, secretKey); err == nil {
			return nil
		}
		if stop := sleep(ctx, 50*time.Millisecond); stop != nil {
			return stop
		}
	}
	return fmt.Errorf("a body is refused ten seconds after the restart: %w", err)
}

// verify looks for every span of the round in lists, and counts them in the store.
func (s *server) verify(ctx context.Context, bodies []body, since time.Time, result *CrashResult) error {
	want := map[string]bool{}
	traces := map[string]bool{}
	for i := range bodies {
		for _, id := range bodies[i].ids {
			want[id] = true
			traces[id[:32]] = true
		}
	}
	seen, err := s.walk(ctx, url.Values{"fromStartTime": {since.UTC().Format(time.RFC3339Nano)}})
	if err != nil {
		return err
	}
	for id := range want {
		switch n := seen[id]; {
		case n == 0:
			result.Lost++
		case n > 1:
			result.Duplicated++
		}
	}
	result.Acknowledged += len(want)
	store, err := s.openStore(chstore.DefaultDatabase, 1)
	if err != nil {
		return err
	}
	defer store.Close()
	list := make([]string, 0, len(traces))
	for trace := range traces {
		list = append(list, trace)
	}
	count, err := store.CountObservations(ctx, projectID, []filter.Condition{filter.OneOf{Column: filter.TraceID, Values: list}})
	if err != nil {
		return err
	}
	if int(count) > len(want) {
		result.Duplicated += int(count) - len(want)
	}
	if int(count) < len(want) && result.Lost == 0 {
		result.Lost += len(want) - int(count)
	}
	return nil
}
