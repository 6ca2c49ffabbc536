package api

import (
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
)

// keyJSON is a key in a list. Its name also goes by an older word.
type keyJSON struct {
	ID               string      `json:"id"`
	CreatedAt        string      `json:"createdAt"`
	ExpiresAt        *string     `json:"expiresAt"`
	LastUsedAt       *string     `json:"lastUsedAt"`
	Name             *string     `json:"name"`
	Note             *string     `json:"note"`
	Scope            model.Scope `json:"scope"`
	PublicKey        string      `json:"publicKey"`
	DisplaySecretKey string      `json:"displaySecretKey"`
}

// newKeyJSON is a key that was just made, the only time that its secret is shown.
type newKeyJSON struct {
	keyJSON
	SecretKey string `json:"secretKey"`
}

func keyJSONOf(k model.Key) keyJSON {
	return keyJSON{
		ID: k.ID, CreatedAt: stamp(k.CreatedAt), ExpiresAt: stampOrNull(k.ExpiresAt), LastUsedAt: stampOrNull(k.LastUsedAt),
		Name: orNull(k.Name), Note: orNull(k.Name), Scope: k.Scope, PublicKey: k.PublicKey, DisplaySecretKey: k.Display,
	}
}

// keyBody is a key as clients ask for one. Null is not given.
type keyBody struct {
	Name      *string      `json:"name"`
	Note      *string      `json:"note"`
	ExpiresAt *string      `json:"expiresAt"`
	Scope     *model.Scope `json:"scope"`
	PublicKey *string      `json:"publicKey"`
	SecretKey *string      `json:"secretKey"`
}

// issue makes the key that a body asks for, and its secret.
func (b *keyBody) issue() (model.Key, string, error) {
	if b.Name != nil && b.Note != nil {
		return model.Key{}, "", fault.Invalidf("note", "is an older word for name and must not come with it")
	}
	key, secret, err := auth.Issue(valueOf(b.PublicKey), valueOf(b.SecretKey))
	if err != nil {
		return key, "", err
	}
	key.Name = valueOf(b.Name) + valueOf(b.Note)
	if b.Scope != nil {
		key.Scope = *b.Scope
	}
	if b.ExpiresAt != nil {
		if key.ExpiresAt, err = query.ParseTime(*b.ExpiresAt); err != nil {
			return key, "", fault.Invalidf("expiresAt", "must be an ISO 8601 date-time with a zone, such as 2030-05-01T10:00:00Z")
		}
	}
	return key, secret, nil
}

// listKeys answers with the keys of a project, or with an empty project id of an organization.
func (s *server) listKeys(w http.ResponseWriter, r *http.Request, organizationID, projectID string) error {
	list, err := s.Tenancy.Keys(r.Context(), organizationID, projectID)
	if err != nil {
		return err
	}
	rows := make([]keyJSON, 0, len(list))
	for _, k := range list {
		rows = append(rows, keyJSONOf(k))
	}
	writeJSON(w, http.StatusOK, map[string]any{"apiKeys": rows})
	return nil
}

// createKey makes a key of a project, or with an empty project id of an organization.
func (s *server) createKey(w http.ResponseWriter, r *http.Request, organizationID, projectID string) error {
	var body keyBody
	if r.ContentLength != 0 { // everything may be left out, the body too
		if err := readJSON(w, r, maxTenancyBody, &body, "a key"); err != nil {
			return err
		}
	}
	key, secret, err := body.issue()
	if err != nil {
		return err
	}
	if err := s.Tenancy.AddKey(r.Context(), organizationID, projectID, key); err != nil {
		return err
	}
	*noted(r) = note{object: key.ID, name: key.Name, detail: "scope " + string(key.Scope) + ", " + key.PublicKey}
	writePrivate(w, http.StatusCreated, newKeyJSON{keyJSONOf(key), secret})
	return nil
}

// Bounds of the time for which an old secret stays good beside a new one.
const (
	usualGrace   = 24 * time.Hour
	longestGrace = 30 * 24 * time.Hour
)

// rotateBody says how long the old secret stays good. Null is not given.
type rotateBody struct {
	GraceSeconds *int `json:"graceSeconds"`
}

// rotatedKeyJSON is a key with a new secret, the only time that it is shown.
type rotatedKeyJSON struct {
	newKeyJSON
	OldSecretUntil string `json:"oldSecretUntil"`
}

// rotateKey gives a key of a project, or with an empty project id of an organization, another secret.
func (s *server) rotateKey(w http.ResponseWriter, r *http.Request, organizationID, projectID string) error {
	var body rotateBody
	if r.ContentLength != 0 { // everything may be left out, the body too
		if err := readJSON(w, r, maxTenancyBody, &body, "a rotation"); err != nil {
			return err
		}
	}
	grace := usualGrace
	if body.GraceSeconds != nil {
		grace = time.Duration(*body.GraceSeconds) * time.Second
	}
	if grace < 0 || grace > longestGrace {
		return fault.Invalidf("graceSeconds", "must be between 0 and %d", int(longestGrace.Seconds()))
	}
	fresh, secret, err := auth.Issue("", "")
	if err != nil {
		return err
	}
	key, err := s.Tenancy.RotateKey(r.Context(), organizationID, projectID, r.PathValue("apiKeyId"), fresh, grace)
	if err != nil {
		return err
	}
	*noted(r) = note{object: key.ID, name: key.Name, detail: "old secret until " + stamp(key.OldUntil)}
	writePrivate(w, http.StatusOK, rotatedKeyJSON{newKeyJSON{keyJSONOf(key), secret}, stamp(key.OldUntil)})
	return nil
}

// deleteKey revokes a key of a project, or with an empty project id of an organization.
func (s *server) deleteKey(w http.ResponseWriter, r *http.Request, organizationID, projectID string) error {
	if err := s.Tenancy.RevokeKey(r.Context(), organizationID, projectID, r.PathValue("apiKeyId")); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]bool{"success": true})
	return nil
}

// listProjectKeys serves GET /api/public/projects/{projectId}/apiKeys.
func (s *server) listProjectKeys(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.listKeys(w, r, caller.Project.Organization.ID, r.PathValue("projectId"))
}

// createProjectKey serves POST /api/public/projects/{projectId}/apiKeys.
func (s *server) createProjectKey(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.createKey(w, r, caller.Project.Organization.ID, r.PathValue("projectId"))
}

// rotateProjectKey serves POST /api/public/projects/{projectId}/apiKeys/{apiKeyId}/rotate.
func (s *server) rotateProjectKey(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.rotateKey(w, r, caller.Project.Organization.ID, r.PathValue("projectId"))
}

// deleteProjectKey serves DELETE /api/public/projects/{projectId}/apiKeys/{apiKeyId}.
func (s *server) deleteProjectKey(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.deleteKey(w, r, caller.Project.Organization.ID, r.PathValue("projectId"))
}

// listOrganizationKeys serves GET /api/public/organizations/apiKeys.
func (s *server) listOrganizationKeys(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.listKeys(w, r, caller.Project.Organization.ID, "")
}
