package bench

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/metastore/sqlstore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// ProjectsResult says what many tenants that send little each do to the store.
type ProjectsResult struct {
	Projects       int     `json:"projects"`
	Duration       float64 `json:"duration_s"`
	Spans          int     `json:"spans"`
	Stored         int     `json:"stored"`
	MaxActiveParts float64 `json:"max_active_parts"`
	PartsAtEnd     float64 `json:"parts_at_end"`
	Delayed        float64 `json:"delayed_inserts"`
	Rejected       float64 `json:"rejected_inserts"`

	Checked      int     `json:"projects_checked"` // read span by span with their own key
	Missing      int     `json:"missing_in_checked"`
	Foreign      int     `json:"foreign_in_checked"`
	Batches      float64 `json:"batches"`
	LagSeconds   float64 `json:"lag_s"` // when the last body was acknowledged
	FreshnessP50 float64 `json:"freshness_p50_ms"`
	FreshnessP99 float64 `json:"freshness_p99_ms"`
	CPUPercent   float64 `json:"cpu_percent"` // server and engine, of one core
	RSSMegabytes float64 `json:"rss_mb"`
}

// mostParts is how many active parts all tables together may have: the engine delays inserts at
// 1,000 in one partition, and every read looks at every part in its range.
const mostParts = 300

// Verdict fails when a promise does not hold.
func (r ProjectsResult) Verdict() error {
	var broken []error
	if r.MaxActiveParts >= mostParts {
		broken = append(broken, fmt.Errorf("%.0f active parts, fewer than %d wanted", r.MaxActiveParts, mostParts))
	}
	if r.Delayed+r.Rejected > 0 {
		broken = append(broken, fmt.Errorf("%.0f inserts delayed and %.0f rejected by the engine", r.Delayed, r.Rejected))
	}
	if r.Spans == 0 || r.Stored != r.Spans || r.Missing+r.Foreign > 0 {
		broken = append(broken, fmt.Errorf("%d spans sent and %d stored; in %d projects %d missing and %d of others",
			r.Spans, r.Stored, r.Checked, r.Missing, r.Foreign))
	}
	return errors.Join(broken...)
}

// ProjectsOptions bound the run.
type ProjectsOptions struct {
	Projects int
	Rate     int // spans per second of all projects together
	Duration time.Duration
}

const (
	mostSpansPerBody = 5
	meanSpansPerBody = 3  // of one to five
	checkedProjects  = 50 // are read back span by span
	watchedBodies    = 50 // one of so many is watched until it can be read
)

// Projects lets many projects send a small body each in turn.
func Projects(ctx context.Context, o ProjectsOptions, p *Progress) (result ProjectsResult, err error) {
	if o.Projects < 1 || o.Rate < 1 {
		return result, errors.New("there must be a project and a rate")
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
	keys, err := s.createProjects(ctx, o.Projects)
	if err != nil {
		return result, err
	}
	store, err := s.openStore(chstore.DefaultDatabase, 1)
	if err != nil {
		return result, err
	}
	defer store.Close()
	p.say("sending %d spans/s for %s", o.Rate, o.Duration)
	t := &tenants{server: s, keys: keys, sent: make([]map[string]bool, len(keys)), corpus: newCorpus(uint64(time.Now().UnixNano()))}
	if err := t.measure(ctx, store, o, &result); err != nil {
		return result, err
	}
	p.say("reading back")
	return result, t.check(ctx, store, &result)
}

// createProjects adds projects with a key each beside the running server.
func (s *server) createProjects(ctx context.Context, n int) (keys []keyPair, err error) {
	meta, err := sqlstore.OpenSQLite(ctx, filepath.Join(s.data, "metadata.sqlite"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, meta.Close()) }()
	first, err := meta.KeyByPublic(ctx, publicKey)
	if err != nil {
		return nil, fmt.Errorf("find the first project: %w", err)
	}
	for i := range n {
		id := fmt.Sprintf("tenant-%04d", i)
		project := model.Project{ID: id, Name: id, Organization: first.Project.Organization}
		if err := meta.CreateProject(ctx, project); err != nil {
			return nil, err
		}
		public, secret := auth.NewKeyPair()
		key := model.Key{ID: "key-" + id, Project: project, PublicKey: public, Display: auth.Display(secret), Scope: model.ScopeAll, CreatedAt: time.Now().UTC()}
		key.Salt, key.SecretHash = auth.Hash(secret)
		if err := meta.CreateKey(ctx, key); err != nil {
			return nil, err
		}
		keys = append(keys, keyPair{public, secret})
	}
	return keys, nil
}

// tenants are projects that send in turn.
type tenants struct {
	server *server
	keys   []keyPair
	corpus *corpus

	spans atomic.Int64 // acknowledged
	mu    sync.Mutex
	sent  []map[string]bool // ids by project, of those that will be checked
	waits []time.Duration
}

// measure sends while it counts parts, and reads the counters of server and engine at the end.
func (t *tenants) measure(ctx context.Context, store *chstore.Store, o ProjectsOptions, result *ProjectsResult) error {
	before, err := measureTree(t.server.pid())
	if err != nil {
		return err
	}
	parts := watchParts(ctx, store)
	began := time.Now()
	sendErr := t.send(ctx, o)
	took := time.Since(began)
	result.Projects, result.Duration, result.Spans = len(t.keys), round(took.Seconds(), 1), int(t.spans.Load())
	most, err := parts()
	result.MaxActiveParts = most
	if err := errors.Join(sendErr, err); err != nil {
		return err
	}
	after, err := measureTree(t.server.pid())
	if err != nil {
		return err
	}
	result.CPUPercent = round(100*(after.cpu-before.cpu).Seconds()/took.Seconds(), 1)
	result.RSSMegabytes = round(float64(after.rssBytes)/1e6, 0)
	if result.LagSeconds, err = t.server.metric(ctx, "sonde_log_lag_seconds"); err != nil {
		return err
	}
	result.LagSeconds = round(result.LagSeconds, 3)
	result.FreshnessP50, result.FreshnessP99 = percentile(t.waits, 0.5), percentile(t.waits, 0.99)
	return t.server.waitReadable(ctx, nil)
}

// send is an open loop: a body goes out when its time has come, whatever became of the others.
func (t *tenants) send(ctx context.Context, o ProjectsOptions) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var senders sync.WaitGroup
	interval := time.Second * meanSpansPerBody / time.Duration(o.Rate)
	began := time.Now()
	for i := 0; ; i++ {
		due := time.Duration(i) * interval
		if due >= o.Duration || sleep(ctx, time.Until(began.Add(due))) != nil {
			break
		}
		spans := t.corpus.trace(time.Now(), mostSpansPerBody/2)
		b := encodeBody(spans[:1+t.corpus.rand.IntN(mostSpansPerBody)], false)
		senders.Go(func() {
			if err := t.sendOne(ctx, i%len(t.keys), &b, i%watchedBodies == 0); err != nil {
				cancel(fmt.Errorf("send body %d: %w", i, err))
			}
		})
	}
	senders.Wait()
	return context.Cause(ctx)
}

