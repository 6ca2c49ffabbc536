package metastoretest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var annotationsTests = map[string]func(*testing.T, metastore.Store){
	"comments":             testComments,
	"refused comments":     testRefusedComments,
	"queues":               testQueues,
	"one queue name":       testQueueNameAtOnce,
	"queue items":          testQueueItems,
	"queue assignments":    testAssignments,
	"queues of projects":   testQueueTenants,
	"refused queues":       testRefusedQueues,
	"feedback":             testFeedback,
	"annotations canceled": testAnnotationsCanceled,
}

var annotated = time.Date(2026, 4, 1, 12, 0, 0, 123_456_000, time.UTC)

func comment(projectID, id string, micros int) model.Comment {
	return model.Comment{
		ProjectID: projectID, ID: id, ObjectType: model.TraceObject, ObjectID: "t'1", Content: "so \"müde\"\n", AuthorUserID: "u",
		CreatedAt: annotated.Add(time.Duration(micros) * time.Microsecond), UpdatedAt: annotated.Add(time.Hour),
	}
}

func wantComments(t *testing.T, store metastore.Store, projectID string, q metastore.CommentQuery, part metastore.Range, total int, want ...string) {
	t.Helper()
	list, got, err := store.Comments(t.Context(), projectID, q, part)
	if err != nil || got != total {
		t.Errorf("Comments %+v: %d of them, want %d, %v", q, got, total, err)
	}
	var ids []string
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("comments %+v %+v (-want +got):\n%s", q, part, diff)
	}
}

func testComments(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	project := seed.Project.ID
	wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: "other", Organization: seed.Organization}), nil)
	a, b, newest, foreign := comment(project, "a", 0), comment(project, "b", 0), comment(project, "newest", 1), comment("other", "a", 0)
	b.ObjectType, b.AuthorUserID, newest.ObjectID = model.SessionObject, "", "t2"
	foreign.Content = "foreign"
	for _, c := range []model.Comment{b, newest, a, foreign} {
		wantError(t, "CreateComment", store.CreateComment(t.Context(), c), nil)
	}
	for _, want := range []model.Comment{a, b, foreign} {
		got, err := store.Comment(t.Context(), want.ProjectID, want.ID)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("comment %s: %v (-want +got):\n%s", want.ID, err, diff)
		}
	}
	all := metastore.Range{Limit: 10}
	wantComments(t, store, project, metastore.CommentQuery{}, all, 3, "newest", "a", "b")
	wantComments(t, store, project, metastore.CommentQuery{}, metastore.Range{Offset: 1, Limit: 1}, 3, "a")
	wantComments(t, store, project, metastore.CommentQuery{}, metastore.Range{Offset: 3, Limit: 1}, 3)
	wantComments(t, store, project, metastore.CommentQuery{}, metastore.Range{Offset: 1 << 40, Limit: 100}, 3)
	wantComments(t, store, project, metastore.CommentQuery{ObjectType: model.TraceObject}, all, 2, "newest", "a")
	wantComments(t, store, project, metastore.CommentQuery{ObjectType: model.TraceObject, ObjectID: "t'1"}, all, 1, "a")
	wantComments(t, store, project, metastore.CommentQuery{AuthorUserID: "u"}, all, 2, "newest", "a")
	wantComments(t, store, project, metastore.CommentQuery{ObjectType: model.PromptObject, AuthorUserID: "u"}, all, 0)
	wantComments(t, store, "nobody", metastore.CommentQuery{}, all, 0)
	wantComments(t, store, "other", metastore.CommentQuery{}, all, 1, "a")

	wantError(t, "CreateComment with a taken id", store.CreateComment(t.Context(), a), metastore.ErrExists)
	wantError(t, "CreateComment in no project", store.CreateComment(t.Context(), comment("nobody", "x", 0)), metastore.ErrNotFound)
	_, err := store.Comment(t.Context(), "other", "b")
	wantError(t, "Comment of another project", err, metastore.ErrNotFound)
}

