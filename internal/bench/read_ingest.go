package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/sqlstore"
	"github.com/sondehq/sonde/internal/model"
)

// LoadedReads says what reads and ingest do to each other.
type LoadedReads struct {
	Peak       float64       `json:"peak_spans_per_s"`
	Rate       float64       `json:"rate"`               // spans/s that were sent
	StoredRate float64       `json:"stored_spans_per_s"` // from the first that was sent until the last was stored
	Loss       float64       `json:"loss"`               // of the rate
	Classes    []LoadedClass `json:"classes"`
}

// LoadedClass is one class without and with spans coming in.
type LoadedClass struct {
	Name      string  `json:"name"`
	IdleP95   float64 `json:"idle_p95_ms"`
	LoadedP95 float64 `json:"loaded_p95_ms"`
	Ratio     float64 `json:"ratio"`
	Reads     int     `json:"loaded_reads"`
}

// loadedKeys are the classes that are read while spans come in.
var loadedKeys = []string{"newest", "trace", "user", "metadata", "cost"}

const (
	loadSeconds = 30
	peakSeconds = 8
	idleRounds  = 40
	mostRounds  = 5_000 // under load; it ends them long before

	loadProjectID = "bench-load"
	loadPublicKey = "pk-lf-bench-load"
	loadSecretKey = "sk-lf-bench-load"
)

// withIngest reads in turn, first alone, then while a project of its own sends at half of the peak.
func (r *reader) withIngest(ctx context.Context, measured []readClass, peak int) (*LoadedReads, error) {
	classes := slices.DeleteFunc(slices.Clone(measured), func(c readClass) bool { return !slices.Contains(loadedKeys, c.key) })
	result := &LoadedReads{Peak: float64(peak)}
	key, err := r.server.loadProject(ctx)
	if err != nil {
		return result, err
	}
	load := r.server.as(key)
	if peak == 0 {
		r.progress.say("measuring the peak of ingest")
		var found IngestResult
		if err := load.drive(ctx, newCorpus(uint64(time.Now().UnixNano())).bodies(peakSeconds*assumedPerSec, false), 8, &found); err != nil {
			return result, err
		}
		result.Peak = found.SpansPerSecond
		if err := waitQuiet(ctx, r.bare, r.progress); err != nil {
			return result, err
		}
	}
	r.progress.say("reading alone")
	idle, err := r.rounds(ctx, classes, idleRounds)
	if err != nil {
		return result, err
	}
	rate := int(result.Peak / 2)
	if rate < spansPerBody {
		return result, fmt.Errorf("half of a peak of %.0f spans/s is no load", result.Peak)
	}
	r.progress.say("reading while %d spans/s come in", rate)
	bodies := newCorpus(uint64(time.Now().UnixNano())).bodies(rate*loadSeconds, false)
	loaded, err := r.roundsUnder(ctx, classes, func(ctx context.Context) error { return load.offer(ctx, bodies, rate, result) })
	if err != nil {
		return result, err
	}
	for _, class := range classes {
		c := LoadedClass{Name: class.name, IdleP95: percentile(idle[class.key], 0.95), LoadedP95: percentile(loaded[class.key], 0.95), Reads: len(loaded[class.key])}
		c.Ratio = round(c.LoadedP95/c.IdleP95, 2)
		result.Classes = append(result.Classes, c)
	}
	return result, nil
}

// rounds asks one question of each class in turn.
func (r *reader) rounds(ctx context.Context, classes []readClass, rounds int) (map[string][]time.Duration, error) {
	times := map[string][]time.Duration{}
	for i := range rounds {
		for _, class := range classes {
			q, err := class.ask(ctx, r.asker, i%warmUpRepetitions)
			if err != nil {
				return times, err
			}
			took, err := r.get(ctx, q)
			if err == nil {
				err = r.check(q)
			}
			if err != nil {
				return times, err
			}
			times[class.key] = append(times[class.key], took)
		}
	}
	return times, nil
}

// roundsUnder reads until the load is through.
func (r *reader) roundsUnder(ctx context.Context, classes []readClass, load func(context.Context) error) (map[string][]time.Duration, error) {
	reading, done := context.WithCancel(ctx)
	defer done()
	failed := make(chan error, 1)
	go func() {
		defer done()
		failed <- load(ctx)
	}()
	times, err := r.rounds(reading, classes, mostRounds)
	if errors.Is(err, context.Canceled) {
		err = nil // the load is through, or all is over, which ctx says
	}
	return times, errors.Join(err, <-failed, ctx.Err())
}

// offer sends at a steady rate, whatever the answers take, and waits until all of it is stored.
func (s *server) offer(ctx context.Context, bodies []body, rate int, result *LoadedReads) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	interval := time.Second * spansPerBody / time.Duration(rate)
	began := time.Now()
	var senders sync.WaitGroup
	var lost atomic.Int64
	for i := range bodies {
		if err := sleep(ctx, time.Until(began.Add(time.Duration(i)*interval))); err != nil {
			break
		}
		senders.Go(func() {
			_, err := s.send(ctx, &bodies[i], s.key.public, s.key.secret)
			var refused *refusedError
			switch {
			case errors.As(err, &refused) && refused.status == http.StatusServiceUnavailable:
				lost.Add(1) // a client would send it again, which is not what we ask
			case err != nil:
				cancel(fmt.Errorf("send body %d: %w", i, err))
			}
		})
	}
	senders.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := s.waitDrained(ctx); err != nil {
		return err
	}
	result.Rate = float64(rate)
	result.StoredRate = round(float64((len(bodies)-int(lost.Load()))*spansPerBody)/time.Since(began).Seconds(), 0)
	result.Loss = round(max(0, 1-result.StoredRate/result.Rate), 3)
	return nil
}

// loadProject finds or makes the project that the load goes to: the seed's own rows stay as they are.
func (s *server) loadProject(ctx context.Context) (pair keyPair, err error) {
	pair = keyPair{loadPublicKey, loadSecretKey}
	meta, err := sqlstore.OpenSQLite(ctx, filepath.Join(s.data, "metadata.sqlite"))
	if err != nil {
		return pair, err
	}
	defer func() { err = errors.Join(err, meta.Close()) }()
	if _, err := meta.KeyByPublic(ctx, loadPublicKey); !errors.Is(err, metastore.ErrNotFound) {
		return pair, err
	}
	first, err := meta.KeyByPublic(ctx, publicKey)
	if err != nil {
		return pair, fmt.Errorf("find the seed's project: %w", err)
	}
	project := model.Project{ID: loadProjectID, Name: loadProjectID, Organization: first.Project.Organization}
	if err := meta.CreateProject(ctx, project); err != nil && !errors.Is(err, metastore.ErrExists) {
		return pair, err
	}
	key := model.Key{ID: "key-" + loadProjectID, Project: project, PublicKey: loadPublicKey, Display: auth.Display(loadSecretKey), Scope: model.ScopeAll, CreatedAt: time.Now().UTC()}
	key.Salt, key.SecretHash = auth.Hash(loadSecretKey)
	return pair, meta.CreateKey(ctx, key)
}