func (t *tenants) sendOne(ctx context.Context, project int, b *body, watched bool) error {
	key := t.keys[project]
	if _, err := t.server.send(ctx, b, key.public, key.secret); err != nil {
		return err
	}
	t.spans.Add(int64(len(b.ids)))
	if t.checks(project) {
		t.note(project, b)
	}
	if !watched {
		return nil
	}
	wait, err := t.server.as(key).untilReadable(ctx, b)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waits = append(t.waits, wait)
	return nil
}

// checks reports whether a project is one of those that are read back.
func (t *tenants) checks(project int) bool {
	return project%max(1, len(t.keys)/checkedProjects) == 0
}

func (t *tenants) note(project int, b *body) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sent[project] == nil {
		t.sent[project] = map[string]bool{}
	}
	for _, id := range b.ids {
		t.sent[project][id] = true
	}
}

// check counts in the store, reads some projects through the API with their own key, and asks
// the engine whether it ever held an insert back.
func (t *tenants) check(ctx context.Context, store *chstore.Store, result *ProjectsResult) error {
	stored, err := store.StoredRows(ctx, "observations")
	if err != nil {
		return err
	}
	result.Stored = int(stored)
	for project, want := range t.sent {
		if want == nil {
			continue
		}
		seen, err := t.server.as(t.keys[project]).walk(ctx, url.Values{})
		if err != nil {
			return err
		}
		result.Checked++
		for id := range want {
			if seen[id] != 1 {
				result.Missing++
			}
		}
		for id := range seen {
			if !want[id] {
				result.Foreign++
			}
		}
	}
	return t.counters(ctx, store, result)
}

func (t *tenants) counters(ctx context.Context, store *chstore.Store, result *ProjectsResult) (err error) {
	if result.PartsAtEnd, err = store.ActiveParts(ctx); err != nil {
		return err
	}
	if result.Delayed, err = store.Event(ctx, "DelayedInserts"); err != nil {
		return err
	}
	if result.Rejected, err = store.Event(ctx, "RejectedInserts"); err != nil {
		return err
	}
	result.Batches, err = t.server.metric(ctx, "sonde_writer_insert_seconds_count")
	return err
}

// watchParts counts active parts every second until the returned function is called, which
// returns the most there were.
func watchParts(ctx context.Context, store *chstore.Store) func() (float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	type outcome struct {
		most float64
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		for o.err == nil && sleep(ctx, time.Second) == nil {
			var n float64
			n, o.err = store.ActiveParts(context.WithoutCancel(ctx))
			o.most = max(o.most, n)
		}
		done <- o
	}()
	return func() (float64, error) {
		cancel()
		o := <-done
		return o.most, o.err
	}
}