func testRefusedComments(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for name, spoil := range map[string]func(*model.Comment){
		"no id":       func(c *model.Comment) { c.ID = "" },
		"no object":   func(c *model.Comment) { c.ObjectID = "" },
		"NUL":         func(c *model.Comment) { c.Content = "a\x00" },
		"not UTF-8":   func(c *model.Comment) { c.AuthorUserID = "\xff" },
		"long object": func(c *model.Comment) { c.ObjectID = strings.Repeat("x", metastore.MaxText+1) },
		"huge text":   func(c *model.Comment) { c.Content = strings.Repeat("x", 1<<20) },
	} {
		c := comment(project, "bad", 0)
		spoil(&c)
		wantInvalid(t, "CreateComment with "+name, store.CreateComment(t.Context(), c))
	}
	long := comment(project, strings.Repeat("x", metastore.MaxText), 0)
	long.ObjectID, long.AuthorUserID = strings.Repeat("ü", metastore.MaxText/2), strings.Repeat("y", metastore.MaxText)
	wantError(t, "CreateComment with the longest texts", store.CreateComment(t.Context(), long), nil)
	_, err := store.Comment(t.Context(), project, "a\x00")
	wantInvalid(t, "Comment with a NUL", err)
	for _, q := range []metastore.CommentQuery{{ObjectID: "a\x00"}, {AuthorUserID: "\xff"}} {
		_, _, err := store.Comments(t.Context(), project, q, metastore.Range{Limit: 1})
		wantInvalid(t, "Comments with what cannot be stored", err)
	}
}

func wantInvalid(t *testing.T, what string, err error) {
	t.Helper()
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("%s = %v, want fault.Invalid", what, err)
	}
}

func queue(projectID, id string, micros int) model.Queue {
	return model.Queue{
		ProjectID: projectID, ID: id, Name: "queue '" + id + "'", Description: "what \"people\" do", ScoreConfigIDs: []string{"c1", "c'2"},
		CreatedAt: annotated.Add(time.Duration(micros) * time.Microsecond), UpdatedAt: annotated.Add(time.Hour),
	}
}

func wantQueues(t *testing.T, store metastore.Store, projectID string, part metastore.Range, total int, want ...model.Queue) {
	t.Helper()
	list, got, err := store.Queues(t.Context(), projectID, part)
	if diff := cmp.Diff(want, list); err != nil || got != total || diff != "" {
		t.Errorf("Queues: %d of them, want %d, %v (-want +got):\n%s", got, total, err, diff)
	}
}

func testQueues(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	a, b, newest := queue(project, "a", 0), queue(project, "b", 0), queue(project, "newest", 1)
	b.Description = ""
	for _, q := range []model.Queue{b, newest, a} {
		wantError(t, "CreateQueue", store.CreateQueue(t.Context(), q), nil)
	}
	got, err := store.Queue(t.Context(), project, "a")
	if diff := cmp.Diff(a, got); err != nil || diff != "" {
		t.Errorf("queue: %v (-want +got):\n%s", err, diff)
	}
	got.ScoreConfigIDs[0] = "changed"
	wantQueues(t, store, project, metastore.Range{Limit: 10}, 3, newest, a, b)
	wantQueues(t, store, project, metastore.Range{Offset: 2, Limit: 10}, 3, b)
	wantQueues(t, store, project, metastore.Range{Offset: 9, Limit: 10}, 3)

	taken := queue(project, "other id", 0)
	taken.Name = a.Name
	wantError(t, "CreateQueue with a taken name", store.CreateQueue(t.Context(), taken), metastore.ErrExists)
	taken = queue(project, "a", 0)
	taken.Name = "another name"
	wantError(t, "CreateQueue with a taken id", store.CreateQueue(t.Context(), taken), metastore.ErrExists)
	wantError(t, "CreateQueue in no project", store.CreateQueue(t.Context(), queue("nobody", "x", 0)), metastore.ErrNotFound)
	_, err = store.Queue(t.Context(), project, "nothing")
	wantError(t, "Queue that does not exist", err, metastore.ErrNotFound)
}

