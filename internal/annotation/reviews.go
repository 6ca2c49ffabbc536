package annotation

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// HoldTime is how long an item is held for whoever reviews it. Pages renew it long before; who is lost keeps nobody
// waiting for longer.
const HoldTime = 2 * time.Minute

// Reviewer is somebody who reviews a queue of a project.
type Reviewer struct{ ProjectID, QueueID, UserID string }

// Review is an item as its reviewer sees it.
type Review struct {
	Item  model.QueueItem
	Draft json.RawMessage // what they noted, a JSON object; nil: nothing
}

func (r Reviewer) hold() metastore.Hold {
	at := now()
	return metastore.Hold{ProjectID: r.ProjectID, QueueID: r.QueueID, UserID: r.UserID, Now: at, Until: at.Add(HoldTime)}
}

// ChangeQueue sets name, description and score configs of a queue. fault.NotFound; fault.Invalid as for CreateQueue.
func (s *Service) ChangeQueue(ctx context.Context, projectID string, q model.Queue) (model.Queue, error) {
	if err := s.checkQueue(ctx, projectID, q); err != nil {
		return q, err
	}
	kept, err := s.Queue(ctx, projectID, q.ID)
	if err != nil {
		return q, err
	}
	kept.Name, kept.Description, kept.ScoreConfigIDs, kept.UpdatedAt = q.Name, q.Description, q.ScoreConfigIDs, now()
	return kept, missing(nameTaken(s.store.UpdateQueue(ctx, kept)), "annotation queue")
}

// Progress tells of queues in the order in which Queues lists them, and how many there are.
func (s *Service) Progress(ctx context.Context, projectID string, part metastore.Range) ([]model.QueueProgress, int, error) {
	queues, total, err := s.store.Queues(ctx, projectID, part)
	if err != nil {
		return nil, 0, err
	}
	ids := make([]string, len(queues))
	for i, q := range queues {
		ids[i] = q.ID
	}
	list, err := s.store.QueueProgress(ctx, projectID, ids, now())
	return list, total, err
}

// ProgressOf tells of one queue. fault.NotFound.
func (s *Service) ProgressOf(ctx context.Context, projectID, queueID string) (model.QueueProgress, error) {
	if _, err := s.Queue(ctx, projectID, queueID); err != nil {
		return model.QueueProgress{}, err
	}
	list, err := s.store.QueueProgress(ctx, projectID, []string{queueID}, now())
	if err != nil {
		return model.QueueProgress{}, err
	}
	return list[0], nil
}

// Next holds the next item that is free, see metastore.Reviews. The review has no item when nothing is free.
// fault.NotFound for the queue.
func (s *Service) Next(ctx context.Context, r Reviewer, fromID string, back bool) (Review, error) {
	if _, err := s.Queue(ctx, r.ProjectID, r.QueueID); err != nil {
		return Review{}, err
	}
	item, err := s.store.HoldNextQueueItem(ctx, r.hold(), fromID, back)
	if errors.Is(err, metastore.ErrNotFound) {
		return Review{}, nil
	}
	if err != nil {
		return Review{}, err
	}
	return s.withDraft(ctx, r, item)
}

// Review shows an item to its reviewer, held or not. fault.NotFound.
func (s *Service) Review(ctx context.Context, r Reviewer, itemID string) (Review, error) {
	item, err := s.Item(ctx, r.ProjectID, r.QueueID, itemID)
	if err != nil {
		return Review{}, err
	}
	return s.withDraft(ctx, r, item)
}

func (s *Service) withDraft(ctx context.Context, r Reviewer, item model.QueueItem) (Review, error) {
	draft, err := s.store.Draft(ctx, r.ProjectID, r.QueueID, item.ID, r.UserID)
	if err != nil || draft == "" {
		return Review{Item: item}, err
	}
	return Review{item, json.RawMessage(draft)}, nil
}

// Hold takes an item for its reviewer, or goes on holding it. fault.NotFound, fault.Conflict when another reviews it
// or it is completed.
func (s *Service) Hold(ctx context.Context, r Reviewer, itemID string) (Review, error) {
	item, err := s.store.HoldQueueItem(ctx, r.hold(), itemID)
	if err != nil {
		return Review{}, s.refusal(ctx, r, itemID, err)
	}
	return s.withDraft(ctx, r, item)
}

// Release lets an item go; others may take it at once.
func (s *Service) Release(ctx context.Context, r Reviewer, itemID string) error {
	return s.store.ReleaseQueueItem(ctx, r.hold(), itemID)
}

// SaveDraft keeps what a reviewer noted of an item that they hold, a JSON object, and goes on holding it. fault.Invalid,
// fault.Conflict.
func (s *Service) SaveDraft(ctx context.Context, r Reviewer, itemID string, draft json.RawMessage) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(draft, &object); err != nil || object == nil {
		return fault.Invalidf("draft", "must be a JSON object")
	}
	return s.refusal(ctx, r, itemID, s.store.SaveDraft(ctx, r.hold(), itemID, string(draft)))
}

// Complete marks an item that the reviewer holds as reviewed. fault.NotFound, fault.Conflict.
func (s *Service) Complete(ctx context.Context, r Reviewer, itemID string) (model.QueueItem, error) {
	item, err := s.store.CompleteQueueItem(ctx, r.hold(), itemID)
	return item, s.refusal(ctx, r, itemID, err)
}

// Reopen makes an item pending again that the reviewer has completed, and holds it for them. fault.NotFound,
// fault.Conflict.
func (s *Service) Reopen(ctx context.Context, r Reviewer, itemID string) (Review, error) {
	item, err := s.store.ReopenQueueItem(ctx, r.hold(), itemID)
	if err != nil {
		return Review{}, s.refusal(ctx, r, itemID, err)
	}
	return s.withDraft(ctx, r, item)
}

// refusal says in a client's words why an item is not theirs.
func (s *Service) refusal(ctx context.Context, r Reviewer, itemID string, err error) error {
	if !errors.Is(err, metastore.ErrInUse) {
		return missing(err, "annotation queue item")
	}
	item, readErr := s.Item(ctx, r.ProjectID, r.QueueID, itemID)
	if readErr != nil {
		return readErr
	}
	switch holder := item.HeldAt(now()); {
	case item.Status == model.Completed:
		return fault.New(fault.Conflict, "The item is completed").Hint("who completed it can make it pending again")
	case holder != "" && holder != r.UserID:
		return fault.New(fault.Conflict, "Somebody else reviews the item until %s", item.HeldUntil.Format(time.RFC3339)).Hint("ask for the next item")
	default:
		return fault.New(fault.Conflict, "You do not hold the item any more").Hint("take it again with PUT on its lock")
	}
}
