package api

import (
	"cmp"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// maxAnnotationBody bounds the bodies of comments, queues and feedback.
const maxAnnotationBody = 64 << 10

const (
	queuePath = "/api/public/annotation-queues/{queueId}"
	itemPath  = queuePath + "/items/{itemId}"
)

// annotationRoutes are the routes of comments, annotation queues and feedback. Who comments must be able to see the
// trace, so only nodes that read take comments.
func (s *server) annotationRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/api/public/comments", handle: s.listComments},
		{method: http.MethodPost, path: "/api/public/comments", handle: s.createComment, role: readNode},
		{method: http.MethodGet, path: "/api/public/comments/{commentId}", handle: s.getComment},
		{method: http.MethodGet, path: "/api/public/annotation-queues", handle: s.listQueues},
		{method: http.MethodPost, path: "/api/public/annotation-queues", handle: s.createQueue},
		{method: http.MethodGet, path: queuePath, handle: s.getQueue},
		{method: http.MethodPut, path: queuePath, handle: s.changeQueue},
		{method: http.MethodGet, path: queuePath + "/items", handle: s.listQueueItems},
		{method: http.MethodPost, path: queuePath + "/items", handle: s.createQueueItem},
		{method: http.MethodGet, path: itemPath, handle: s.getQueueItem},
		{method: http.MethodPatch, path: itemPath, handle: s.changeQueueItem},
		{method: http.MethodDelete, path: itemPath, handle: s.deleteQueueItem},
		{method: http.MethodPost, path: queuePath + "/assignments", handle: s.assignQueue},
		{method: http.MethodDelete, path: queuePath + "/assignments", handle: s.unassignQueue},
		{method: http.MethodPost, path: "/api/public/feedback", handle: s.createFeedback},
	}
}

// idJSON is the answer of routes that tell nothing but the id of what they made.
type idJSON struct {
	ID string `json:"id"`
}

// commentJSON is a comment as clients read it.
type commentJSON struct {
	ID           string           `json:"id"`
	ProjectID    string           `json:"projectId"`
	CreatedAt    string           `json:"createdAt"`
	UpdatedAt    string           `json:"updatedAt"`
	ObjectType   model.ObjectType `json:"objectType"`
	ObjectID     string           `json:"objectId"`
	Content      string           `json:"content"`
	AuthorUserID *string          `json:"authorUserId"`
}

func commentOf(c model.Comment) commentJSON {
	return commentJSON{
		ID: c.ID, ProjectID: c.ProjectID, CreatedAt: stamp(c.CreatedAt), UpdatedAt: stamp(c.UpdatedAt),
		ObjectType: c.ObjectType, ObjectID: c.ObjectID, Content: c.Content, AuthorUserID: orNull(c.AuthorUserID),
	}
}

type commentPage struct {
	Data []commentJSON `json:"data"`
	Meta pageMeta      `json:"meta"`
}

// commentBody is a comment as clients write it. Its project is that of the key, whatever is sent.
type commentBody struct {
	ProjectID    *string `json:"projectId"`
	ObjectType   *string `json:"objectType"`
	ObjectID     *string `json:"objectId"`
	Content      *string `json:"content"`
	AuthorUserID *string `json:"authorUserId"`
}

var commentObjects = []string{string(model.TraceObject), string(model.ObservationObject), string(model.SessionObject), string(model.PromptObject)}

// createComment serves POST /api/public/comments.
func (s *server) createComment(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body commentBody
	if err := readExactly(w, r, maxAnnotationBody, &body, "a comment"); err != nil {
		return err
	}
	if err := oneOf("objectType", valueOf(body.ObjectType), commentObjects); err != nil {
		return err
	}
	id, err := s.Annotation.Comment(r.Context(), caller.Project, model.Comment{
		ObjectType: model.ObjectType(valueOf(body.ObjectType)), ObjectID: valueOf(body.ObjectID),
		Content: valueOf(body.Content), AuthorUserID: cmp.Or(caller.User.ID, valueOf(body.AuthorUserID)),
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, idJSON{id})
	return nil
}

// listComments serves GET /api/public/comments.
func (s *server) listComments(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	p.nothingBut("objectType", "objectId", "authorUserId", "page", "limit")
	kind, _ := p.choice("objectType", commentObjects)
	object, _ := p.text("objectId")
	author, _ := p.text("authorUserId")
	if object != "" && !p.values.Has("objectType") {
		p.invalid("objectId", "needs objectType")
	}
	page, limit, part := p.listPart()
	if err := p.err(); err != nil {
		return err
	}
	query := metastore.CommentQuery{ObjectType: model.ObjectType(kind), ObjectID: object, AuthorUserID: author}
	list, total, err := s.Annotation.Comments(r.Context(), caller.Project.ID, query, part)
	if err != nil {
		return err
	}
	body := commentPage{Data: []commentJSON{}, Meta: metaOf(page, limit, total)}
	for _, c := range list {
		body.Data = append(body.Data, commentOf(c))
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// getComment serves GET /api/public/comments/{commentId}.
func (s *server) getComment(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	c, err := s.Annotation.GetComment(r.Context(), caller.Project.ID, r.PathValue("commentId"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, commentOf(c))
	return nil
}

// feedbackBody is feedback as clients write it.
type feedbackBody struct {
	TargetType   *string `json:"targetType"`
	Target       *string `json:"target"`
	Feedback     *string `json:"feedback"`
	Goal         *string `json:"goal"`
	ReferenceURL *string `json:"referenceUrl"`
}

// The lengths of what feedback says, in characters.
const (
	maxTarget    = 200
	maxFeedback  = 3000
	maxReference = 2000
)

var feedbackTargets = []string{"skill", "mcp-tool", "cli", "docs", "public-api", "other"}

func (b *feedbackBody) check() error {
	if err := oneOf("targetType", valueOf(b.TargetType), feedbackTargets); err != nil {
		return err
	}
	for _, text := range []struct {
		field    string
		value    *string
		min, max int
	}{
		{"target", b.Target, 1, maxTarget},
		{"feedback", b.Feedback, 1, maxFeedback},
		{"goal", b.Goal, 0, maxFeedback},
		{"referenceUrl", b.ReferenceURL, 0, maxReference},
	} {
		if n := len([]rune(valueOf(text.value))); n < text.min || n > text.max {
			return fault.Invalidf(text.field, "must have %d to %d characters, got %d", text.min, text.max, n)
		}
	}
	return nil
}

// createFeedback serves POST /api/public/feedback.
func (s *server) createFeedback(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body feedbackBody
	if err := readJSON(w, r, maxAnnotationBody, &body, "feedback"); err != nil {
		return err
	}
	if err := body.check(); err != nil {
		return err
	}
	id, err := s.Annotation.AddFeedback(r.Context(), caller.Project.ID, model.Feedback{
		TargetType: valueOf(body.TargetType), Target: valueOf(body.Target), Text: valueOf(body.Feedback),
		Goal: valueOf(body.Goal), ReferenceURL: valueOf(body.ReferenceURL),
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, idJSON{id})
	return nil
}