func testQueueNameAtOnce(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	made := 0
	for _, err := range atOnce(8, func(i int) error {
		q := queue(project, fmt.Sprint("q", i), 0)
		q.Name = "wanted"
		return store.CreateQueue(t.Context(), q)
	}) {
		if err == nil {
			made++
		} else if !errors.Is(err, metastore.ErrExists) {
			t.Errorf("CreateQueue = %v, want ErrExists", err)
		}
	}
	if made != 1 {
		t.Errorf("%d queues have one name", made)
	}
}

func queueItem(q model.Queue, id string, micros int) model.QueueItem {
	return model.QueueItem{
		ProjectID: q.ProjectID, QueueID: q.ID, ID: id, ObjectType: model.ObservationObject, ObjectID: "o'1", Status: model.Pending,
		CreatedAt: annotated.Add(time.Duration(micros) * time.Microsecond), UpdatedAt: annotated.Add(time.Hour),
	}
}

func wantQueueItems(t *testing.T, store metastore.Store, q model.Queue, status model.QueueStatus, part metastore.Range, total int, want ...model.QueueItem) {
	t.Helper()
	list, got, err := store.QueueItems(t.Context(), q.ProjectID, q.ID, status, part)
	if diff := cmp.Diff(want, list); err != nil || got != total || diff != "" {
		t.Errorf("QueueItems %q: %d of them, want %d, %v (-want +got):\n%s", status, got, total, err, diff)
	}
}

func testQueueItems(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	q, other := queue(project, "q", 0), queue(project, "other", 0)
	wantError(t, "CreateQueue", errors.Join(store.CreateQueue(t.Context(), q), store.CreateQueue(t.Context(), other)), nil)
	a, b, done := queueItem(q, "a", 0), queueItem(q, "b", 0), queueItem(q, "done", 1)
	done.Status, done.CompletedAt = model.Completed, annotated.Add(time.Minute)
	for _, i := range []model.QueueItem{b, done, a} {
		wantError(t, "CreateQueueItem", store.CreateQueueItem(t.Context(), i), nil)
	}
	all := metastore.Range{Limit: 10}
	wantQueueItems(t, store, q, "", all, 3, done, a, b)
	wantQueueItems(t, store, q, model.Pending, all, 2, a, b)
	wantQueueItems(t, store, q, model.Pending, metastore.Range{Offset: 1, Limit: 1}, 2, b)
	wantQueueItems(t, store, q, model.Completed, all, 1, done)
	wantQueueItems(t, store, other, "", all, 0)

	changed := a
	changed.ObjectID, changed.CreatedAt = "not changed", annotated.Add(time.Hour)
	changed.Status, changed.CompletedAt, changed.UpdatedAt = model.Completed, annotated.Add(time.Hour), annotated.Add(2*time.Hour)
	wantError(t, "UpdateQueueItem", store.UpdateQueueItem(t.Context(), changed), nil)
	changed.ObjectID, changed.CreatedAt = a.ObjectID, a.CreatedAt
	got, err := store.QueueItem(t.Context(), project, "q", "a")
	if diff := cmp.Diff(changed, got); err != nil || diff != "" {
		t.Errorf("changed item: %v (-want +got):\n%s", err, diff)
	}
	wantError(t, "UpdateQueueItem back", store.UpdateQueueItem(t.Context(), a), nil)
	wantQueueItems(t, store, q, model.Pending, all, 2, a, b)

	stray := a
	stray.QueueID = "other"
	wantError(t, "UpdateQueueItem of another queue", store.UpdateQueueItem(t.Context(), stray), metastore.ErrNotFound)
	wantError(t, "DeleteQueueItem of another queue", store.DeleteQueueItem(t.Context(), project, "other", "a"), metastore.ErrNotFound)
	_, err = store.QueueItem(t.Context(), project, "other", "a")
	wantError(t, "QueueItem of another queue", err, metastore.ErrNotFound)
	wantError(t, "CreateQueueItem with a taken id", store.CreateQueueItem(t.Context(), a), metastore.ErrExists)
	wantError(t, "CreateQueueItem in no queue", store.CreateQueueItem(t.Context(), queueItem(queue(project, "no", 0), "x", 0)), metastore.ErrNotFound)

	wantError(t, "DeleteQueueItem", store.DeleteQueueItem(t.Context(), project, "q", "a"), nil)
	wantError(t, "DeleteQueueItem again", store.DeleteQueueItem(t.Context(), project, "q", "a"), metastore.ErrNotFound)
	wantQueueItems(t, store, q, "", all, 2, done, b)
}

