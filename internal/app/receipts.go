package app

import (
	"context"
	"sync"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/tracestore"
)

// openReceipts makes what ingest seals receipts with, and what reads them where there is a store.
func (n *node) openReceipts(ctx context.Context) error {
	var log ingest.LogState = n.log
	if n.log == nil {
		if n.config.Eventlog.Address == "" {
			return nil
		}
		n.joined = &joinedLog{options: n.logOptions()}
		log = n.joined
	}
	secret, err := n.meta.Secret(ctx, "receipts")
	if err != nil {
		return err
	}
	n.receipts = ingest.NewReceipts(secret, log, n.rejections())
	return nil
}

func (n *node) closeReceipts(ctx context.Context) error {
	if n.joined == nil {
		return nil
	}
	return n.joined.close(ctx)
}

// joinedLog looks at the log of other nodes. It is opened when it is first asked for: a node that
// only reads must start, and read, while the log is away.
type joinedLog struct {
	options natslog.Config

	mu  sync.Mutex
	log *natslog.Log
}

// Status reports the state of the log.
func (j *joinedLog) Status(ctx context.Context) (eventlog.Status, error) {
	log, err := j.open(ctx)
	if err != nil {
		return eventlog.Status{}, err
	}
	return log.Status(ctx)
}

func (j *joinedLog) open(ctx context.Context) (*natslog.Log, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.log != nil {
		return j.log, nil
	}
	options := j.options
	options.Join = true
	log, err := natslog.OpenRemote(ctx, options)
	if err != nil {
		return nil, err
	}
	j.log = log
	return log, nil
}

func (j *joinedLog) close(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.log == nil {
		return nil
	}
	return j.log.Close(ctx)
}

// rejections is where reasons are kept, nil on a node without a store.
func (n *node) rejections() tracestore.Rejections {
	if n.store == nil {
		return nil
	}
	return n.store
}

// receiptReader is nil on a node that lacks the log or the store.
func (n *node) receiptReader() api.ReceiptReader {
	if n.receipts == nil || n.rejections() == nil {
		return nil
	}
	return n.receipts
}

// deadLetters is nil on a node without the log.
func (n *node) deadLetters() eventlog.DeadLetters {
	if n.log == nil {
		return nil
	}
	return n.log
}
