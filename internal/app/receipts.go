package app

import (
	"context"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/tracestore"
)

// openReceipts makes what ingest seals receipts with, and what reads them where there is a store.
func (n *node) openReceipts(ctx context.Context) error {
	log := n.anyLog()
	if log == nil {
		return nil
	}
	secret, err := n.meta.Secret(ctx, "receipts")
	if err != nil {
		return err
	}
	n.receipts = ingest.NewReceipts(secret, log, n.rejections()).InCell(n.config.Cell)
	return nil
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
