package api

import (
	"maps"
	"net/http"
	"strings"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const auditPath = "/api/public/organizations/audit-events"

// auditRoutes show who did what.
func (s *server) auditRoutes() []route {
	return []route{{method: http.MethodGet, path: auditPath, handle: s.auditEvents, level: organizationLevel, least: model.Owner}}
}

// audited names what is remembered of the routes that change something. A test holds that every other is in its list of
// those that are data of a project, not a change of who may do what or how.
var audited = map[string]string{
	"POST " + projectsPath:                                     "project.create",
	"POST /api/ui/projects":                                    "project.create",
	"PUT " + projectPath:                                       "project.update",
	"DELETE " + projectPath:                                    "project.delete",
	"POST " + projectKeysPath:                                  "key.create",
	"POST " + projectKeysPath + "/{apiKeyId}/rotate":           "key.rotate",
	"DELETE " + projectKeysPath + "/{apiKeyId}":                "key.delete",
	"PUT " + membersPath:                                       "member.put",
	"DELETE " + membersPath:                                    "member.delete",
	"PUT " + projectMembers:                                    "project_member.put",
	"DELETE " + projectMembers:                                 "project_member.delete",
	"POST " + adminPath:                                        "organization.create",
	"PUT " + adminOnePath:                                      "organization.update",
	"DELETE " + adminOnePath:                                   "organization.delete",
	"POST " + adminOneKeysPath + "/rotate":                     "key.rotate",
	"POST " + adminKeysPath:                                    "key.create",
	"DELETE " + adminOneKeysPath:                               "key.delete",
	"POST " + scimUsers:                                        "user.create",
	"PUT " + scimUserPath:                                      "user.update",
	"PATCH " + scimUserPath:                                    "user.update",
	"DELETE " + scimUserPath:                                   "user.delete",
	"POST /api/ui/invitations":                                 "invitation.create",
	"DELETE /api/ui/invitations/{invitationId}":                "invitation.delete",
	"POST /api/ui/invitations/accept/{token}":                  "invitation.accept",
	"POST /api/ui/session":                                     "session.start",
	"GET " + callbackPath:                                      "session.start",
	"DELETE /api/ui/session":                                   "session.end",
	"DELETE /api/ui/sessions":                                  "session.end_all",
	"POST /api/ui/setup":                                       "installation.setup",
	"POST /api/ui/account/password":                            "user.password",
	"PUT /api/public/llm-connections":                          "connection.put",
	"DELETE /api/public/llm-connections/{id}":                  "connection.delete",
	"PUT /api/public/integrations/blob-storage":                "export.put",
	"DELETE /api/public/integrations/blob-storage/{projectId}": "export.delete",
	"POST /api/public/jobs":                                    "job.create",
	"POST /api/public/jobs/{id}/cancel":                        "job.cancel",
	"DELETE /api/public/traces":                                "traces.delete",
	"DELETE /api/public/traces/{traceId}":                      "traces.delete",
	"PATCH /api/public/traces/{traceId}":                       "trace.flag",
	"DELETE /api/public/dead-letters/{id}":                     "dead_letter.delete",
	"POST " + promptsPath:                                      "prompt.create",
	"POST /api/public/prompts":                                 "prompt.create",
	"DELETE " + promptPath:                                     "prompt.delete",
	"PATCH " + promptVersion:                                   "prompt.label",
	"POST " + alertTargetsPath:                                 "alert_target.create",
	"DELETE " + alertTargetPath:                                "alert_target.delete",
	"POST " + evaluatorsPath:                                   "evaluator.create",
	"PATCH " + evaluatorPath:                                   "evaluator.update",
	"DELETE " + evaluatorPath:                                  "evaluator.delete",
	"POST " + rulesPath:                                        "evaluation_rule.create",
	"PATCH " + rulePath:                                        "evaluation_rule.update",
	"DELETE " + rulePath:                                       "evaluation_rule.delete",
	"POST /api/public/models":                                  "model.create",
	"PUT /api/public/models/{modelId}":                         "model.put",
	"DELETE /api/public/models/{modelId}":                      "model.delete",
}

// AuditedRoutes are the routes, as "METHOD path", that the audit log remembers, with their actions.
func AuditedRoutes() map[string]string { return maps.Clone(audited) }

// note is what a handler adds to the event of its request. What it leaves open is that of caller and path.
type note struct {
	actor         model.User
	organizations []string
	object, name  string
	detail        string
}

// noted is the note of a request.
func noted(r *http.Request) *note { return &infoOf(r).note }

// remember writes down what a request has changed.
func (s *server) remember(r *http.Request, rt route, caller auth.Principal) {
	action, ok := audited[rt.method+" "+rt.path]
	if s.Audit == nil || !ok {
		return
	}
	n := noted(r)
	e := model.AuditEvent{
		Action: action, ProjectID: caller.Project.ID, ObjectID: n.object, ObjectName: n.name, Detail: n.detail,
		RequestID: infoOf(r).id, Address: addressOf(r),
	}
	e.ActorKind, e.ActorID, e.ActorName = actorOf(caller, n.actor)
	if e.ProjectID == "" {
		e.ProjectID = r.PathValue("projectId")
	}
	if name := lastVariable(rt.path); e.ObjectID == "" && name != "token" {
		e.ObjectID = r.PathValue(name)
	}
	organizations := n.organizations
	own, named := caller.Project.Organization.ID, r.PathValue("organizationId")
	switch {
	case len(organizations) > 0:
	case own != "":
		organizations = []string{own}
	case named != "":
		organizations = []string{named}
	case caller.User.ID != "":
		organizations = s.organizationsOf(r, caller.User.ID)
	}
	s.Audit.Record(r.Context(), e, organizations...)
}

func actorOf(caller auth.Principal, user model.User) (kind model.ActorKind, id, name string) {
	if caller.User.ID != "" {
		user = caller.User
	}
	switch {
	case user.ID != "":
		return model.ActorUser, user.ID, user.Email
	case caller.KeyID != "":
		return model.ActorKey, caller.KeyID, ""
	case caller.Scope != "":
		return model.ActorAdminKey, "", ""
	}
	return model.ActorNobody, "", ""
}

// lastVariable is the name of the last part of a path that stands for something, "" when there is none.
func lastVariable(path string) string {
	from, to := strings.LastIndexByte(path, '{'), strings.LastIndexByte(path, '}')
	if from < 0 {
		return ""
	}
	return path[from+1 : to]
}

// signedIn notes who has signed in, for all organizations that they belong to.
func (s *server) signedIn(r *http.Request, user model.User) {
	n := noted(r)
	n.actor, n.object, n.name = user, user.ID, user.Email
	n.organizations = s.organizationsOf(r, user.ID)
}

// refusedSignIn remembers that somebody could not prove to be a user. It takes the same work whether there is such a user or not;
// what was typed is kept only when there is.
func (s *server) refusedSignIn(r *http.Request, email string) {
	if s.Audit == nil {
		return
	}
	user, err := s.SignIn.UserByEmail(r.Context(), email)
	if err != nil {
		user = model.User{}
	}
	organizations := s.organizationsOf(r, user.ID)
	s.Audit.Record(r.Context(), model.AuditEvent{
		Action: "session.refuse", ActorKind: model.ActorNobody, ObjectID: user.ID, ObjectName: user.Email, RequestID: infoOf(r).id, Address: addressOf(r),
	}, organizations...)
}

// organizationsOf are those that a user belongs to; nobody belongs to none.
func (s *server) organizationsOf(r *http.Request, userID string) (ids []string) {
	if userID == "" {
		userID = "-" // asked for all the same
	}
	standings, err := s.SignIn.Standings(r.Context(), userID)
	if err != nil {
		return nil // then the operator is told alone
	}
	for _, st := range standings {
		if id := st.Project.Organization.ID; len(ids) == 0 || ids[len(ids)-1] != id {
			ids = append(ids, id)
		}
	}
	return ids
}

// auditJSON is an event as owners read it.
type auditJSON struct {
	ID        string        `json:"id"`
	At        string        `json:"at"`
	Action    string        `json:"action"`
	Actor     auditActor    `json:"actor"`
	ProjectID *string       `json:"projectId"`
	Object    auditedObject `json:"object"`
	Detail    *string       `json:"detail"`
	RequestID *string       `json:"requestId"`
	Address   *string       `json:"address"`
}

type auditActor struct {
	Kind model.ActorKind `json:"kind"`
	ID   *string         `json:"id"`
	Name *string         `json:"name"`
}

type auditedObject struct {
	ID   *string `json:"id"`
	Name *string `json:"name"`
}

func auditOf(e model.AuditEvent) auditJSON {
	return auditJSON{
		ID: e.ID, At: stamp(e.At), Action: e.Action, Actor: auditActor{e.ActorKind, orNull(e.ActorID), orNull(e.ActorName)},
		ProjectID: orNull(e.ProjectID), Object: auditedObject{orNull(e.ObjectID), orNull(e.ObjectName)},
		Detail: orNull(e.Detail), RequestID: orNull(e.RequestID), Address: orNull(e.Address),
	}
}

// auditEvents serves GET /api/public/organizations/audit-events.
func (s *server) auditEvents(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	q := metastore.AuditQuery{Organization: caller.Project.Organization.ID, Limit: p.number("limit", 50)}
	q.Project, _ = p.text("projectId")
	q.Action, _ = p.text("action")
	q.Actor, _ = p.text("actor")
	q.From, _ = p.time("fromTimestamp")
	q.To, _ = p.time("toTimestamp")
	cursor, _ := p.text("cursor")
	if q.Limit < 1 || q.Limit > maxPage {
		p.invalid("limit", "must be between 1 and %d", maxPage)
	}
	if err := p.err(); err != nil {
		return err
	}
	events, next, err := s.Audit.Page(r.Context(), q, cursor)
	if err != nil {
		return err
	}
	rows := make([]auditJSON, 0, len(events))
	for _, e := range events {
		rows = append(rows, auditOf(e))
	}
	meta := map[string]any{"limit": q.Limit}
	if next != "" {
		meta["cursor"] = next
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": rows, "meta": meta})
	return nil
}