func testAssignments(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	wantError(t, "CreateQueue", store.CreateQueue(t.Context(), queue(project, "q", 0)), nil)
	unassign := func(user string, want bool) {
		t.Helper()
		if had, err := store.Unassign(t.Context(), project, "q", user); had != want || err != nil {
			t.Errorf("Unassign %s = %v, %v, want %v", user, had, err, want)
		}
	}
	unassign("u", false)
	wantError(t, "Assign", store.Assign(t.Context(), project, "q", "u"), nil)
	wantError(t, "Assign again", store.Assign(t.Context(), project, "q", "u"), nil)
	unassign("other", false)
	unassign("u", true)
	unassign("u", false)
	long := queue(project, strings.Repeat("q", 256), 0)
	wantError(t, "CreateQueue with the longest id", store.CreateQueue(t.Context(), long), nil)
	wantError(t, "Assign with the longest id", store.Assign(t.Context(), project, long.ID, strings.Repeat("u", metastore.MaxText)), nil)
	wantError(t, "Assign no queue", store.Assign(t.Context(), project, "no", "u"), metastore.ErrNotFound)
	wantInvalid(t, "Assign with a NUL", store.Assign(t.Context(), project, "q", "u\x00"))
	_, err := store.Unassign(t.Context(), project, "q", "")
	wantInvalid(t, "Unassign nobody", err)
}

func testQueueTenants(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: "other", Organization: seed.Organization}), nil)
	own, foreign := queue(seed.Project.ID, "q", 0), queue("other", "q", 0)
	foreign.Description = "foreign"
	all := metastore.Range{Limit: 10}
	for _, q := range []model.Queue{own, foreign} {
		wantError(t, "CreateQueue", store.CreateQueue(t.Context(), q), nil)
		wantError(t, "CreateQueueItem", store.CreateQueueItem(t.Context(), queueItem(q, "i", 0)), nil)
	}
	wantError(t, "Assign", store.Assign(t.Context(), "other", "q", "u"), nil)
	if had, err := store.Unassign(t.Context(), own.ProjectID, "q", "u"); had || err != nil {
		t.Errorf("Unassign takes the queue of another project: %v", err)
	}
	wantError(t, "DeleteQueueItem", store.DeleteQueueItem(t.Context(), "other", "q", "i"), nil)
	wantQueueItems(t, store, own, "", all, 1, queueItem(own, "i", 0))
	wantQueueItems(t, store, foreign, "", all, 0)
	wantQueues(t, store, own.ProjectID, all, 1, own)
	wantQueues(t, store, "other", all, 1, foreign)
}

