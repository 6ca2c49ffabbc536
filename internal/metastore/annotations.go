package metastore

import (
	"context"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// MaxFeedback is how many feedbacks of a project are kept: a newer one pushes the oldest out.
const MaxFeedback = 100

// maxQueueID keeps the keys of what belongs to a queue short enough for every database.
const maxQueueID = 256

// Range is a part of a list.
type Range struct{ Offset, Limit int }

// CommentQuery says which comments are wanted; empty: any.
type CommentQuery struct {
	ObjectType   model.ObjectType
	ObjectID     string
	AuthorUserID string
}

// Annotations keeps comments, annotation queues and feedback. Ids are unique within a project; projects do
// not see each other's. Lists have the newest first, then by id, and come with the number of all rows that
// match. What cannot be stored is refused with fault.Invalid.
type Annotations interface {
	// CreateComment adds a comment to a project. ErrExists for its id, ErrNotFound for the project.
	CreateComment(ctx context.Context, comment model.Comment) error
	// Comment returns one comment of a project. ErrNotFound.
	Comment(ctx context.Context, projectID, id string) (model.Comment, error)
	// Comments returns a part of the comments of a project that match.
	Comments(ctx context.Context, projectID string, q CommentQuery, part Range) ([]model.Comment, int, error)

	// CreateQueue adds a queue to a project. ErrExists when the project has its id or its name already,
	// ErrNotFound for the project. Of several with one name at once, exactly one is made.
	CreateQueue(ctx context.Context, queue model.Queue) error
	// Queue returns one queue of a project. ErrNotFound.
	Queue(ctx context.Context, projectID, id string) (model.Queue, error)
	// Queues returns a part of the queues of a project.
	Queues(ctx context.Context, projectID string, part Range) ([]model.Queue, int, error)

	// CreateQueueItem adds an item to a queue. ErrExists for its id, ErrNotFound for the queue.
	CreateQueueItem(ctx context.Context, item model.QueueItem) error
	// QueueItem returns one item of a queue. ErrNotFound.
	QueueItem(ctx context.Context, projectID, queueID, id string) (model.QueueItem, error)
	// QueueItems returns a part of the items of a queue, those of any status when it is empty. A queue that
	// does not exist has none.
	QueueItems(ctx context.Context, projectID, queueID string, status model.QueueStatus, part Range) ([]model.QueueItem, int, error)
	// UpdateQueueItem sets status, time of completion and time of the change of an item, names nobody who completed
	// it and lets it go if somebody holds it. ErrNotFound.
	UpdateQueueItem(ctx context.Context, item model.QueueItem) error
	// DeleteQueueItem removes an item and what people noted of it for ever. ErrNotFound.
	DeleteQueueItem(ctx context.Context, projectID, queueID, id string) error
	// Assign gives a queue to a user; doing it again changes nothing. ErrNotFound for the queue.
	Assign(ctx context.Context, projectID, queueID, userID string) error
	// Unassign takes it back and reports whether the user had it.
	Unassign(ctx context.Context, projectID, queueID, userID string) (bool, error)

	// AddFeedback keeps a feedback, of the project's at most MaxFeedback. ErrExists, ErrNotFound for the project.
	AddFeedback(ctx context.Context, feedback model.Feedback) error
	// Feedback returns the newest feedback of a project, at most MaxFeedback.
	Feedback(ctx context.Context, projectID string) ([]model.Feedback, error)
}

// CheckComment refuses with fault.Invalid a comment that cannot be stored.
func CheckComment(c model.Comment) error {
	return first(
		CheckID("project id", c.ProjectID),
		CheckID("id", c.ID),
		CheckID("objectType", string(c.ObjectType)),
		CheckID("objectId", c.ObjectID),
		checkDocument("content", c.Content),
		checkText("authorUserId", c.AuthorUserID),
	)
}

// Check refuses with fault.Invalid a query that no row can match because no database holds such texts.
func (q CommentQuery) Check() error {
	return first(
		checkText("objectType", string(q.ObjectType)),
		checkText("objectId", q.ObjectID),
		checkText("authorUserId", q.AuthorUserID),
	)
}

// CheckQueue refuses with fault.Invalid a queue that cannot be stored; configs is the JSON of its score configs.
func CheckQueue(q model.Queue, configs string) error {
	if len(q.ID) > maxQueueID {
		return fault.Invalidf("id", "must not be longer than %d bytes", maxQueueID)
	}
	return first(
		CheckID("project id", q.ProjectID),
		CheckID("id", q.ID),
		CheckID("name", q.Name),
		checkDocument("description", q.Description),
		checkDocument("scoreConfigIds", configs),
	)
}

// CheckQueueItem refuses with fault.Invalid an item that cannot be stored.
func CheckQueueItem(i model.QueueItem) error {
	return first(
		CheckID("project id", i.ProjectID),
		CheckID("queueId", i.QueueID),
		CheckID("itemId", i.ID),
		CheckID("objectType", string(i.ObjectType)),
		CheckID("objectId", i.ObjectID),
		CheckID("status", string(i.Status)),
	)
}

// CheckIDs refuses with fault.Invalid ids that no row can have; they come as pairs of field and id.
func CheckIDs(pairs ...string) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		if err := CheckID(pairs[i], pairs[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// CheckFeedback refuses with fault.Invalid a feedback that cannot be stored.
func CheckFeedback(f model.Feedback) error {
	return first(
		CheckID("project id", f.ProjectID),
		CheckID("id", f.ID),
		CheckID("targetType", f.TargetType),
		CheckID("target", f.Target),
		checkDocument("feedback", f.Text),
		checkDocument("goal", f.Goal),
		checkDocument("referenceUrl", f.ReferenceURL),
	)
}
