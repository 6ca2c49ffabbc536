package metastore

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

// MaxHeldShown bounds the held items that a QueueProgress lists.
const MaxHeldShown = 100

// Hold is what somebody who reviews asks for: an item of a queue for themselves, until a time.
type Hold struct {
	ProjectID, QueueID string
	UserID             string
	// Now decides whether the hold of another has ended. It is the asking node's clock: those of the nodes must
	// differ by less than a hold is long.
	Now, Until time.Time
}

// Reviews is how several people work on one queue. Only pending items are held, and no item by two people at one
// time: whoever asks for an item that another holds is refused with ErrInUse until that hold has ended.
type Reviews interface {
	// UpdateQueue sets name, description, score configs and time of the change of a queue. ErrExists when another
	// queue of the project has the name, ErrNotFound.
	UpdateQueue(ctx context.Context, queue model.Queue) error
	// QueueProgress tells of each of the queues, in their order; one that does not exist has nothing.
	QueueProgress(ctx context.Context, projectID string, queueIDs []string, now time.Time) ([]model.QueueProgress, error)

	// HoldQueueItem holds one item, or goes on holding it. ErrInUse also for an item that is completed, ErrNotFound.
	HoldQueueItem(ctx context.Context, h Hold, itemID string) (model.QueueItem, error)
	// HoldNextQueueItem holds the first item that is free and lies behind another, by time of creation, then id; with
	// back the last one before it. From the end it goes on at the beginning, so that the item itself comes last. Without
	// an item to begin at, the one that the user holds already comes first. All other items of the queue that the user
	// held are let go. ErrNotFound when nothing is free.
	HoldNextQueueItem(ctx context.Context, h Hold, fromID string, back bool) (model.QueueItem, error)
	// ReleaseQueueItem ends the user's hold of an item, if there is one.
	ReleaseQueueItem(ctx context.Context, h Hold, itemID string) error
	// CompleteQueueItem completes an item that the user holds, at h.Now. ErrInUse for one that they do not hold.
	CompleteQueueItem(ctx context.Context, h Hold, itemID string) (model.QueueItem, error)
	// ReopenQueueItem makes an item pending again that the user has completed, and holds it. ErrInUse for any other.
	ReopenQueueItem(ctx context.Context, h Hold, itemID string) (model.QueueItem, error)

	// SaveDraft keeps what the user noted of an item that they hold, in the place of what they noted before, and goes on
	// holding it. ErrInUse for an item that they do not hold. A draft stays until its item is deleted.
	SaveDraft(ctx context.Context, h Hold, itemID, draft string) error
	// Draft returns what the user noted of an item; empty: nothing.
	Draft(ctx context.Context, projectID, queueID, itemID, userID string) (string, error)
}

// Check refuses with fault.Invalid a hold that no row can have.
func (h Hold) Check() error {
	return CheckIDs("project id", h.ProjectID, "queueId", h.QueueID, "userId", h.UserID)
}

// CheckDraft refuses with fault.Invalid a draft that cannot be stored.
func CheckDraft(draft string) error { return checkDocument("draft", draft) }
