package api

import (
	"fmt"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// level is whose key a route takes.
type level int

const (
	projectLevel level = iota
	organizationLevel
	instanceLevel // takes the admin key
	personLevel   // takes no key, only people who have signed in
)

func (l level) access() auth.Access {
	switch l {
	case organizationLevel:
		return auth.Organization
	case instanceLevel:
		return auth.Instance
	case personLevel:
		return auth.Person
	default:
		return auth.Project
	}
}

// scope is what a key must be allowed for the route; empty: nothing in particular.
func (rt route) scope() model.Scope {
	switch {
	case rt.anyScope || rt.level == personLevel:
		return ""
	case rt.needs != "":
		return rt.needs
	case rt.method == http.MethodGet:
		return model.ScopeRead
	default:
		return model.ScopeAll
	}
}

// counts reports whether a request of the route is one of those that a project may send so many of. What sends data in is
// counted by what it sends, and the question by which clients check their key is never refused.
func (rt route) counts() bool {
	sends := rt.needs == model.ScopeIngest || rt.path == ingestionPath
	return !rt.open && rt.level == projectLevel && !sends && (rt.method != http.MethodGet || rt.path != projectsPath)
}

// leastRole is what people who have signed in must be for the route; empty: it takes none of them, or needs no role.
func (rt route) leastRole() model.Role {
	switch {
	case rt.open || rt.keysOnly || rt.level == instanceLevel || rt.level == personLevel:
		return ""
	case rt.least != "":
		return rt.least
	case rt.method == http.MethodGet:
		return model.Viewer
	case rt.level == organizationLevel:
		return model.Admin
	default:
		return model.Member
	}
}

// The headers with which the admin key acts as a project.
const (
	adminHeader   = "X-Langfuse-Admin-Api-Key"
	projectHeader = "X-Langfuse-Project-Id"
)

func (s *server) authenticate(r *http.Request, rt route) (auth.Principal, error) {
	switch {
	case rt.fromPage && !s.ownPage(r):
		return auth.Principal{}, authError{errForeignPage}
	case rt.open:
		return auth.Principal{}, nil
	case rt.level == personLevel:
		return s.person(r)
	case rt.level == instanceLevel:
		if !s.AdminKey.Authenticate(r.Header.Get("Authorization")) {
			return auth.Principal{}, authError{s.noAdmin()}
		}
		return auth.Principal{Access: auth.Instance, Scope: model.ScopeAll}, nil
	case rt.admin && r.Header.Get(adminHeader) != "":
		return s.actAsProject(r)
	case r.Header.Get("Authorization") == "" && rt.leastRole() != "" && tokenOf(r) != "":
		return s.member(r, rt)
	}
	caller, err := s.Auth.Authenticate(r.Context(), r.Header.Get("Authorization"))
	if err != nil {
		return auth.Principal{}, authError{err}
	}
	info := infoOf(r)
	info.project, info.account.proved = caller.Project.ID, caller.Access == auth.Project
	if err := rt.admit(caller); err != nil {
		return auth.Principal{}, authError{err}
	}
	return caller, nil
}

// admit refuses a key of another level, and one whose scope is too small.
func (rt route) admit(caller auth.Principal) error {
	const denied = "Access denied - insufficient permissions for this endpoint"
	access, need := rt.level.access(), rt.scope()
	publicHalf := caller.Access == auth.ScoresOnly && access == auth.Project && need == model.ScopeScores
	switch {
	case caller.Access != access && caller.Access != auth.ScoresOnly && rt.unknown:
		return fault.New(fault.Unauthenticated, denied)
	case caller.Access != access && !publicHalf:
		return fault.New(fault.Forbidden, denied)
	case need != "" && !caller.Scope.Allows(need):
		return fault.New(fault.Forbidden, denied).Hint(fmt.Sprintf("the scope of the key is %s, this needs %s", caller.Scope, need))
	}
	return nil
}

// noAdmin also tells the operator who forgot the setting what to do.
func (s *server) noAdmin() error {
	refused := fault.New(fault.Unauthenticated, "Invalid admin API key")
	if s.AdminKey == "" {
		return refused.Hint("this instance has none; start it with --admin-api-key")
	}
	return refused.Hint("send Authorization: Bearer and the key that the instance was started with")
}

// actAsProject lets the operator use a project's settings without a key of the project: the admin key
// comes twice, and the project in a header of its own.
func (s *server) actAsProject(r *http.Request) (auth.Principal, error) {
	if !s.AdminKey.Authenticate(r.Header.Get("Authorization")) || !s.AdminKey.Matches(r.Header.Get(adminHeader)) {
		return auth.Principal{}, authError{s.noAdmin()}
	}
	id := r.Header.Get(projectHeader)
	if id == "" {
		return auth.Principal{}, fault.New(fault.Invalid, "The header x-langfuse-project-id is missing").Hint("name the project to act as")
	}
	project, err := s.Tenancy.Project(r.Context(), id)
	if err != nil {
		return auth.Principal{}, err
	}
	infoOf(r).project = project.ID
	return auth.Principal{Access: auth.Project, Scope: model.ScopeAll, Project: project}, nil
}
