package ingest

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/selfobs"
)

// Limits bound what requests hold and do at once.
type Limits struct {
	MaxBodyBytes int64         // one body, before and after decompression
	MemoryBytes  int64         // all bodies together; see MinMemory
	Turns        int           // requests that are decompressed, parsed and appended at once; 0: by the number of cores
	WaitMemory   time.Duration // how long a request waits for memory; 0: half a second
	WaitTurn     time.Duration // how long it waits for its turn; 0: two seconds
}

const (
	// firstBytes is what a body gets at once; it doubles from there.
	firstBytes = 32 << 10
	// smallBytes is how large a body may get while it is worked on without asking for more.
	smallBytes = 4 << 20
	// mediumBytes is what a body that is not small asks for next. A larger one asks for the most.
	mediumBytes = 16 << 20
	// largeAtOnce is how many bodies of the largest size may be worked on at once.
	largeAtOnce = 2
	// keptBufferBytes is the largest buffer that waits for the next request: a rare large body
	// must not hold its memory for ever.
	keptBufferBytes = 4 << 20
)

func (l Limits) withDefaults() Limits {
	if l.Turns == 0 {
		// A turn uses a core, then waits for the log's disk.
		l.Turns = runtime.GOMAXPROCS(0) + 4
	}
	if l.WaitMemory == 0 {
		l.WaitMemory = 500 * time.Millisecond
	}
	if l.WaitTurn == 0 {
		l.WaitTurn = 2 * time.Second
	}
	l.MemoryBytes = max(l.MemoryBytes, l.MinMemory())
	return l
}

// MinMemory is the least that MemoryBytes can be: room for the bodies in work and for one
// project's largest body beside as much of others.
func (l Limits) MinMemory() int64 { return l.workBytes() + 2*(l.MaxBodyBytes+1) }

// workBytes is what decompressed bodies may take.
func (l Limits) workBytes() int64 { return int64(l.Turns)*smallBytes + largeAtOnce*l.MaxBodyBytes }

// Door is where requests come in. It bounds the memory of their bodies and the work on them, over
// all protocols, and keeps one project from taking the place of others in either.
//
// A body is first taken into memory as it came. Then its request waits for a turn, and only
// within the turn is it decompressed and used: what waits needs no CPU.
type Door struct {
	limits  Limits
	open    func(project string) error
	bodies  *budget
	turns   *turnstile
	large   *semaphore.Weighted
	codings *codings
	buffers sync.Pool // of *[]byte
	metrics *selfobs.Metrics
}

// NewDoor makes a door. Before a body is read, open says whether the project's request would be
// taken at all (see Service.Open).
func NewDoor(limits Limits, open func(project string) error, metrics *selfobs.Metrics) *Door {
	limits = limits.withDefaults()
	bodies := limits.MemoryBytes - limits.workBytes()
	return &Door{
		limits: limits, open: open, metrics: metrics,
		bodies: newBudget(bodies, bodies/2), turns: newTurnstile(limits.Turns),
		large: semaphore.NewWeighted(largeAtOnce * limits.MaxBodyBytes), codings: newCodings(),
	}
}

// MaxBodyBytes bounds a body before and after decompression.
func (d *Door) MaxBodyBytes() int64 { return d.limits.MaxBodyBytes }

// Fits refuses (fault.TooLarge) a body that announces more than MaxBodyBytes.
func (d *Door) Fits(announced int64) error {
	if announced > d.limits.MaxBodyBytes {
		return d.tooLarge()
	}
	return nil
}

// Visit is one request at the door. It is not safe for concurrent use.
type Visit struct {
	door    *Door
	project string
	held    int64 // of the budget
	raw     []byte
	buffers []*[]byte
}

// Admit lets a request of a project in, or refuses it with fault.Unavailable, or fault.Limited when the project has
// sent more than it may, before anything of its body is read. Who was let in must call Leave.
func (d *Door) Admit(ctx context.Context, project string) (*Visit, error) {
	if err := d.open(project); err != nil {
		return nil, d.refusal(err)
	}
	v := &Visit{door: d, project: project}
	if err := v.reserve(ctx, min(firstBytes, d.limits.MaxBodyBytes)); err != nil {
		return nil, err
	}
	return v, nil
}

// Leave gives back everything the visit holds, the body included.
func (v *Visit) Leave() {
	for _, buffer := range v.buffers {
		if cap(*buffer) <= keptBufferBytes {
			v.door.buffers.Put(buffer)
		}
	}
	v.door.bodies.give(v.project, v.held)
	v.raw, v.buffers, v.held = nil, nil, 0
}

// reserve asks for more of the budget.
func (v *Visit) reserve(ctx context.Context, bytes int64) error {
	if err := v.door.bodies.take(ctx, v.project, bytes, v.door.limits.WaitMemory); err != nil {
		return v.door.refusal(err)
	}
	v.held += bytes
	return nil
}

