package metastoretest

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// rowKey names a row of a project.
type rowKey struct{ project, id string }

// assignment is a queue that a user has.
type assignment struct{ project, queue, user string }

// draftKey is what somebody notes of an item.
type draftKey struct{ project, item, user string }

// annotations are the comments, queues and feedback of a Memory.
type annotations struct {
	comments    map[rowKey]model.Comment
	queues      map[rowKey]model.Queue
	items       map[rowKey]model.QueueItem
	assignments map[assignment]int // by the order in which they were made
	assigned    int
	feedback    map[rowKey]model.Feedback
	drafts      map[draftKey]string
}

func newAnnotations() annotations {
	return annotations{
		comments: map[rowKey]model.Comment{}, queues: map[rowKey]model.Queue{}, items: map[rowKey]model.QueueItem{},
		assignments: map[assignment]int{}, feedback: map[rowKey]model.Feedback{}, drafts: map[draftKey]string{},
	}
}

// add puts a row of a project into a table.
func add[T any](m *Memory, table map[rowKey]T, key rowKey, row T) error {
	if _, known := m.projects[key.project]; !known {
		return metastore.ErrNotFound
	}
	if _, exists := table[key]; exists {
		return metastore.ErrExists
	}
	table[key] = row
	return nil
}

// newest lists the matching rows of a table and cuts a part out.
func newest[T any](table map[rowKey]T, part metastore.Range, created func(T) time.Time, match func(rowKey, T) bool) ([]T, int) {
	var keys []rowKey
	for key, row := range table {
		if match(key, row) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b rowKey) int {
		return cmp.Or(created(table[b]).Compare(created(table[a])), cmp.Compare(a.id, b.id))
	})
	var list []T
	for _, key := range keys[min(part.Offset, len(keys)):min(part.Offset+part.Limit, len(keys))] {
		list = append(list, table[key])
	}
	return list, len(keys)
}

// CreateComment implements metastore.Annotations.
func (m *Memory) CreateComment(ctx context.Context, c model.Comment) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckComment(c)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c.CreatedAt, c.UpdatedAt = microsecond(c.CreatedAt), microsecond(c.UpdatedAt)
	return add(m, m.comments, rowKey{c.ProjectID, c.ID}, c)
}

// Comment implements metastore.Annotations.
func (m *Memory) Comment(ctx context.Context, projectID, id string) (model.Comment, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("commentId", id)); err != nil {
		return model.Comment{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c, known := m.comments[rowKey{projectID, id}]
	if !known {
		return c, metastore.ErrNotFound
	}
	return c, nil
}

// Comments implements metastore.Annotations.
func (m *Memory) Comments(ctx context.Context, projectID string, q metastore.CommentQuery, part metastore.Range) ([]model.Comment, int, error) {
	if err := cmp.Or(ctx.Err(), q.Check()); err != nil {
		return nil, 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list, total := newest(m.comments, part, func(c model.Comment) time.Time { return c.CreatedAt }, func(key rowKey, c model.Comment) bool {
		return key.project == projectID && (q.ObjectType == "" || q.ObjectType == c.ObjectType) &&
			(q.ObjectID == "" || q.ObjectID == c.ObjectID) && (q.AuthorUserID == "" || q.AuthorUserID == c.AuthorUserID)
	})
	return list, total, nil
}

// CreateQueue implements metastore.Annotations.
func (m *Memory) CreateQueue(ctx context.Context, q model.Queue) error {
	configs, err := json.Marshal(q.ScoreConfigIDs)
	if err := cmp.Or(ctx.Err(), err, metastore.CheckQueue(q, string(configs))); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, other := range m.queues {
		if key.project == q.ProjectID && other.Name == q.Name {
			return metastore.ErrExists
		}
	}
	q.CreatedAt, q.UpdatedAt = microsecond(q.CreatedAt), microsecond(q.UpdatedAt)
	q.ScoreConfigIDs = slices.Clone(q.ScoreConfigIDs)
	return add(m, m.queues, rowKey{q.ProjectID, q.ID}, q)
}

// Queue implements metastore.Annotations.
func (m *Memory) Queue(ctx context.Context, projectID, id string) (model.Queue, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("queueId", id)); err != nil {
		return model.Queue{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	q, known := m.queues[rowKey{projectID, id}]
	if !known {
		return q, metastore.ErrNotFound
	}
	q.ScoreConfigIDs = slices.Clone(q.ScoreConfigIDs)
	return q, nil
}

// Queues implements metastore.Annotations.
func (m *Memory) Queues(ctx context.Context, projectID string, part metastore.Range) ([]model.Queue, int, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list, total := newest(m.queues, part, func(q model.Queue) time.Time { return q.CreatedAt },
		func(key rowKey, _ model.Queue) bool { return key.project == projectID })
	for i := range list {
		list[i].ScoreConfigIDs = slices.Clone(list[i].ScoreConfigIDs)
	}
	return list, total, nil
}

// AddFeedback implements metastore.Annotations.
func (m *Memory) AddFeedback(ctx context.Context, f model.Feedback) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckFeedback(f)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f.CreatedAt = microsecond(f.CreatedAt)
	if err := add(m, m.feedback, rowKey{f.ProjectID, f.ID}, f); err != nil {
		return err
	}
	for _, old := range m.feedbackOf(f.ProjectID, metastore.Range{Offset: metastore.MaxFeedback, Limit: metastore.MaxFeedback}) {
		delete(m.feedback, rowKey{old.ProjectID, old.ID})
	}
	return nil
}

// Feedback implements metastore.Annotations.
func (m *Memory) Feedback(ctx context.Context, projectID string) ([]model.Feedback, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.feedbackOf(projectID, metastore.Range{Limit: metastore.MaxFeedback}), nil
}

func (m *Memory) feedbackOf(projectID string, part metastore.Range) []model.Feedback {
	list, _ := newest(m.feedback, part, func(f model.Feedback) time.Time { return f.CreatedAt },
		func(key rowKey, _ model.Feedback) bool { return key.project == projectID })
	return list
}
