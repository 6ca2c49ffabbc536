// Package annotation keeps comments, the queues by which people review, and feedback.
package annotation

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// maxComment is the length of a comment in characters.
const maxComment = 5000

// Store is the part of the metadata that annotations are kept in.
type Store interface {
	metastore.Annotations
	metastore.Reviews
	ScoreConfig(ctx context.Context, projectID, id string) (model.ScoreConfig, error)
}

// Prompts knows the prompts of projects.
type Prompts interface {
	// PromptExists reports whether a project has a prompt version with this id.
	PromptExists(ctx context.Context, projectID, id string) (bool, error)
}

// Members knows who belongs to organizations.
type Members interface {
	// IsMember reports whether a user belongs to an organization.
	IsMember(ctx context.Context, organizationID, userID string) (bool, error)
}

// Service keeps annotations. Nobody but the project's own callers sees them.
type Service struct {
	store   Store
	traces  Traces
	prompts Prompts
	members Members
}

// New makes a service. Without prompts no prompt can be commented on, without members nobody can be named, and
// without traces nothing but prompts can be commented on.
func New(store Store, traces Traces, prompts Prompts, members Members) *Service {
	return &Service{store: store, traces: traces, prompts: prompts, members: members}
}

// Comment adds a comment to an object that exists and returns its id. fault.Invalid, fault.NotFound for the object.
func (s *Service) Comment(ctx context.Context, project model.Project, c model.Comment) (string, error) {
	c.Content = strings.TrimSpace(c.Content)
	if n := utf8.RuneCountInString(c.Content); n < 1 || n > maxComment {
		return "", fault.Invalidf("content", "must have 1 to %d characters without the spaces around it, got %d", maxComment, n)
	}
	c.ProjectID, c.ID = project.ID, uuid.NewString()
	c.CreatedAt = now()
	c.UpdatedAt = c.CreatedAt
	if err := metastore.CheckComment(c); err != nil { // before others are asked about such texts
		return "", err
	}
	if err := s.checkMember(ctx, project, "authorUserId", c.AuthorUserID); err != nil {
		return "", err
	}
	exists, err := s.exists(ctx, project.ID, c.ObjectType, c.ObjectID)
	if err != nil {
		return "", err
	}
	if !exists {
		return "", fault.New(fault.NotFound, "No %s with this id in this project", strings.ToLower(string(c.ObjectType))).
			Hint("what was just sent can be commented on once it can be read")
	}
	return c.ID, s.store.CreateComment(ctx, c)
}

// checkMember refuses a user who is named but does not belong to the project's organization.
func (s *Service) checkMember(ctx context.Context, project model.Project, field, userID string) error {
	if userID == "" {
		return nil
	}
	member := false
	if s.members != nil {
		var err error
		if member, err = s.members.IsMember(ctx, project.Organization.ID, userID); err != nil {
			return err
		}
	}
	if !member {
		return fault.Invalidf(field, "must be the id of a user of the project's organization")
	}
	return nil
}

// Comments returns a part of the comments of a project that match, the newest first, and how many match.
func (s *Service) Comments(ctx context.Context, projectID string, q metastore.CommentQuery, part metastore.Range) ([]model.Comment, int, error) {
	return s.store.Comments(ctx, projectID, q, part)
}

// GetComment returns one comment of a project. fault.NotFound.
func (s *Service) GetComment(ctx context.Context, projectID, id string) (model.Comment, error) {
	c, err := s.store.Comment(ctx, projectID, id)
	return c, missing(err, "comment")
}

// AddFeedback keeps what somebody said about the product and returns its id; see metastore.MaxFeedback.
func (s *Service) AddFeedback(ctx context.Context, projectID string, f model.Feedback) (string, error) {
	f.ProjectID, f.ID, f.CreatedAt = projectID, uuid.NewString(), now()
	return f.ID, s.store.AddFeedback(ctx, f)
}

// missing says in a client's words that a row is not there.
func missing(err error, what string) error {
	if errors.Is(err, metastore.ErrNotFound) {
		return fault.New(fault.NotFound, "No %s with this id in this project", what)
	}
	return err
}

// now is the time as databases keep it.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