func (d *Door) refusal(err error) error {
	if fault.Is(err, fault.Unavailable) {
		d.metrics.Refused()
	}
	return err
}

// Receive reads the body as it comes. Memory is asked for as the body grows: a client that
// announces much and sends little holds little. What cannot be read is fault.Invalid, with the
// reader's error as its cause.
func (v *Visit) Receive(ctx context.Context, from io.Reader) error {
	source := &sourceReader{from: from}
	raw, err := v.fill(source, func(size int64) error {
		if size <= v.held {
			return nil
		}
		return v.reserve(ctx, size-v.held)
	})
	v.raw = raw
	if source.err != nil && err != nil && !fault.Is(err, fault.TooLarge) {
		return fault.New(fault.Invalid, "Failed to read request body").Because(source.err)
	}
	return err
}

// Expect sets memory aside for a body that will be in memory before its size is known.
func (v *Visit) Expect(ctx context.Context) error {
	return v.reserve(ctx, min(smallBytes, v.door.limits.MaxBodyBytes)-v.held)
}

// Hold takes a body that is in memory already.
func (v *Visit) Hold(ctx context.Context, raw []byte) error {
	size := int64(len(raw))
	if err := v.door.Fits(size); err != nil {
		return err
	}
	v.raw = raw
	if size > v.held {
		return v.reserve(ctx, size-v.held)
	}
	v.door.bodies.give(v.project, v.held-size)
	v.held = size
	return nil
}

// Work waits for the project's turn, decompresses the body and calls do, which must not keep it.
func (v *Visit) Work(ctx context.Context, coding string, do func(body []byte) error) error {
	if err := v.door.turns.enter(ctx, v.project, v.door.limits.WaitTurn); err != nil {
		return v.door.refusal(err)
	}
	defer v.door.turns.leave()
	w := &work{door: v.door}
	defer w.end()
	body := v.raw
	if coding == "" || coding == codingIdentity {
		if err := w.want(ctx, int64(len(body))); err != nil {
			return v.door.refusal(err)
		}
		return do(body)
	}
	var inner error
	err := v.door.codings.decompress(coding, v.raw, func(plain io.Reader) error {
		body, inner = v.fill(plain, func(size int64) error { return w.want(ctx, size) })
		return inner
	})
	if _, ok := errors.AsType[*fault.Fault](err); ok || ctx.Err() != nil {
		return v.door.refusal(err)
	}
	if err != nil {
		return fault.New(fault.Invalid, "Failed to decompress request body").Because(err)
	}
	return do(body)
}

// fill reads everything, up to the bound, into a buffer; more is asked before the buffer grows.
func (v *Visit) fill(from io.Reader, more func(size int64) error) ([]byte, error) {
	buffer, ok := v.door.buffers.Get().(*[]byte)
	if !ok {
		buffer = new([]byte)
	}
	v.buffers = append(v.buffers, buffer)
	out := (*buffer)[:0]
	defer func() { *buffer = out }()
	bound := v.door.limits.MaxBodyBytes + 1
	size := int64(firstBytes)
	for {
		if int64(len(out)) == min(size, bound) {
			size *= 2
		}
		size = min(size, bound)
		if err := more(size); err != nil {
			return nil, err
		}
		if int64(cap(out)) < size {
			out = append(make([]byte, 0, size), out...)
		}
		n, err := from.Read(out[len(out):size])
		out = out[:len(out)+n]
		switch {
		case int64(len(out)) == bound:
			return nil, v.door.tooLarge()
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		}
	}
}

func (d *Door) tooLarge() error {
	return fault.New(fault.TooLarge, "The request body is larger than %d bytes", d.limits.MaxBodyBytes).
		Hint("send smaller batches, or raise the limit in the server's configuration")
}

// sourceReader remembers why a body could not be read.
type sourceReader struct {
	from io.Reader
	err  error
}

func (s *sourceReader) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// work is the memory of one body in its turn. Whoever has a turn waits only for others that do
// and have all they need, so nobody waits for ever.
type work struct {
	door *Door
	held int64
}

// want makes sure that a body may have the size.
func (w *work) want(ctx context.Context, size int64) error {
	most := w.door.limits.MaxBodyBytes
	wanted := most
	switch {
	case size <= smallBytes:
		return nil
	case size <= mediumBytes:
		wanted = min(mediumBytes, most)
	}
	if w.held >= wanted {
		return nil
	}
	w.end() // never wait while holding some
	waiting, cancel := context.WithTimeout(ctx, w.door.limits.WaitMemory)
	defer cancel()
	if err := w.door.large.Acquire(waiting, wanted); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fault.Unavailablef("too many large requests are waiting").Hint(retryHint)
	}
	w.held = wanted
	return nil
}

func (w *work) end() {
	w.door.large.Release(w.held)
	w.held = 0
}
