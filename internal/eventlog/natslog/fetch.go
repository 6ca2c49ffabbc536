package natslog

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sondehq/sonde/internal/eventlog"
)

const (
	// fetchWait is how long the server holds a request that finds nothing. It answers at
	// the first record, so a long wait costs no latency and an idle log costs no CPU.
	fetchWait = 5 * time.Second

	// fetchSlack is how much later than fetchWait the server's answer may come.
	fetchSlack = 2 * time.Second

	// busyWait keeps a fetch that the server turned away from asking again in a tight loop.
	busyWait = 50 * time.Millisecond

	// deliveryOverhead is more than the server counts per delivery besides the record.
	deliveryOverhead = 1 << 10
)

// pullRequest asks the server for records. With NoWait and Expires together it waits for the
// first record and then hands out only what is there: it never waits to fill a batch.
type pullRequest struct {
	Batch    int           `json:"batch"`
	MaxBytes int           `json:"max_bytes"`
	NoWait   bool          `json:"no_wait"`
	Expires  time.Duration `json:"expires"`
}

// The states a pull request can end in.
const (
	statusNone     = "404" // nothing more is due
	statusExpired  = "408" // nothing came in time, or other requests are served first
	statusConflict = "409" // the batch is complete by count or bytes, or the consumer moved
	headerStatus   = "Status"
	headerReason   = "Description"
	reasonBusy     = "Requests Pending"
)

// Fetch waits up to fetchWait for a record that is due and returns with it all that are due
// then, within the limits.
//
// It ends early when ctx does, or when the connection was lost and restored, because then nobody
// may know of the request any more. Records that were already on their way are still returned:
// dropping them would hide them until they are delivered again.
func (l *Log) Fetch(ctx context.Context, partition, maxRecords, maxBytes int) ([]eventlog.Delivery, error) {
	if partition < 0 || partition >= len(l.partitions) {
		return nil, fmt.Errorf("fetch from partition %d: there are %d", partition, len(l.partitions))
	}
	if ctx.Err() != nil {
		return nil, nil
	}
	request, err := json.Marshal(pullRequest{
		Batch:    max(maxRecords, 1),
		MaxBytes: max(maxBytes, l.maxRecord+deliveryOverhead),
		NoWait:   true,
		Expires:  fetchWait,
	})
	if err != nil {
		return nil, fmt.Errorf("fetch from partition %d: %w", partition, err)
	}
	asked := l.connection.Load()
	inbox := l.nc.NewInbox()
	sub, err := l.nc.SubscribeSync(inbox)
	if err != nil {
		return nil, unavailable(err, "fetch from partition %d", partition)
	}
	// The limits of the request bound what arrives; the client must not drop any of it.
	_ = sub.SetPendingLimits(-1, -1)
	defer func() { _ = sub.Unsubscribe() }()
	next := "$JS.API.CONSUMER.MSG.NEXT." + l.partitions[partition].name + "." + consumerName
	if err := l.nc.PublishRequest(next, inbox, request); err != nil {
		return nil, unavailable(err, "fetch from partition %d", partition)
	}
	got := gathering{log: l, asked: asked, partition: l.partitions[partition], sub: sub, max: max(maxRecords, 1)}
	if err := got.gather(ctx); err != nil && len(got.deliveries) == 0 {
		return nil, unavailable(err, "fetch from partition %d", partition)
	}
	return got.deliveries, nil
}

// gathering collects the answers to one pull request.
type gathering struct {
	log        *Log
	asked      *connection
	partition  *partition
	sub        *nats.Subscription
	max        int
	deliveries []eventlog.Delivery
}

func (g *gathering) gather(ctx context.Context) error {
	wait, cancel := context.WithTimeout(ctx, fetchWait+fetchSlack)
	defer cancel()
	defer context.AfterFunc(g.asked.over, cancel)() //nolint:contextcheck // the connection's life, beside the caller's
	for len(g.deliveries) < g.max {
		msg, err := g.sub.NextMsgWithContext(wait)
		if ctx.Err() != nil || g.asked.over.Err() != nil {
			return g.leftovers(msg)
		}
		if err != nil {
			return err
		}
		if msg.Reply == "" {
			return ended(ctx, msg)
		}
		if err := g.add(msg); err != nil {
			return err
		}
	}
	return nil
}

// leftovers takes back the request and collects what the server sent before it knew.
func (g *gathering) leftovers(first *nats.Msg) error {
	if err := g.sub.Drain(); err != nil {
		return err
	}
	if err := g.log.nc.FlushTimeout(fetchSlack); err != nil {
		return err
	}
	if first != nil && first.Reply != "" {
		if err := g.add(first); err != nil {
			return err
		}
	}
	for waiting, _, _ := g.sub.Pending(); waiting > 0; waiting-- {
		msg, err := g.sub.NextMsg(fetchSlack)
		if err != nil {
			return err
		}
		if msg.Reply == "" {
			continue
		}
		if err := g.add(msg); err != nil {
			return err
		}
	}
	return nil
}

func (g *gathering) add(msg *nats.Msg) error {
	meta, err := msg.Metadata()
	if err != nil {
		return err
	}
	g.deliveries = append(g.deliveries, &delivery{
		conn: g.log.nc, msg: msg, at: meta.Timestamp, sequence: meta.Sequence.Stream, partition: g.partition,
	})
	return nil
}

// ended says whether the end of a pull request is one of the usual ones.
func ended(ctx context.Context, msg *nats.Msg) error {
	status, reason := msg.Header.Get(headerStatus), msg.Header.Get(headerReason)
	switch status {
	case statusNone, statusConflict:
		return nil
	case statusExpired:
		if reason == reasonBusy {
			select {
			case <-ctx.Done():
			case <-time.After(busyWait):
			}
		}
		return nil
	}
	return fmt.Errorf("status %q: %s", status, reason)
}

// delivery is a record as the server handed it out. Answers go to the message's reply subject.
type delivery struct {
	conn      *nats.Conn
	msg       *nats.Msg
	at        time.Time
	sequence  uint64
	partition *partition
}

var (
	ackBody    = []byte("+ACK")
	extendBody = []byte("+WPI")
)

func (d *delivery) Position() eventlog.Position {
	return eventlog.Position{Partition: d.partition.number, Sequence: d.sequence}
}

func (d *delivery) Record() []byte        { return d.msg.Data }
func (d *delivery) AppendedAt() time.Time { return d.at }

// Ack does not wait for the server: an acknowledgement that gets lost is a redelivery.
func (d *delivery) Ack() error {
	if err := d.conn.Publish(d.msg.Reply, ackBody); err != nil {
		return unavailable(err, "acknowledge record %d of partition %d", d.sequence, d.partition.number)
	}
	d.partition.acked.Store(&d.msg.Reply)
	return nil
}

func (d *delivery) Extend() error {
	if err := d.conn.Publish(d.msg.Reply, extendBody); err != nil {
		return unavailable(err, "extend record %d of partition %d", d.sequence, d.partition.number)
	}
	return nil
}

// settle waits until the server took in every acknowledgement sent so far. It takes answers in
// order, so one that asks for a reply tells.
func (l *Log) settle(ctx context.Context) {
	for _, p := range l.partitions {
		if last := p.acked.Load(); last != nil {
			// What is not taken in is delivered again, so a failure here does no harm.
			_, _ = l.nc.RequestWithContext(ctx, *last, extendBody)
		}
	}
}
