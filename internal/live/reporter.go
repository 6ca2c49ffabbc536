package live

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"
)

// gather is how long news of a project are added up before they are told again.
const gather = 250 * time.Millisecond

// Reporter gathers what happens on this node and tells it to whoever listens. Its methods take
// little more than a look at a table while nobody does. They may be called concurrently.
type Reporter struct {
	bus    Bus
	recent *memory
	wake   chan struct{}

	mu    sync.Mutex
	draft map[string]*draft    // by project
	told  map[string]time.Time // when a key was last told, by its public half
}

// NewReporter makes a reporter on a bus; Run makes it tell.
func NewReporter(bus Bus) *Reporter {
	r := &Reporter{
		bus: bus, recent: newMemory(), wake: make(chan struct{}, 1),
		draft: map[string]*draft{}, told: map[string]time.Time{},
	}
	bus.Answer(func(projectID string) []byte {
		text, _ := json.Marshal(r.recent.of(projectID)) // always encodes
		return text
	})
	return r
}

// Run tells news until ctx ends: the first at once, those that follow together.
func (r *Reporter) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
		}
		r.tell()
		select {
		case <-ctx.Done():
			return
		case <-time.After(gather):
		}
	}
}

func (r *Reporter) tell() {
	r.mu.Lock()
	drafts := r.draft
	r.draft = map[string]*draft{}
	r.mu.Unlock()
	for projectID, d := range drafts {
		for _, event := range d.events(projectID) {
			message, _ := json.Marshal(event) // always encodes
			r.bus.Publish(projectID, message)
		}
	}
}

// write changes the draft of a project's news.
func (r *Reporter) write(projectID string, change func(*draft)) {
	r.mu.Lock()
	d := r.draft[projectID]
	if d == nil {
		d = &draft{}
		r.draft[projectID] = d
	}
	change(d)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default: // it is awake
	}
}

// Heard reports whether somebody listens to a project.
func (r *Reporter) Heard(projectID string) bool { return r.bus.Heard(projectID) }

// Request remembers a request that brought something in, or tried to, and tells of any.
func (r *Reporter) Request(request Request) {
	heard := r.bus.Heard(request.ProjectID)
	if !request.Ingest && !heard {
		return
	}
	request = request.bounded()
	if request.Ingest {
		r.recent.add(request)
	}
	if heard {
		r.write(request.ProjectID, func(d *draft) { r.note(d, request) })
	}
}

// keyEvery is how often a key is told, and maxTold bounds how many are remembered for it.
const (
	keyEvery = 10 * time.Second
	maxTold  = 10_000
)

// note is called with the lock held.
func (r *Reporter) note(d *draft, request Request) {
	if key := request.PublicKey; request.Proved && key != "" && request.At.Sub(r.told[key]) >= keyEvery {
		if len(r.told) >= maxTold {
			clear(r.told)
		}
		r.told[key] = request.At
		d.keySeen(request)
	}
	if request.Ingest {
		d.request(request)
	}
}

// Unknown remembers that a request came with a public key that nobody has, and tells the installation.
// Texts that do not look like a key of ours are nobody's business.
func (r *Reporter) Unknown(publicKey, path string) {
	if !strings.HasPrefix(publicKey, "pk-lf-") {
		return
	}
	u := Unknown{At: time.Now(), Prefix: cut(publicKey, maxPrefix), Path: cut(path, maxPath), Count: 1}
	r.recent.addUnknown(u)
	if r.bus.Heard(Installation) {
		r.write(Installation, func(d *draft) { d.unknownKey(u) })
	}
}

// Stored tells that rows of a project are readable, which of them are roots, and which traces changed.
func (r *Reporter) Stored(projectID string, rows, roots int, traceIDs []string) {
	if r.bus.Heard(projectID) {
		r.write(projectID, func(d *draft) { d.stored(rows, roots, traceIDs) })
	}
}

// Recent returns what all nodes remember of a project, and how many answered.
func (r *Reporter) Recent(ctx context.Context, projectID string) (Recent, int) {
	all, nodes := r.recent.of(projectID), 1
	for _, answer := range r.bus.Ask(ctx, projectID) {
		var other Recent
		if json.Unmarshal(answer, &other) == nil {
			all, nodes = all.with(other), nodes+1
		}
	}
	return all, nodes
}
