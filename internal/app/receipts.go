package app

import (
	"context"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/tracestore"
)

// openReceipts makes what ingest seals receipts with, and what reads them where there is a store.
func (n *node) openReceipts(ctx context.Context) error {
	if n.log == nil {
		return nil
	}
	secret, err := n.meta.Secret(ctx, "receipts")
	if err != nil {
		return err
	}
	n.receipts = ingest.NewReceipts(secret, n.log, n.rejections())
	return nil
}

// rejections is where reasons are kept, nil on a node without a store.
func (n *node) rejections() tracestore.Rejections {
	if n.store == nil {
		return nil
	}
	rejections, _ := any(n.store).(tracestore.Rejections)
	return rejections
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
