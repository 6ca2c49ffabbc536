package annotation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// maxQueueConfigs bounds the score configs of a queue.
const maxQueueConfigs = 100

// CreateQueue adds a queue to a project under an id of ours. fault.Invalid, also for a name that is taken and for
// score configs that the project does not have.
func (s *Service) CreateQueue(ctx context.Context, projectID string, q model.Queue) (model.Queue, error) {
	if err := s.checkQueue(ctx, projectID, q); err != nil {
		return q, err
	}
	q.ProjectID, q.ID, q.CreatedAt = projectID, uuid.NewString(), now()
	q.UpdatedAt = q.CreatedAt
	return q, nameTaken(s.store.CreateQueue(ctx, q))
}

// checkQueue refuses a queue without a name, and one with score configs that the project does not have.
func (s *Service) checkQueue(ctx context.Context, projectID string, q model.Queue) error {
	if strings.TrimSpace(q.Name) == "" {
		return fault.Invalidf("name", "must not be empty")
	}
	if n := len(q.ScoreConfigIDs); n < 1 || n > maxQueueConfigs {
		return fault.Invalidf("scoreConfigIds", "must have 1 to %d ids of score configs, got %d", maxQueueConfigs, n)
	}
	for i, id := range q.ScoreConfigIDs {
		field := fmt.Sprintf("scoreConfigIds.%d", i)
		if err := s.checkConfig(ctx, projectID, field, id); err != nil {
			return err
		}
	}
	return nil
}

func nameTaken(err error) error {
	if errors.Is(err, metastore.ErrExists) {
		return fault.Invalidf("name", "is taken by another annotation queue of this project")
	}
	return err
}

func (s *Service) checkConfig(ctx context.Context, projectID, field, id string) error {
	if metastore.CheckID(field, id) != nil {
		return fault.Invalidf(field, "must be the id of a score config of this project")
	}
	_, err := s.store.ScoreConfig(ctx, projectID, id)
	if errors.Is(err, metastore.ErrNotFound) {
		return fault.Invalidf(field, "must be the id of a score config of this project")
	}
	return err
}

// Queues returns a part of the queues of a project, the newest first, and how many there are.
func (s *Service) Queues(ctx context.Context, projectID string, part metastore.Range) ([]model.Queue, int, error) {
	return s.store.Queues(ctx, projectID, part)
}

// Queue returns one queue of a project. fault.NotFound.
func (s *Service) Queue(ctx context.Context, projectID, id string) (model.Queue, error) {
	q, err := s.store.Queue(ctx, projectID, id)
	return q, missing(err, "annotation queue")
}

// AddItem adds an object to a queue under an id of ours. The object need not be there yet: it may still be on its
// way. fault.NotFound for the queue.
func (s *Service) AddItem(ctx context.Context, projectID string, i model.QueueItem) (model.QueueItem, error) {
	i.ProjectID, i.ID, i.CreatedAt = projectID, uuid.NewString(), now()
	i.UpdatedAt = i.CreatedAt
	if i.Status == model.Completed {
		i.CompletedAt = i.CreatedAt
	}
	return i, missing(s.store.CreateQueueItem(ctx, i), "annotation queue")
}

// Items returns a part of the items of a queue, the newest first, and how many there are with that status; empty:
// any. fault.NotFound for the queue.
func (s *Service) Items(ctx context.Context, projectID, queueID string, status model.QueueStatus, part metastore.Range) ([]model.QueueItem, int, error) {
	if _, err := s.Queue(ctx, projectID, queueID); err != nil {
		return nil, 0, err
	}
	return s.store.QueueItems(ctx, projectID, queueID, status, part)
}

// Item returns one item of a queue. fault.NotFound.
func (s *Service) Item(ctx context.Context, projectID, queueID, id string) (model.QueueItem, error) {
	i, err := s.store.QueueItem(ctx, projectID, queueID, id)
	return i, missing(err, "annotation queue item")
}

// SetStatus completes an item or makes it pending again; empty leaves it as it is. An item that is completed
// already keeps its time of completion. fault.NotFound.
func (s *Service) SetStatus(ctx context.Context, projectID, queueID, id string, status model.QueueStatus) (model.QueueItem, error) {
	i, err := s.Item(ctx, projectID, queueID, id)
	if err != nil || status == "" || status == i.Status {
		return i, err
	}
	before := i.UpdatedAt
	i.Status, i.UpdatedAt = status, now()
	if i.UpdatedAt.Before(before) { // the clock of another node
		i.UpdatedAt = before
	}
	i.CompletedAt = time.Time{}
	if status == model.Completed {
		i.CompletedAt = i.UpdatedAt
	}
	return i, missing(s.store.UpdateQueueItem(ctx, i), "annotation queue item")
}

// DeleteItem removes an item from a queue. fault.NotFound.
func (s *Service) DeleteItem(ctx context.Context, projectID, queueID, id string) error {
	return missing(s.store.DeleteQueueItem(ctx, projectID, queueID, id), "annotation queue item")
}

// Assign gives a queue to a user of the project's organization. fault.NotFound for the queue and the user.
func (s *Service) Assign(ctx context.Context, project model.Project, queueID, userID string) error {
	if err := metastore.CheckID("userId", userID); err != nil {
		return err
	}
	if _, err := s.Queue(ctx, project.ID, queueID); err != nil {
		return err
	}
	err := s.checkMember(ctx, project, "userId", userID)
	if fault.Is(err, fault.Invalid) {
		return fault.New(fault.NotFound, "No user with this id in the project's organization")
	}
	if err != nil {
		return err
	}
	return missing(s.store.Assign(ctx, project.ID, queueID, userID), "annotation queue")
}

// Unassign takes a queue back from a user, who need not be a member any more nor have it. fault.NotFound for the queue.
func (s *Service) Unassign(ctx context.Context, projectID, queueID, userID string) error {
	if err := metastore.CheckID("userId", userID); err != nil {
		return err
	}
	if _, err := s.Queue(ctx, projectID, queueID); err != nil {
		return err
	}
	_, err := s.store.Unassign(ctx, projectID, queueID, userID)
	return err
}
