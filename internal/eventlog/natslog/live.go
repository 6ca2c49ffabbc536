package natslog

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/live"
)

// The subjects of news. They belong to no stream: nothing of them is kept.
const (
	liveNews  = "sonde.live.news." // and the token of a project
	liveHeard = "sonde.live.heard" // the tokens of projects that a node listens to
	liveAsk   = "sonde.live.ask"   // a project's id; nodes but the asking one answer
	askedBy   = "Sonde-Asked-By"   // which node asks
	tokenSize = 32                 // of projectToken
	beatEvery = live.HeardFor * 2 / 7
	// askWithin is how long the answers of other nodes are waited for.
	askWithin = 250 * time.Millisecond
	// listenWithin bounds how long a listener waits until the server knows of it.
	listenWithin = 5 * time.Second
	// maxAnswers bounds how many nodes are listened to.
	maxAnswers = 256
)

// Live carries news over the log's server, as plain messages beside its streams.
type Live struct {
	log    *Log
	node   string // names this one among others
	answer atomic.Pointer[func(projectID string) []byte]
	subs   []*nats.Subscription
	end    chan struct{}
	ended  sync.WaitGroup

	listening atomic.Bool // somebody listens, anywhere
	mu        sync.RWMutex
	here      map[string]int       // listeners of this node, by token
	elsewhere map[string]time.Time // until when a token counts as heard on other nodes
}

var _ live.Bus = (*Live)(nil)

// Live opens the bus of news. Close ends it, before the log is closed.
func (l *Log) Live() (*Live, error) {
	v := &Live{log: l, node: nats.NewInbox(), end: make(chan struct{}), here: map[string]int{}, elsewhere: map[string]time.Time{}}
	for subject, handle := range map[string]nats.MsgHandler{liveHeard: v.noteHeard, liveAsk: v.reply} {
		sub, err := l.nc.Subscribe(subject, handle)
		if err != nil {
			v.unsubscribe()
			return nil, unavailable(err, "subscribe to %s", subject)
		}
		v.subs = append(v.subs, sub)
	}
	v.ended.Go(v.beat)
	return v, nil
}

// Close ends the bus; streams that still listen hear nothing more.
func (v *Live) Close() {
	close(v.end)
	v.ended.Wait()
	v.unsubscribe()
}

func (v *Live) unsubscribe() {
	for _, sub := range v.subs {
		_ = sub.Unsubscribe() // a connection that is closed has none
	}
}

// beat tells other nodes what this one listens to, and forgets what they did not repeat.
func (v *Live) beat() {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-v.end:
			return
		case now := <-ticker.C:
			v.announce()
			v.forget(now)
		}
	}
}

// announce says which projects this node listens to. While the server is away it is said in vain.
func (v *Live) announce() {
	var tokens strings.Builder
	v.mu.RLock()
	for token := range v.here {
		tokens.WriteString(token)
	}
	v.mu.RUnlock()
	if tokens.Len() > 0 {
		_ = v.log.nc.Publish(liveHeard, []byte(tokens.String()))
	}
}

func (v *Live) forget(now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for token, until := range v.elsewhere {
		if now.After(until) {
			delete(v.elsewhere, token)
		}
	}
	v.listening.Store(len(v.here)+len(v.elsewhere) > 0)
}

// noteHeard also hears of this node's own listeners; they count no longer than others.
func (v *Live) noteHeard(m *nats.Msg) {
	until := time.Now().Add(live.HeardFor)
	v.mu.Lock()
	defer v.mu.Unlock()
	for data := string(m.Data); len(data) >= tokenSize; data = data[tokenSize:] {
		v.elsewhere[data[:tokenSize]] = until
	}
	v.listening.Store(len(v.here)+len(v.elsewhere) > 0)
}

// Heard implements live.Bus.
func (v *Live) Heard(projectID string) bool {
	if !v.listening.Load() {
		return false
	}
	token := projectToken(projectID)
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.here[token] > 0 || time.Now().Before(v.elsewhere[token])
}

// Publish implements live.Bus. What the server does not take now is lost.
func (v *Live) Publish(projectID string, message []byte) {
	_ = v.log.nc.Publish(liveNews+projectToken(projectID), message)
}

// Listen implements live.Bus.
func (v *Live) Listen(ctx context.Context, projectID string, hear func(message []byte)) (func(), error) {
	token := projectToken(projectID)
	var stopped sync.RWMutex // held for reading by a call of hear
	over := false
	sub, err := v.log.nc.Subscribe(liveNews+token, func(m *nats.Msg) {
		stopped.RLock()
		defer stopped.RUnlock()
		if !over {
			hear(m.Data)
		}
	})
	if err != nil {
		return nil, unavailable(err, "listen")
	}
	v.count(token, 1)
	stop := sync.OnceFunc(func() {
		v.count(token, -1)
		_ = sub.Unsubscribe()
		stopped.Lock()
		over = true
		stopped.Unlock()
	})
	v.announce()
	ctx, cancel := context.WithTimeout(ctx, listenWithin)
	defer cancel()
	if err := v.log.nc.FlushWithContext(ctx); err != nil {
		stop()
		return nil, fault.Unavailablef("the log's server does not answer").Because(err)
	}
	return stop, nil
}

func (v *Live) count(token string, by int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.here[token] += by; v.here[token] == 0 {
		delete(v.here, token)
	}
	v.listening.Store(len(v.here)+len(v.elsewhere) > 0)
}

// Answer implements live.Bus.
func (v *Live) Answer(about func(projectID string) []byte) { v.answer.Store(&about) }

func (v *Live) reply(m *nats.Msg) {
	about := v.answer.Load()
	if about == nil || m.Header.Get(askedBy) == v.node {
		return
	}
	if answer := (*about)(string(m.Data)); int64(len(answer)) <= v.log.nc.MaxPayload() {
		_ = m.Respond(answer)
	}
}

// Ask implements live.Bus. An embedded server has no other node.
func (v *Live) Ask(ctx context.Context, projectID string) (answers [][]byte) {
	if v.log.embedded != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	inbox := nats.NewInbox()
	sub, err := v.log.nc.SubscribeSync(inbox)
	if err != nil {
		return nil
	}
	defer func() { _ = sub.Unsubscribe() }()
	question := &nats.Msg{Subject: liveAsk, Reply: inbox, Data: []byte(projectID), Header: nats.Header{askedBy: {v.node}}}
	if v.log.nc.PublishMsg(question) != nil {
		return nil
	}
	for len(answers) < maxAnswers {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return answers
		}
		answers = append(answers, m.Data)
	}
	return answers
}
