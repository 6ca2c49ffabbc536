package ingest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/tracestore"
)

// MaxListed bounds the rejections that the state of a receipt lists.
const MaxListed = 1000

// ReceiptStatus says where the spans of a request are.
type ReceiptStatus string

// The statuses of a receipt.
const (
	ReceiptAccepted ReceiptStatus = "accepted" // in the log, on disk; not all of them in the store
	ReceiptStored   ReceiptStatus = "stored"   // all of them in the store
	ReceiptPartial  ReceiptStatus = "partial"  // all in the store but those that were rejected
	ReceiptRejected ReceiptStatus = "rejected" // none of them in the store, now or later
)

// ReceiptState is what became of the spans that a receipt names.
type ReceiptState struct {
	Status     ReceiptStatus
	AcceptedAt time.Time
	Accepted   int // spans that are stored or will be
	Rejected   int // spans that are not, and will not be
	Pending    int // records of the log that are not stored yet
	// Rejections are reasons by position in the request, once nothing is pending.
	Rejections []tracestore.Rejection
	Omitted    int // rejected spans that are not listed
}

// Receipts makes receipts and says what became of the spans they name.
//
// Promises: a receipt is valid for one project, on every node and for ever; one that was made up,
// changed, or belongs to another project is not found. What it says comes from the log and the
// store alone. A record is stored once the floor of its partition passed it; that the log trimmed
// it since does not matter.
//
// Limits: the store keeps reasons for 30 days. A receipt for more than maxExactRecords records
// lists the reasons that were known when it was made and not those of the writer. A record that was
// refused and later redriven stays rejected in its receipt.
type Receipts struct {
	secret     []byte
	cell       string
	log        LogState
	rejections tracestore.Rejections
}

// LogState is the part of eventlog.Log that tells how far it is acknowledged.
type LogState interface {
	Status(ctx context.Context) (eventlog.Status, error)
}

// NewReceipts makes receipts with the installation's secret. Without rejections it can only make
// them, not look them up.
func NewReceipts(secret []byte, log LogState, rejections tracestore.Rejections) *Receipts {
	return &Receipts{secret: secret, log: log, rejections: rejections}
}

// InCell makes receipts that only the same cell finds, because they name records of its log, and returns them.
func (r *Receipts) InCell(name string) *Receipts {
	r.cell = name
	return r
}

// place is what a receipt is sealed for.
func (r *Receipts) place(projectID string) string {
	if r.cell == "" {
		return projectID
	}
	return projectID + "\x00" + r.cell
}

func (r *Receipts) issue(projectID string, content receipt) string {
	return sealer(r.secret, r.place(projectID)).Seal(content.encode())
}

// errNoReceipt is the one answer to everything that is not a receipt of the project.
var errNoReceipt = fault.New(fault.NotFound, "Receipt not found")

// State looks a receipt of a project up.
func (r *Receipts) State(ctx context.Context, projectID, id string) (ReceiptState, error) {
	content, err := sealer(r.secret, r.place(projectID)).Open(id)
	if err != nil {
		return ReceiptState{}, errNoReceipt
	}
	found, err := decodeReceipt(content)
	if err != nil {
		return ReceiptState{}, errNoReceipt
	}
	log, err := r.log.Status(ctx)
	if err != nil {
		return ReceiptState{}, fmt.Errorf("look up receipt: %w", err)
	}
	state := ReceiptState{AcceptedAt: found.acceptedAt, Accepted: found.accepted, Rejected: found.rejected, Pending: found.pending(log.Floors)}
	if state.Pending == 0 {
		if err := r.explain(ctx, projectID, found, &state); err != nil {
			return ReceiptState{}, fmt.Errorf("look up receipt: %w", err)
		}
	}
	state.Omitted = state.Rejected - len(state.Rejections)
	state.Status = state.status()
	return state, nil
}

func (s ReceiptState) status() ReceiptStatus {
	switch {
	case s.Accepted == 0:
		return ReceiptRejected
	case s.Pending > 0:
		return ReceiptAccepted
	case s.Rejected > 0:
		return ReceiptPartial
	default:
		return ReceiptStored
	}
}

// explain adds the reasons: those that were known at once, and those of rows that the store
// refused later, which are no longer accepted.
func (r *Receipts) explain(ctx context.Context, projectID string, of receipt, state *ReceiptState) error {
	var early, late []tracestore.Rejection
	var err error
	// A store may keep times less precisely than receipts do.
	since := of.acceptedAt.Truncate(time.Second)
	if of.reasons.Sequence > 0 {
		early, err = r.rejections.RejectionsOf(ctx, projectID, []tracestore.LogPosition{tracestore.LogPosition(of.reasons)}, since, MaxListed)
		if err != nil {
			return err
		}
	}
	if records := of.records(); len(records) > 0 {
		positions := make([]tracestore.LogPosition, len(records))
		for i, at := range records {
			positions[i] = tracestore.LogPosition(at)
		}
		if late, err = r.rejections.RejectionsOf(ctx, projectID, positions, since, MaxListed); err != nil {
			return err
		}
	}
	for i := range late {
		late[i].Item = amongAll(late[i].Item, early)
	}
	refused := min(len(late), state.Accepted)
	state.Accepted -= refused
	state.Rejected += refused
	list := slices.Concat(early, late)
	slices.SortStableFunc(list, func(a, b tracestore.Rejection) int { return cmp.Compare(a.Item, b.Item) })
	state.Rejections = list[:min(len(list), MaxListed, state.Rejected)]
	return nil
}

// amongAll turns a position among the accepted spans of a request into one among all of them.
// It is exact when no more than MaxListed were rejected.
func amongAll(item int, rejected []tracestore.Rejection) int {
	for _, r := range rejected {
		if r.Item > item {
			break
		}
		item++
	}
	return item
}