func testRefusedQueues(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for name, spoil := range map[string]func(*model.Queue){
		"no id":        func(q *model.Queue) { q.ID = "" },
		"long id":      func(q *model.Queue) { q.ID = strings.Repeat("q", 257) },
		"no name":      func(q *model.Queue) { q.Name = "" },
		"NUL":          func(q *model.Queue) { q.Description = "a\x00" },
		"not UTF-8":    func(q *model.Queue) { q.Name = "\xff" },
		"huge configs": func(q *model.Queue) { q.ScoreConfigIDs = []string{strings.Repeat("x", 1<<20)} },
	} {
		q := queue(project, "bad", 0)
		spoil(&q)
		wantInvalid(t, "CreateQueue with "+name, store.CreateQueue(t.Context(), q))
	}
	q := queue(project, "q", 0)
	wantError(t, "CreateQueue", store.CreateQueue(t.Context(), q), nil)
	for name, spoil := range map[string]func(*model.QueueItem){
		"no id":     func(i *model.QueueItem) { i.ID = "" },
		"no status": func(i *model.QueueItem) { i.Status = "" },
		"NUL":       func(i *model.QueueItem) { i.ObjectID = "a\x00" },
	} {
		i := queueItem(q, "bad", 0)
		spoil(&i)
		wantInvalid(t, "CreateQueueItem with "+name, store.CreateQueueItem(t.Context(), i))
	}
	_, err := store.QueueItem(t.Context(), project, "q", "\x00")
	wantInvalid(t, "QueueItem with a NUL", err)
	_, _, err = store.QueueItems(t.Context(), project, "\x00", "", metastore.Range{Limit: 1})
	wantInvalid(t, "QueueItems with a NUL", err)
}

func testFeedback(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: "other", Organization: seed.Organization}), nil)
	feedback := func(project, id string, micros int) model.Feedback {
		return model.Feedback{
			ProjectID: project, ID: id, TargetType: "docs", Target: "page", Text: "it's \"gut\"", Goal: "read", ReferenceURL: "https://x",
			CreatedAt: annotated.Add(time.Duration(micros) * time.Microsecond),
		}
	}
	wantError(t, "AddFeedback", store.AddFeedback(t.Context(), feedback("other", "f", 0)), nil)
	const beyond = 3
	for i := range metastore.MaxFeedback + beyond {
		wantError(t, "AddFeedback", store.AddFeedback(t.Context(), feedback(seed.Project.ID, strconv.Itoa(i), i)), nil)
	}
	list, err := store.Feedback(t.Context(), seed.Project.ID)
	if err != nil || len(list) != metastore.MaxFeedback {
		t.Fatalf("%d feedbacks, %v", len(list), err)
	}
	last := metastore.MaxFeedback + beyond - 1
	if diff := cmp.Diff(feedback(seed.Project.ID, strconv.Itoa(last), last), list[0]); diff != "" {
		t.Errorf("newest feedback (-want +got):\n%s", diff)
	}
	if oldest := list[len(list)-1].ID; oldest != strconv.Itoa(beyond) {
		t.Errorf("oldest feedback %s, want %d", oldest, beyond)
	}
	if list, err := store.Feedback(t.Context(), "other"); err != nil || len(list) != 1 {
		t.Errorf("another project has %d feedbacks, %v", len(list), err)
	}
	wantError(t, "AddFeedback in no project", store.AddFeedback(t.Context(), feedback("nobody", "f", 0)), metastore.ErrNotFound)
	bad := feedback(seed.Project.ID, "bad", 0)
	bad.Text = "\x00"
	wantInvalid(t, "AddFeedback with a NUL", store.AddFeedback(t.Context(), bad))
}

func testAnnotationsCanceled(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	q := queue(project, "q", 0)
	wantError(t, "CreateQueue", store.CreateQueue(t.Context(), q), nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, "CreateComment", store.CreateComment(ctx, comment(project, "late", 0)), context.Canceled)
	wantError(t, "CreateQueue", store.CreateQueue(ctx, queue(project, "late", 0)), context.Canceled)
	wantError(t, "CreateQueueItem", store.CreateQueueItem(ctx, queueItem(q, "late", 0)), context.Canceled)
	wantError(t, "Assign", store.Assign(ctx, project, "q", "u"), context.Canceled)
	_, _, err := store.QueueItems(ctx, project, "q", "", metastore.Range{Limit: 1})
	wantError(t, "QueueItems", err, context.Canceled)
	wantComments(t, store, project, metastore.CommentQuery{}, metastore.Range{Limit: 1}, 0)
	wantQueues(t, store, project, metastore.Range{Limit: 10}, 1, q)
	wantQueueItems(t, store, q, "", metastore.Range{Limit: 1}, 0)
}
