package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

var (
	queueObjects  = []string{string(model.TraceObject), string(model.ObservationObject), string(model.SessionObject)}
	queueStatuses = []string{string(model.Pending), string(model.Completed)}
)

// oneOf refuses a value that is none of the choices.
func oneOf(field, value string, choices []string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return fault.Invalidf(field, "must be one of %s", strings.Join(choices, ", "))
}

// queueJSON is an annotation queue as clients read it.
type queueJSON struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	Description    *string  `json:"description"`
	ScoreConfigIDs []string `json:"scoreConfigIds"`
	CreatedAt      string   `json:"createdAt"`
	UpdatedAt      string   `json:"updatedAt"`
}

func queueOf(q model.Queue) queueJSON {
	return queueJSON{
		ID: q.ID, Name: q.Name, Description: orNull(q.Description), ScoreConfigIDs: q.ScoreConfigIDs,
		CreatedAt: stamp(q.CreatedAt), UpdatedAt: stamp(q.UpdatedAt),
	}
}

type queuePage struct {
	Data []queueJSON `json:"data"`
	Meta pageMeta    `json:"meta"`
}

// queueBody is an annotation queue as clients write it.
type queueBody struct {
	Name           *string  `json:"name"`
	Description    *string  `json:"description"`
	ScoreConfigIDs []string `json:"scoreConfigIds"`
}

// queueItemJSON is an item of a queue as clients read it.
type queueItemJSON struct {
	ID          string            `json:"id"`
	QueueID     string            `json:"queueId"`
	ObjectID    string            `json:"objectId"`
	ObjectType  model.ObjectType  `json:"objectType"`
	Status      model.QueueStatus `json:"status"`
	CompletedAt *string           `json:"completedAt"`
	CreatedAt   string            `json:"createdAt"`
	UpdatedAt   string            `json:"updatedAt"`
}

func queueItemOf(i model.QueueItem) queueItemJSON {
	item := queueItemJSON{
		ID: i.ID, QueueID: i.QueueID, ObjectID: i.ObjectID, ObjectType: i.ObjectType, Status: i.Status,
		CreatedAt: stamp(i.CreatedAt), UpdatedAt: stamp(i.UpdatedAt),
	}
	if !i.CompletedAt.IsZero() {
		item.CompletedAt = orNull(stamp(i.CompletedAt))
	}
	return item
}

type queueItemPage struct {
	Data []queueItemJSON `json:"data"`
	Meta pageMeta        `json:"meta"`
}

// queueItemBody is an item of a queue as clients write it.
type queueItemBody struct {
	ObjectID   *string `json:"objectId"`
	ObjectType *string `json:"objectType"`
	Status     *string `json:"status"`
}

// statusBody changes an item.
type statusBody struct {
	Status *string `json:"status"`
}

// assignmentBody names a user.
type assignmentBody struct {
	UserID *string `json:"userId"`
}

type assignmentJSON struct {
	UserID    string `json:"userId"`
	QueueID   string `json:"queueId"`
	ProjectID string `json:"projectId"`
}

type doneJSON struct {
	Success bool   `json:"success"`
	Message string `json:"message,omitempty"`
}

