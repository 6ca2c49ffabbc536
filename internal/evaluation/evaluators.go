package evaluation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/sandbox"
)

const (
	maxName        = 200 // characters
	maxDescription = 2000
)

// Draft is an evaluator as somebody writes it.
type Draft struct {
	Name, Description string
	Kind              string
	Definition        Definition
}

// Create adds an evaluator with its first version. fault.Invalid; fault.Precondition when it could not run.
func (s *Service) Create(ctx context.Context, projectID, userID string, d Draft) (model.EvaluatorEntity, error) {
	at := now()
	e := model.EvaluatorEntity{
		ProjectID: projectID, ID: uuid.NewString(), Name: d.Name, Description: d.Description, Kind: d.Kind,
		CreatedBy: userID, CreatedAt: at, UpdatedAt: at, Revision: 1,
	}
	if err := checkNames(&e); err != nil {
		return e, err
	}
	version, err := s.version(ctx, projectID, userID, d.Kind, d.Definition)
	if err != nil {
		return e, err
	}
	e.Latest = version
	e.Latest.Number = 1
	return e, s.meta.CreateEvaluator(ctx, e)
}

// version checks a definition and makes a version of it, yet without a number.
func (s *Service) version(ctx context.Context, projectID, userID, kind string, d Definition) (v model.EvaluatorVersion, err error) {
	if err := d.check(kind); err != nil {
		return v, err
	}
	if err := s.preflight(ctx, projectID, kind, d); err != nil {
		return v, err
	}
	text, err := json.Marshal(d)
	if err != nil {
		return v, fmt.Errorf("write a definition: %w", err)
	}
	return model.EvaluatorVersion{ID: uuid.NewString(), Definition: string(text), CreatedBy: userID, CreatedAt: now()}, nil
}

// preflight refuses with fault.Precondition an evaluator that could not run.
func (s *Service) preflight(ctx context.Context, projectID, kind string, d Definition) error {
	if kind == model.LLMJudge {
		return s.run.models.Ready(ctx, projectID, d.Model)
	}
	if d.Language == Python {
		return fault.New(fault.Precondition, "Evaluators in PYTHON cannot run here: the sandbox of this server speaks TypeScript").
			Hint("send sourceCodeLanguage TYPESCRIPT with a function evaluate(ctx)")
	}
	_, err := s.run.code.Compile(ctx, d.SourceCode)
	if e, ok := errors.AsType[*sandbox.Error](err); ok {
		return fault.New(fault.Precondition, "The source code cannot run: %s", e.Text)
	}
	return err
}

func checkNames(e *model.EvaluatorEntity) error {
	e.Name = strings.TrimSpace(e.Name)
	if n := utf8.RuneCountInString(e.Name); n < 1 || n > maxName {
		return fault.Invalidf("name", "must have 1 to %d characters without the spaces around it, got %d", maxName, n)
	}
	if n := utf8.RuneCountInString(e.Description); n > maxDescription {
		return fault.Invalidf("description", "must not have more than %d characters, got %d", maxDescription, n)
	}
	return nil
}

// Get returns an evaluator. fault.NotFound.
func (s *Service) Get(ctx context.Context, projectID, id string) (model.EvaluatorEntity, error) {
	e, err := s.meta.Evaluator(ctx, projectID, id)
	return e, noEvaluator(err)
}

func noEvaluator(err error) error {
	if errors.Is(err, metastore.ErrNotFound) {
		return fault.New(fault.NotFound, "No evaluator with this id in this project")
	}
	return err
}

// List returns evaluators behind a place, the newest first.
func (s *Service) List(ctx context.Context, projectID string, after *metastore.Since, limit int) ([]model.EvaluatorEntity, error) {
	return s.meta.Evaluators(ctx, projectID, after, limit)
}

// Versions returns versions of an evaluator below a number, the newest first; 0: all of them. fault.NotFound.
func (s *Service) Versions(ctx context.Context, projectID, id string, below, limit int) ([]model.EvaluatorVersion, error) {
	if _, err := s.Get(ctx, projectID, id); err != nil {
		return nil, err
	}
	if below == 0 {
		below = math.MaxInt32
	}
	return s.meta.EvaluatorVersions(ctx, projectID, id, below, limit)
}

// EvaluatorChange is what to change of an evaluator; nil is left as it is.
type EvaluatorChange struct {
	Name, Description *string
	Kind              string      // of the definition
	Definition        *Definition // makes a version
	Paused            *bool
}

// changeTries is how often a change is tried again because another one came first.
const changeTries = 5

// Update changes an evaluator. fault.NotFound, fault.Invalid, fault.Precondition.
func (s *Service) Update(ctx context.Context, projectID, id, userID string, c EvaluatorChange) (model.EvaluatorEntity, error) {
	for range changeTries {
		e, err := s.Get(ctx, projectID, id)
		if err != nil {
			return e, err
		}
		if err := s.change(ctx, &e, userID, c); err != nil {
			return e, err
		}
		err = s.meta.UpdateEvaluator(ctx, e)
		if errors.Is(err, metastore.ErrChanged) {
			continue
		}
		if err != nil {
			return e, noEvaluator(err)
		}
		return s.Get(ctx, projectID, id)
	}
	return model.EvaluatorEntity{}, fault.Unavailablef("The evaluator is being changed by others").Hint("try again")
}

func (s *Service) change(ctx context.Context, e *model.EvaluatorEntity, userID string, c EvaluatorChange) error {
	if c.Name != nil {
		e.Name = *c.Name
	}
	if c.Description != nil {
		e.Description = *c.Description
	}
	if err := checkNames(e); err != nil {
		return err
	}
	if c.Definition != nil {
		if c.Kind != e.Kind {
			return fault.Invalidf("type", "cannot change: the evaluator is of type %s", e.Kind)
		}
		v, err := s.version(ctx, e.ProjectID, userID, e.Kind, *c.Definition)
		if err != nil {
			return err
		}
		v.Number = e.Latest.Number + 1
		e.Latest = v
		if e.PausedReason == reasonNoModel {
			resume(e)
		}
	}
	switch {
	case c.Paused == nil:
	case *c.Paused:
		e.PausedAt, e.PausedReason, e.PausedMessage = now(), "manual", "Somebody paused it"
	default:
		d, err := parseDefinition(e.Latest.Definition)
		if err != nil {
			return err
		}
		if err := s.preflight(ctx, e.ProjectID, e.Kind, d); err != nil {
			return err
		}
		resume(e)
	}
	e.UpdatedAt = now()
	return nil
}

func resume(e *model.EvaluatorEntity) {
	e.PausedAt, e.PausedReason, e.PausedMessage = time.Time{}, "", ""
}

// Delete removes an evaluator from its rules and for ever. Its scores stay. fault.NotFound.
func (s *Service) Delete(ctx context.Context, projectID, id string) error {
	return noEvaluator(s.meta.DeleteEvaluator(ctx, projectID, id))
}
