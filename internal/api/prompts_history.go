package api

import (
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/metastore"
)

// promptVersionJSON is what a history says of a version.
type promptVersionJSON struct {
	ID            string   `json:"id"`
	Version       int      `json:"version"`
	Labels        []string `json:"labels"`
	CommitMessage *string  `json:"commitMessage"`
	CreatedBy     string   `json:"createdBy"`
	AuthorName    *string  `json:"authorName"`
	CreatedAt     string   `json:"createdAt"`
	UpdatedAt     string   `json:"updatedAt"`
}

// promptDependentJSON is a version of a prompt that includes another, by its number or by a label.
type promptDependentJSON struct {
	Name            string  `json:"name"`
	Version         int     `json:"version"`
	IncludesVersion *int    `json:"includesVersion"`
	IncludesLabel   *string `json:"includesLabel"`
}

// namedPart reads the name of a prompt and which part of a list is wanted.
func namedPart(r *http.Request) (name string, page, limit int, part metastore.Range, err error) {
	p, err := readParams(r)
	if err != nil {
		return "", 0, 0, part, err
	}
	name, _ = p.text("name")
	if name == "" {
		p.invalid("name", "must be the name of a prompt")
	}
	page, limit, part = p.listPart()
	return name, page, limit, part, p.err()
}

// listPromptVersions serves GET /api/public/prompt-versions.
func (s *server) listPromptVersions(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	name, page, limit, part, err := namedPart(r)
	if err != nil {
		return err
	}
	list, total, err := s.Prompts.Versions(r.Context(), caller.Project.ID, name, part)
	if err != nil {
		return err
	}
	data := []promptVersionJSON{}
	for _, v := range list {
		data = append(data, promptVersionJSON{
			ID: v.ID, Version: v.Version, Labels: append([]string{}, v.Labels...), CommitMessage: orNull(v.CommitMessage), CreatedBy: v.CreatedBy,
			AuthorName: orNull(v.AuthorName), CreatedAt: stamp(v.CreatedAt), UpdatedAt: stamp(v.UpdatedAt),
		})
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": data, "meta": metaOf(page, limit, total)})
	return nil
}

// listPromptDependents serves GET /api/public/prompt-dependents.
func (s *server) listPromptDependents(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	name, page, limit, part, err := namedPart(r)
	if err != nil {
		return err
	}
	list, total, err := s.Prompts.Dependents(r.Context(), caller.Project.ID, name, part)
	if err != nil {
		return err
	}
	data := []promptDependentJSON{}
	for _, d := range list {
		one := promptDependentJSON{Name: d.Name, Version: d.Version, IncludesLabel: orNull(d.Includes.Label)}
		if d.Includes.Version != 0 {
			one.IncludesVersion = &d.Includes.Version
		}
		data = append(data, one)
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": data, "meta": metaOf(page, limit, total)})
	return nil
}
