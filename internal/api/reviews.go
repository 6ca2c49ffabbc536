package api

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/annotation"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/model"
)

// maxDraftBody has room for a correction of a long output.
const maxDraftBody = 512 << 10

// reviewRoutes are what several people need who review one queue.
func (s *server) reviewRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/api/public/annotation-queue-progress", handle: s.listProgress},
		{method: http.MethodGet, path: queuePath + "/progress", handle: s.queueProgress},
		{method: http.MethodPost, path: queuePath + "/next", handle: s.nextItem},
		{method: http.MethodGet, path: itemPath + "/review", handle: s.reviewItem},
		{method: http.MethodPut, path: itemPath + "/lock", handle: s.lockItem},
		{method: http.MethodDelete, path: itemPath + "/lock", handle: s.unlockItem},
		{method: http.MethodPut, path: itemPath + "/draft", handle: s.saveDraft},
		{method: http.MethodPost, path: itemPath + "/completion", handle: s.completeItem},
		{method: http.MethodDelete, path: itemPath + "/completion", handle: s.reopenItem},
	}
}

// reviewerOf is on whose behalf a request reviews: somebody who has signed in, or a key.
func reviewerOf(r *http.Request, caller auth.Principal) annotation.Reviewer {
	user := caller.User.ID
	if user == "" {
		user = "key " + caller.KeyID
	}
	return annotation.Reviewer{ProjectID: caller.Project.ID, QueueID: r.PathValue("queueId"), UserID: user}
}

// lockJSON says who reviews an item until when.
type lockJSON struct {
	ItemID    string `json:"itemId"`
	UserID    string `json:"userId"`
	Mine      bool   `json:"mine"`
	ExpiresAt string `json:"expiresAt"`
}

func lockOf(i model.QueueItem, reviewer annotation.Reviewer) *lockJSON {
	holder := i.HeldAt(time.Now())
	if holder == "" {
		return nil
	}
	return &lockJSON{ItemID: i.ID, UserID: holder, Mine: holder == reviewer.UserID, ExpiresAt: stamp(i.HeldUntil)}
}

// reviewJSON is an item as its reviewer sees it; everything is null when there is none.
type reviewJSON struct {
	Item        *queueItemJSON  `json:"item"`
	Lock        *lockJSON       `json:"lock"`
	CompletedBy *string         `json:"completedByUserId"`
	Draft       json.RawMessage `json:"draft"`
}

func reviewOf(r annotation.Review, reviewer annotation.Reviewer) reviewJSON {
	if r.Item.ID == "" {
		return reviewJSON{}
	}
	item := queueItemOf(r.Item)
	return reviewJSON{Item: &item, Lock: lockOf(r.Item, reviewer), CompletedBy: orNull(r.Item.CompletedBy), Draft: r.Draft}
}

// progressJSON is how far the review of a queue has come.
type progressJSON struct {
	QueueID   string     `json:"queueId"`
	Pending   int        `json:"pending"`
	Completed int        `json:"completed"`
	Locks     []lockJSON `json:"locks"`
	Assigned  []string   `json:"assignedUserIds"`
}

func progressOf(p model.QueueProgress, reviewer annotation.Reviewer) progressJSON {
	progress := progressJSON{QueueID: p.QueueID, Pending: p.Pending, Completed: p.Completed, Locks: []lockJSON{}, Assigned: append([]string{}, p.Assigned...)}
	for _, item := range p.Held {
		if lock := lockOf(item, reviewer); lock != nil {
			progress.Locks = append(progress.Locks, *lock)
		}
	}
	return progress
}

// listProgress serves GET /api/public/annotation-queue-progress.
func (s *server) listProgress(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	p.nothingBut("page", "limit")
	page, limit, part := p.listPart()
	if err := p.err(); err != nil {
		return err
	}
	list, total, err := s.Annotation.Progress(r.Context(), caller.Project.ID, part)
	if err != nil {
		return err
	}
	data := make([]progressJSON, len(list))
	for i, progress := range list {
		data[i] = progressOf(progress, reviewerOf(r, caller))
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": data, "meta": metaOf(page, limit, total)})
	return nil
}

// queueProgress serves GET /api/public/annotation-queues/{queueId}/progress.
func (s *server) queueProgress(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	progress, err := s.Annotation.ProgressOf(r.Context(), caller.Project.ID, r.PathValue("queueId"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, progressOf(progress, reviewerOf(r, caller)))
	return nil
}

// nextItem serves POST /api/public/annotation-queues/{queueId}/next.
func (s *server) nextItem(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body struct {
		From      *string `json:"fromItemId"`
		Direction *string `json:"direction"`
	}
	if err := readExactly(w, r, maxAnnotationBody, &body, "a question for the next item"); err != nil {
		return err
	}
	if body.Direction != nil {
		if err := oneOf("direction", *body.Direction, []string{"next", "previous"}); err != nil {
			return err
		}
	}
	reviewer := reviewerOf(r, caller)
	review, err := s.Annotation.Next(r.Context(), reviewer, valueOf(body.From), valueOf(body.Direction) == "previous")
	return answerReview(w, review, reviewer, err)
}

func answerReview(w http.ResponseWriter, review annotation.Review, reviewer annotation.Reviewer, err error) error {
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, reviewOf(review, reviewer))
	return nil
}

// reviewItem serves GET /api/public/annotation-queues/{queueId}/items/{itemId}/review.
func (s *server) reviewItem(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	reviewer := reviewerOf(r, caller)
	review, err := s.Annotation.Review(r.Context(), reviewer, r.PathValue("itemId"))
	return answerReview(w, review, reviewer, err)
}

// lockItem serves PUT /api/public/annotation-queues/{queueId}/items/{itemId}/lock.
func (s *server) lockItem(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	reviewer := reviewerOf(r, caller)
	review, err := s.Annotation.Hold(r.Context(), reviewer, r.PathValue("itemId"))
	return answerReview(w, review, reviewer, err)
}

// unlockItem serves DELETE /api/public/annotation-queues/{queueId}/items/{itemId}/lock.
func (s *server) unlockItem(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	if err := s.Annotation.Release(r.Context(), reviewerOf(r, caller), r.PathValue("itemId")); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, doneJSON{Success: true})
	return nil
}

// saveDraft serves PUT /api/public/annotation-queues/{queueId}/items/{itemId}/draft.
func (s *server) saveDraft(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body struct {
		Draft json.RawMessage `json:"draft"`
	}
	if err := readExactly(w, r, maxDraftBody, &body, "a draft"); err != nil {
		return err
	}
	if err := s.Annotation.SaveDraft(r.Context(), reviewerOf(r, caller), r.PathValue("itemId"), body.Draft); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, doneJSON{Success: true})
	return nil
}

// completeItem serves POST /api/public/annotation-queues/{queueId}/items/{itemId}/completion.
func (s *server) completeItem(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	item, err := s.Annotation.Complete(r.Context(), reviewerOf(r, caller), r.PathValue("itemId"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, queueItemOf(item))
	return nil
}

// reopenItem serves DELETE /api/public/annotation-queues/{queueId}/items/{itemId}/completion.
func (s *server) reopenItem(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	reviewer := reviewerOf(r, caller)
	review, err := s.Annotation.Reopen(r.Context(), reviewer, r.PathValue("itemId"))
	return answerReview(w, review, reviewer, err)
}
