package annotation_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/annotation"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

// around is what a service asks beside its store.
type around struct {
	tracestoretest.Memory
	err    error
	member string
	prompt string
}

func (a *around) Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error) {
	if a.err != nil {
		return nil, a.err
	}
	if q.Limit != 1 || !q.Brief {
		return nil, errors.New("more is read than the question needs")
	}
	return a.Memory.Observations(ctx, q)
}

func (a *around) IsMember(_ context.Context, organizationID, userID string) (bool, error) {
	return organizationID+"/"+userID == a.member, a.err
}

func (a *around) PromptExists(_ context.Context, projectID, id string) (bool, error) {
	return projectID+"/"+id == a.prompt, a.err
}

func planted(t *testing.T) (*metastoretest.Memory, model.Project) {
	t.Helper()
	store, seed := metastoretest.NewMemory(), metastoretest.Seed("seed")
	if _, err := store.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	seed.Project.Organization = seed.Organization
	return store, seed.Project
}

func aComment(kind model.ObjectType, id string) model.Comment {
	return model.Comment{ObjectType: kind, ObjectID: id, Content: "x"}
}

func TestObjectsMustExist(t *testing.T) {
	t.Parallel()
	store, project := planted(t)
	a := &around{prompt: project.ID + "/prompt"}
	err := a.Insert(t.Context(), []*model.Observation{
		{ProjectID: project.ID, TraceID: "t", ID: "o", SessionID: "s", StartTime: time.Now()},
		{ProjectID: "other", TraceID: "t2", ID: "o2", SessionID: "s2", StartTime: time.Now()},
	})
	if err != nil {
		t.Fatal(err)
	}
	full, bare := annotation.New(store, a, a, a), annotation.New(store, nil, nil, nil)
	for object, want := range map[[2]string]fault.Kind{
		{"TRACE", "t"}: fault.Internal, {"OBSERVATION", "o"}: fault.Internal, {"SESSION", "s"}: fault.Internal, {"PROMPT", "prompt"}: fault.Internal,
		{"TRACE", "t2"}: fault.NotFound, {"OBSERVATION", "o2"}: fault.NotFound, {"SESSION", "s2"}: fault.NotFound, {"PROMPT", "t"}: fault.NotFound,
		{"TRACE", "o"}: fault.NotFound, {"OBSERVATION", "t"}: fault.NotFound, {"DATASET", "d"}: fault.Invalid, {"TRACE", ""}: fault.Invalid,
	} {
		_, err := full.Comment(t.Context(), project, aComment(model.ObjectType(object[0]), object[1]))
		if fault.KindOf(err) != want || (want == fault.Internal) != (err == nil) {
			t.Errorf("%v: %v", object, err)
		}
		if _, err := bare.Comment(t.Context(), project, aComment(model.ObjectType(object[0]), object[1])); !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Invalid) {
			t.Errorf("%v, with nothing to ask: %v", object, err)
		}
	}
	if _, total, err := full.Comments(t.Context(), project.ID, metastore.CommentQuery{}, metastore.Range{Limit: 1}); total != 4 || err != nil {
		t.Errorf("%d comments, %v", total, err)
	}
	a.err = tracestore.ErrTooExpensive
	if _, err := full.Comment(t.Context(), project, aComment(model.TraceObject, "t")); !fault.Is(err, fault.Exhausted) {
		t.Errorf("a search without end: %v", err)
	}
	a.err = fault.Unavailablef("away")
	if _, err := full.Comment(t.Context(), project, aComment(model.TraceObject, "t")); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a store that is away: %v", err)
	}
}

func TestAuthorsAreMembers(t *testing.T) {
	t.Parallel()
	store, project := planted(t)
	a := &around{prompt: project.ID + "/p", member: project.Organization.ID + "/u"}
	full, bare := annotation.New(store, a, a, a), annotation.New(store, a, a, nil)
	c := aComment(model.PromptObject, "p")
	c.AuthorUserID = "u"
	if _, err := full.Comment(t.Context(), project, c); err != nil {
		t.Errorf("a member: %v", err)
	}
	if _, err := bare.Comment(t.Context(), project, c); !fault.Is(err, fault.Invalid) {
		t.Errorf("nobody is a member: %v", err)
	}
	other := project
	other.Organization.ID = "other"
	if _, err := full.Comment(t.Context(), other, c); !fault.Is(err, fault.Invalid) {
		t.Errorf("a member of another organization: %v", err)
	}
	a.err = fault.Unavailablef("away")
	if _, err := full.Comment(t.Context(), project, c); !fault.Is(err, fault.Unavailable) {
		t.Errorf("members that cannot be asked: %v", err)
	}
	a.err = nil
	if err := store.CreateQueue(t.Context(), model.Queue{ProjectID: project.ID, ID: "q", Name: "q"}); err != nil {
		t.Fatal(err)
	}
	if err := full.Assign(t.Context(), project, "q", "u"); err != nil {
		t.Errorf("assign: %v", err)
	}
	for _, user := range []string{"stranger", "u\x00", ""} {
		if err := full.Assign(t.Context(), project, "q", user); !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Invalid) {
			t.Errorf("assign to %q: %v", user, err)
		}
	}
	if err := bare.Unassign(t.Context(), project.ID, "q", "u"); err != nil {
		t.Errorf("take back from a former member: %v", err)
	}
	if had, err := store.Unassign(t.Context(), project.ID, "q", "u"); had || err != nil {
		t.Errorf("it was not taken back: %v", err)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, project := planted(t)
		service := annotation.New(store, nil, nil, nil)
		if err := store.CreateQueue(t.Context(), model.Queue{ProjectID: project.ID, ID: "q", Name: "q"}); err != nil {
			t.Fatal(err)
		}
		made, err := service.AddItem(t.Context(), project.ID, model.QueueItem{QueueID: "q", ObjectType: model.TraceObject, ObjectID: "t", Status: model.Pending})
		if err != nil {
			t.Fatal(err)
		}
		set := func(status model.QueueStatus) model.QueueItem {
			time.Sleep(time.Second) // in the bubble
			got, err := service.SetStatus(t.Context(), project.ID, "q", made.ID, status)
			if err != nil {
				t.Fatal(err)
			}
			kept, err := service.Item(t.Context(), project.ID, "q", made.ID)
			if diff := cmp.Diff(got, kept); err != nil || diff != "" {
				t.Error(err, diff)
			}
			return got
		}
		if got := set(""); got != made {
			t.Errorf("no status changes %+v", got)
		}
		done := set(model.Completed)
		if !done.CompletedAt.Equal(made.CreatedAt.Add(2*time.Second)) || !done.UpdatedAt.Equal(done.CompletedAt) {
			t.Errorf("completed: %+v", done)
		}
		if again := set(model.Completed); again != done {
			t.Errorf("completed again: %+v", again)
		}
		if back := set(model.Pending); !back.CompletedAt.IsZero() || !back.UpdatedAt.After(done.UpdatedAt) {
			t.Errorf("pending again: %+v", back)
		}
		if _, err := service.SetStatus(t.Context(), project.ID, "q", "none", model.Completed); !fault.Is(err, fault.NotFound) {
			t.Errorf("no item: %v", err)
		}
	})
}