// listQueues serves GET /api/public/annotation-queues.
func (s *server) listQueues(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	p.nothingBut("page", "limit")
	page, limit, part := p.listPart()
	if err := p.err(); err != nil {
		return err
	}
	list, total, err := s.Annotation.Queues(r.Context(), caller.Project.ID, part)
	if err != nil {
		return err
	}
	body := queuePage{Data: []queueJSON{}, Meta: metaOf(page, limit, total)}
	for _, q := range list {
		body.Data = append(body.Data, queueOf(q))
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// createQueue serves POST /api/public/annotation-queues.
func (s *server) createQueue(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body queueBody
	if err := readExactly(w, r, maxAnnotationBody, &body, "an annotation queue"); err != nil {
		return err
	}
	made, err := s.Annotation.CreateQueue(r.Context(), caller.Project.ID, model.Queue{
		Name: valueOf(body.Name), Description: valueOf(body.Description), ScoreConfigIDs: body.ScoreConfigIDs,
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, queueOf(made))
	return nil
}

// getQueue serves GET /api/public/annotation-queues/{queueId}.
func (s *server) getQueue(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	q, err := s.Annotation.Queue(r.Context(), caller.Project.ID, r.PathValue("queueId"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, queueOf(q))
	return nil
}

// changeQueue serves PUT /api/public/annotation-queues/{queueId}.
func (s *server) changeQueue(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body queueBody
	if err := readExactly(w, r, maxAnnotationBody, &body, "an annotation queue"); err != nil {
		return err
	}
	changed, err := s.Annotation.ChangeQueue(r.Context(), caller.Project.ID, model.Queue{
		ID: r.PathValue("queueId"), Name: valueOf(body.Name), Description: valueOf(body.Description), ScoreConfigIDs: body.ScoreConfigIDs,
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, queueOf(changed))
	return nil
}

// listQueueItems serves GET /api/public/annotation-queues/{queueId}/items.
func (s *server) listQueueItems(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	p.nothingBut("status", "page", "limit")
	status, _ := p.choice("status", queueStatuses)
	page, limit, part := p.listPart()
	if err := p.err(); err != nil {
		return err
	}
	list, total, err := s.Annotation.Items(r.Context(), caller.Project.ID, r.PathValue("queueId"), model.QueueStatus(status), part)
	if err != nil {
		return err
	}
	body := queueItemPage{Data: []queueItemJSON{}, Meta: metaOf(page, limit, total)}
	for _, i := range list {
		body.Data = append(body.Data, queueItemOf(i))
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// createQueueItem serves POST /api/public/annotation-queues/{queueId}/items.
func (s *server) createQueueItem(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body queueItemBody
	if err := readExactly(w, r, maxAnnotationBody, &body, "an item of an annotation queue"); err != nil {
		return err
	}
	status, err := statusOf(body.Status)
	if err != nil {
		return err
	}
	if err := oneOf("objectType", valueOf(body.ObjectType), queueObjects); err != nil {
		return err
	}
	if status == "" {
		status = model.Pending
	}
	made, err := s.Annotation.AddItem(r.Context(), caller.Project.ID, model.QueueItem{
		QueueID: r.PathValue("queueId"), ObjectID: valueOf(body.ObjectID), ObjectType: model.ObjectType(valueOf(body.ObjectType)), Status: status,
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, queueItemOf(made))
	return nil
}

// statusOf reads a status; empty when none is given.
func statusOf(given *string) (model.QueueStatus, error) {
	if given == nil {
		return "", nil
	}
	return model.QueueStatus(*given), oneOf("status", *given, queueStatuses)
}

// getQueueItem serves GET /api/public/annotation-queues/{queueId}/items/{itemId}.
func (s *server) getQueueItem(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	i, err := s.Annotation.Item(r.Context(), caller.Project.ID, r.PathValue("queueId"), r.PathValue("itemId"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, queueItemOf(i))
	return nil
}

// changeQueueItem serves PATCH /api/public/annotation-queues/{queueId}/items/{itemId}.
func (s *server) changeQueueItem(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body statusBody
	if err := readExactly(w, r, maxAnnotationBody, &body, "a change of an item"); err != nil {
		return err
	}
	status, err := statusOf(body.Status)
	if err != nil {
		return err
	}
	i, err := s.Annotation.SetStatus(r.Context(), caller.Project.ID, r.PathValue("queueId"), r.PathValue("itemId"), status)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, queueItemOf(i))
	return nil
}

// deleteQueueItem serves DELETE /api/public/annotation-queues/{queueId}/items/{itemId}.
func (s *server) deleteQueueItem(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	if err := s.Annotation.DeleteItem(r.Context(), caller.Project.ID, r.PathValue("queueId"), r.PathValue("itemId")); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, doneJSON{Success: true, Message: "Annotation queue item deleted"})
	return nil
}

// assignQueue serves POST /api/public/annotation-queues/{queueId}/assignments.
func (s *server) assignQueue(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body assignmentBody
	if err := readExactly(w, r, maxAnnotationBody, &body, "an assignment"); err != nil {
		return err
	}
	queue, user := r.PathValue("queueId"), valueOf(body.UserID)
	if err := s.Annotation.Assign(r.Context(), caller.Project, queue, user); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, assignmentJSON{UserID: user, QueueID: queue, ProjectID: caller.Project.ID})
	return nil
}

// unassignQueue serves DELETE /api/public/annotation-queues/{queueId}/assignments.
func (s *server) unassignQueue(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body assignmentBody
	if err := readExactly(w, r, maxAnnotationBody, &body, "an assignment"); err != nil {
		return err
	}
	if err := s.Annotation.Unassign(r.Context(), caller.Project.ID, r.PathValue("queueId"), valueOf(body.UserID)); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, doneJSON{Success: true})
	return nil
}
