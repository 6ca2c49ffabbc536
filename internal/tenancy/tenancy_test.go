package tenancy_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tenancy"
)

// newService returns a service with two organizations, "a" and "b".
func newService(t *testing.T) *tenancy.Service {
	t.Helper()
	store := metastoretest.NewMemory()
	for _, id := range []string{"a", "b"} {
		if err := store.CreateOrganization(t.Context(), model.Organization{ID: id, Name: "Organization " + id}); err != nil {
			t.Fatal(err)
		}
	}
	return tenancy.New(store)
}

func wantKind(t *testing.T, what string, err error, kind fault.Kind) {
	t.Helper()
	if !fault.Is(err, kind) {
		t.Errorf("%s = %v, want kind %d", what, err, kind)
	}
}

func TestProjectBelongsToOneOrganization(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ctx, name := t.Context(), "stolen"
	p, err := s.CreateProject(ctx, "a", model.Project{Name: "chatbot"})
	if err != nil || p.Organization.Name != "Organization a" {
		t.Fatalf("CreateProject = %+v, %v", p, err)
	}
	key := model.Key{ID: "k", PublicKey: "pk", SecretHash: []byte{1}, Salt: []byte{1}, Scope: model.ScopeAll, CreatedAt: time.Now()}
	if err := s.AddKey(ctx, "a", p.ID, key); err != nil {
		t.Fatal(err)
	}
	_, changing := s.ChangeProject(ctx, "b", p.ID, tenancy.ProjectChange{Name: &name})
	_, listing := s.Keys(ctx, "b", p.ID)
	_, members := s.ProjectMembers(ctx, "b", p.ID)
	_, putting := s.PutProjectMember(ctx, "b", p.ID, "u", model.Owner)
	for what, err := range map[string]error{
		"ChangeProject": changing, "Keys": listing, "ProjectMembers": members, "PutProjectMember": putting,
		"AddKey": s.AddKey(ctx, "b", p.ID, key), "RevokeKey": s.RevokeKey(ctx, "b", p.ID, "k"),
		"RevokeKey of the organization": s.RevokeKey(ctx, "b", "", "k"), "GiveUpProject": s.GiveUpProject(ctx, "b", p.ID),
		"RemoveProjectMember": s.RemoveProjectMember(ctx, "b", p.ID, "u"),
	} {
		wantKind(t, what+" by another organization", err, fault.NotFound)
	}
	if got, err := s.Project(ctx, p.ID); err != nil || got.Name != "chatbot" {
		t.Errorf("Project = %+v, %v", got, err)
	}
	if keys, err := s.Keys(ctx, "a", p.ID); err != nil || len(keys) != 1 {
		t.Errorf("Keys = %v, %v", keys, err)
	}
	expired := key
	expired.ID, expired.PublicKey, expired.ExpiresAt = "e", "pk-e", time.Now()
	wantKind(t, "AddKey that is expired", s.AddKey(ctx, "a", p.ID, expired), fault.Invalid)
	wantKind(t, "AddKey twice", s.AddKey(ctx, "a", p.ID, key), fault.Conflict)
	for range 2 {
		if err := s.GiveUpProject(ctx, "a", p.ID); err != nil {
			t.Errorf("GiveUpProject: %v", err)
		}
	}
	_, err = s.Project(ctx, p.ID)
	wantKind(t, "Project that is being erased", err, fault.NotFound)
	wantKind(t, "DeleteOrganization", s.DeleteOrganization(ctx, "a"), fault.Invalid)
}

func TestPeopleOfOtherOrganizationsAreNotFound(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ctx := t.Context()
	person := model.Membership{User: model.User{Email: "ada@example.com", Name: "Ada", Password: "hash"}, Role: model.Viewer, Active: true}
	ada, err := s.AddUser(ctx, "a", person)
	if err != nil || ada.User.Password != "" {
		t.Fatalf("AddUser = %+v, %v", ada, err)
	}
	_, err = s.AddUser(ctx, "a", person)
	wantKind(t, "AddUser twice", err, fault.Conflict)
	_, err = s.PutMember(ctx, "b", ada.User.ID, model.Owner)
	wantKind(t, "PutMember of another organization's", err, fault.NotFound)
	_, err = s.ChangeMember(ctx, "b", ada.User.ID, new(bool), nil)
	wantKind(t, "ChangeMember of another organization's", err, fault.NotFound)

	// By the address, the account is shared, and stays what it was.
	person.User.Name, person.User.Password, person.Role = "Eve", "other", model.Owner
	shared, err := s.AddUser(ctx, "b", person)
	if err != nil || shared.User.ID != ada.User.ID || shared.User.Name != "Ada" || shared.Role != model.Owner {
		t.Errorf("AddUser = %+v, %v", shared, err)
	}
	if account, err := s.UserByEmail(ctx, "ADA@example.com"); err != nil || account.Password != "hash" {
		t.Errorf("the account is %+v, %v", account, err)
	}
	if _, err := s.ChangeMember(ctx, "b", ada.User.ID, new(bool), nil); err != nil {
		t.Fatal(err)
	}
	if m, err := s.Member(ctx, "a", ada.User.ID); err != nil || !m.Active || m.Role != model.Viewer {
		t.Errorf("Member = %+v, %v", m, err)
	}
	if _, err := s.PutMember(ctx, "b", ada.User.ID, model.Admin); err != nil {
		t.Errorf("PutMember: %v", err)
	}
	if m, err := s.Member(ctx, "b", ada.User.ID); err != nil || m.Active {
		t.Errorf("a role makes an inactive member active: %+v, %v", m, err)
	}
}

func TestRefusedNames(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, name := range []string{"", "ab", "   ", strings.Repeat("ü", 61), "a\x00bc"} {
		_, project := s.CreateProject(t.Context(), "a", model.Project{Name: name})
		wantKind(t, "CreateProject", project, fault.Invalid)
		_, organization := s.CreateOrganization(t.Context(), model.Organization{Name: name})
		wantKind(t, "CreateOrganization", organization, fault.Invalid)
		_, changed := s.ChangeOrganization(t.Context(), "a", name, nil)
		wantKind(t, "ChangeOrganization", changed, fault.Invalid)
	}
	if _, err := s.CreateProject(t.Context(), "a", model.Project{Name: strings.Repeat("ü", 60)}); err != nil {
		t.Errorf("60 characters: %v", err)
	}
	_, err := s.CreateProject(t.Context(), "a", model.Project{Name: "good", Retention: model.Retention{Days: 2}})
	wantKind(t, "CreateProject", err, fault.Invalid)
}

// down is a store that does not answer.
type down struct{ tenancy.Store }

var errDown = fault.Unavailablef("down")

func (down) Project(context.Context, string) (model.Project, error) { return model.Project{}, errDown }
func (down) Member(context.Context, string, string) (model.Membership, error) {
	return model.Membership{}, errDown
}
func (down) CreateUser(context.Context, model.User) error { return errDown }

func TestStoreThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	s := tenancy.New(down{})
	_, project := s.Project(t.Context(), "p")
	_, keys := s.Keys(t.Context(), "o", "p")
	_, put := s.PutMember(t.Context(), "o", "u", model.Owner)
	_, add := s.AddUser(t.Context(), "o", model.Membership{User: model.User{Email: "a@b"}, Role: model.Owner})
	for what, err := range map[string]error{"Project": project, "Keys": keys, "GiveUpProject": s.GiveUpProject(t.Context(), "o", "p"), "PutMember": put, "AddUser": add} {
		if !errors.Is(err, errDown) {
			t.Errorf("%s = %v, want %v", what, err, errDown)
		}
	}
}
