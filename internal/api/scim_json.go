package api

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

const (
	scimCore     = "urn:ietf:params:scim:schemas:core:2.0:"
	scimMessages = "urn:ietf:params:scim:api:messages:2.0:"
)

// maxOperations bounds the changes of one PATCH.
const maxOperations = 100

type scimMeta struct {
	ResourceType string `json:"resourceType"`
	Created      string `json:"created,omitempty"`
	LastModified string `json:"lastModified,omitempty"`
	Location     string `json:"location"`
}

type scimName struct {
	Formatted  string `json:"formatted"`
	GivenName  string `json:"givenName,omitempty"`
	FamilyName string `json:"familyName,omitempty"`
}

type scimEmail struct {
	Value   string `json:"value"`
	Type    string `json:"type"`
	Primary bool   `json:"primary"`
}

type scimUser struct {
	Schemas     []string     `json:"schemas"`
	ID          string       `json:"id"`
	UserName    string       `json:"userName"`
	Name        scimName     `json:"name"`
	DisplayName string       `json:"displayName"`
	Emails      []scimEmail  `json:"emails"`
	Active      bool         `json:"active"`
	Roles       []model.Role `json:"roles"`
	Meta        scimMeta     `json:"meta"`
}

type scimList struct {
	Schemas      []string `json:"schemas"`
	TotalResults int      `json:"totalResults"`
	StartIndex   int      `json:"startIndex"`
	ItemsPerPage int      `json:"itemsPerPage"`
	Resources    []any    `json:"Resources"`
}

func (s *server) scimUserOf(r *http.Request, m model.Membership) scimUser {
	return scimUser{
		Schemas: []string{scimCore + "User"}, ID: m.User.ID, UserName: m.User.Email, DisplayName: m.User.Name,
		Name:   scimName{Formatted: m.User.Name},
		Emails: []scimEmail{{Value: m.User.Email, Type: "work", Primary: true}},
		Active: m.Active, Roles: []model.Role{m.Role},
		Meta: scimMeta{
			ResourceType: "User", Created: stamp(m.User.CreatedAt), LastModified: stamp(m.User.UpdatedAt),
			Location: s.baseURL(r) + scimUsers + "/" + url.PathEscape(m.User.ID),
		},
	}
}

func (s *server) writeUser(w http.ResponseWriter, r *http.Request, status int, m model.Membership) {
	user := s.scimUserOf(r, m)
	w.Header().Set("Location", user.Meta.Location)
	writeJSON(w, status, user)
}

func (s *server) scimListOf(r *http.Request, list []model.Membership, total, start int) scimList {
	resources := make([]any, 0, len(list))
	for _, m := range list {
		resources = append(resources, s.scimUserOf(r, m))
	}
	return scimListing(resources, total, start)
}

func scimListing(resources []any, total, start int) scimList {
	return scimList{[]string{scimMessages + "ListResponse"}, total, start, len(resources), resources}
}

// scimUserBody is a user as identity providers write one. Null is not given, and what is not here is
// not kept.
type scimUserBody struct {
	UserName    string            `json:"userName"`
	DisplayName string            `json:"displayName"`
	Name        *scimName         `json:"name"`
	Active      *bool             `json:"active"`
	Password    *string           `json:"password"`
	Roles       []json.RawMessage `json:"roles"`
}

func readUser(w http.ResponseWriter, r *http.Request) (body scimUserBody, err error) {
	if err = readJSON(w, r, maxTenancyBody, &body, "a SCIM user"); err == nil && body.UserName == "" {
		err = fault.Invalidf("userName", "must be an email address")
	}
	return body, err
}

func (b *scimUserBody) displayName() string {
	if b.DisplayName != "" || b.Name == nil {
		return b.DisplayName
	}
	if b.Name.Formatted != "" {
		return b.Name.Formatted
	}
	return strings.TrimSpace(b.Name.GivenName + " " + b.Name.FamilyName)
}

// role is the only role of a user, nil when none is given.
func (b *scimUserBody) role() (*model.Role, error) {
	if len(b.Roles) == 0 {
		return nil, nil
	}
	if len(b.Roles) > 1 {
		return nil, fault.Invalidf("roles", "must be one role")
	}
	return roleOf(b.Roles[0])
}

// roleOf reads a role, which is a text or an object with a value.
func roleOf(raw json.RawMessage) (*model.Role, error) {
	var role model.Role
	if json.Unmarshal(raw, &role) != nil {
		var object struct{ Value model.Role }
		if json.Unmarshal(raw, &object) != nil {
			return nil, fault.Invalidf("roles", "must be texts, or objects with a value")
		}
		role = object.Value
	}
	if !role.Known() {
		return nil, fault.Invalidf("roles", "must be OWNER, ADMIN, MEMBER or VIEWER")
	}
	return &role, nil
}

// scimPatch is a list of changes.
type scimPatch struct {
	Operations []struct {
		Op    string          `json:"op"`
		Path  string          `json:"path"`
		Value json.RawMessage `json:"value"`
	} `json:"Operations"`
}

// changes returns what is to be changed. Providers write replace in any case, name the attribute by path or
// as a member of the value, and some write booleans as texts.
func (p *scimPatch) changes() (active *bool, role *model.Role, err error) {
	if n := len(p.Operations); n == 0 || n > maxOperations {
		return nil, nil, fault.Invalidf("Operations", "must have 1 to %d changes", maxOperations)
	}
	for _, op := range p.Operations {
		if !strings.EqualFold(op.Op, "replace") && !strings.EqualFold(op.Op, "add") {
			return nil, nil, fault.Invalidf("Operations", "must replace or add something")
		}
		values := map[string]json.RawMessage{op.Path: op.Value}
		if op.Path == "" {
			values = nil
			if json.Unmarshal(op.Value, &values) != nil || len(values) == 0 {
				return nil, nil, fault.Invalidf("Operations", "must have a path, or a value that is an object")
			}
		}
		for name, value := range values {
			switch strings.ToLower(name) {
			case "active":
				active, err = truth(value)
			case "roles":
				body := scimUserBody{}
				if json.Unmarshal(value, &body.Roles) != nil {
					body.Roles = []json.RawMessage{value}
				}
				role, err = body.role()
			default:
				err = kindError{fault.New(fault.Invalid, "Only active and roles can be changed"), "invalidPath"}
			}
			if err != nil {
				return nil, nil, err
			}
		}
	}
	return active, role, nil
}

func truth(raw json.RawMessage) (*bool, error) {
	yes := strings.EqualFold(strings.Trim(string(raw), `"`), "true")
	if !yes && !strings.EqualFold(strings.Trim(string(raw), `"`), "false") {
		return nil, fault.Invalidf("active", "must be true or false")
	}
	return &yes, nil
}

type scimSupport struct {
	Supported bool `json:"supported"`
}

// scimConfig serves GET /api/public/scim/ServiceProviderConfig.
func (s *server) scimConfig(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	writeJSON(w, http.StatusOK, map[string]any{
		"schemas": []string{scimCore + "ServiceProviderConfig"},
		"patch":   scimSupport{true}, "changePassword": scimSupport{}, "sort": scimSupport{}, "etag": scimSupport{},
		"bulk":   map[string]any{"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
		"filter": map[string]any{"supported": true, "maxResults": maxUsers},
		"authenticationSchemes": []map[string]any{{
			"type": "httpbasic", "name": "HTTP Basic", "description": "Public and secret key of the organization", "primary": true,
		}},
		"meta": scimMeta{ResourceType: "ServiceProviderConfig", Location: s.baseURL(r) + scimPath + "/ServiceProviderConfig"},
	})
	return nil
}

// scimResourceTypes serves GET /api/public/scim/ResourceTypes.
func (s *server) scimResourceTypes(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	writeJSON(w, http.StatusOK, scimListing([]any{map[string]any{
		"schemas": []string{scimCore + "ResourceType"}, "id": "User", "name": "User", "endpoint": "/Users",
		"description": "A member of the organization", "schema": scimCore + "User",
		"meta": scimMeta{ResourceType: "ResourceType", Location: s.baseURL(r) + scimPath + "/ResourceTypes/User"},
	}}, 1, 1))
	return nil
}

// scimSchemas serves GET /api/public/scim/Schemas.
func (s *server) scimSchemas(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	attribute := func(name, kind, mutability string, many bool) map[string]any {
		return map[string]any{
			"name": name, "type": kind, "multiValued": many, "required": name == "userName", "caseExact": false,
			"mutability": mutability, "returned": "default", "uniqueness": map[bool]string{true: "server", false: "none"}[name == "userName"],
		}
	}
	writeJSON(w, http.StatusOK, scimListing([]any{map[string]any{
		"schemas": []string{scimCore + "Schema"}, "id": scimCore + "User", "name": "User", "description": "A member of the organization",
		"attributes": []any{
			attribute("userName", "string", "immutable", false),
			attribute("displayName", "string", "immutable", false),
			attribute("active", "boolean", "readWrite", false),
			attribute("roles", "string", "readWrite", true),
		},
		"meta": scimMeta{ResourceType: "Schema", Location: s.baseURL(r) + scimPath + "/Schemas/" + scimCore + "User"},
	}}, 1, 1))
	return nil
}
