package api

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/prompts"
)

const (
	promptsPath   = "/api/public/v2/prompts"
	promptPath    = promptsPath + "/{promptName}"
	promptVersion = promptPath + "/versions/{version}"
)

// promptRoutes are the routes of prompts. The two without v2 are for clients older than labels.
func (s *server) promptRoutes() []route {
	return []route{
		{method: http.MethodGet, path: promptsPath, handle: s.listPrompts, fail: s.failPrompts},
		{method: http.MethodPost, path: promptsPath, handle: s.createPrompt, fail: s.failPrompts},
		{method: http.MethodGet, path: promptPath, handle: s.getPrompt, fail: s.failPrompts},
		{method: http.MethodDelete, path: promptPath, handle: s.deletePrompt, fail: s.failPrompts},
		{method: http.MethodPatch, path: promptVersion, handle: s.labelPrompt},
		{method: http.MethodGet, path: "/api/public/prompt-versions", handle: s.listPromptVersions},
		{method: http.MethodGet, path: "/api/public/prompt-dependents", handle: s.listPromptDependents},
		{method: http.MethodPut, path: "/api/public/prompt-tags", handle: s.tagPrompt},
		{method: http.MethodGet, path: "/api/public/prompts", handle: s.getOldPrompt, fail: s.failPrompts, deprecated: true},
		{method: http.MethodPost, path: "/api/public/prompts", handle: s.createOldPrompt, fail: s.failPrompts, deprecated: true},
	}
}

// failPrompts names errors of authentication, too.
func (s *server) failPrompts(w http.ResponseWriter, r *http.Request, err error) {
	if of, ok := errors.AsType[authError](err); ok {
		err = of.error
	}
	s.fail(w, r, err)
}

// listPrompts serves GET /api/public/v2/prompts.
func (s *server) listPrompts(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	var q prompts.Query
	q.Page, q.Limit = p.number("page", 1), p.number("limit", 10)
	if q.Page < 1 {
		p.invalid("page", "must be at least 1")
	}
	if q.Limit < 1 || q.Limit > maxPage {
		p.invalid("limit", "must be between 1 and %d", maxPage)
	}
	q.Name, _ = p.text("name")
	q.Label, _ = p.text("label")
	q.Tag, _ = p.text("tag")
	q.Filter, _ = p.text("filter")
	q.Version = p.promptVersion()
	q.From, _ = p.time("fromUpdatedAt")
	q.To, _ = p.time("toUpdatedAt")
	if err := p.err(); err != nil {
		return err
	}
	list, total, err := s.Prompts.List(r.Context(), caller.Project.ID, q)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, promptPageOf(list, metaOf(q.Page, q.Limit, total)))
	return nil
}

// promptVersion reads the number of a version; 0: none is given.
func (p *params) promptVersion() int {
	text, _ := p.text("version")
	if strings.TrimSpace(text) == "" {
		return 0
	}
	return p.versionNumber(text)
}

func (p *params) versionNumber(text string) int {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 1 {
		p.invalid("version", "must be a whole number of at least 1")
		return 0
	}
	return int(n)
}

// selector reads which version of a prompt is meant.
func (p *params) selector() metastore.PromptSelector {
	var selector metastore.PromptSelector
	selector.Version = p.promptVersion()
	selector.Label, _ = p.text("label")
	return selector
}

// createPrompt serves POST /api/public/v2/prompts.
func (s *server) createPrompt(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	body, err := readPrompt(w, r)
	if err != nil {
		return err
	}
	body.CreatedBy = caller.User.ID
	made, err := s.Prompts.Create(r.Context(), caller.Project.ID, body)
	if err != nil {
		return err
	}
	*noted(r) = promptNote(&made)
	writeJSON(w, http.StatusCreated, promptOf(&made))
	return nil
}

// getPrompt serves GET /api/public/v2/prompts/{promptName}.
func (s *server) getPrompt(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	selector := p.selector()
	form := prompts.Resolved
	if resolve, present := p.flag("resolve"); present && !resolve {
		form = prompts.Raw
	}
	if selector.Version != 0 && selector.Label != "" {
		p.invalid("version", "must not be given together with label")
	}
	if err := p.err(); err != nil {
		return err
	}
	return s.sendPrompt(w, r, caller, r.PathValue("promptName"), selector, form)
}

func (s *server) sendPrompt(w http.ResponseWriter, r *http.Request, caller auth.Principal, name string, selector metastore.PromptSelector, form prompts.Form) error {
	found, err := s.Prompts.Get(r.Context(), caller.Project.ID, name, selector, form)
	if err != nil {
		return err
	}
	text, err := found.Encoded(encodeFound)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", jsonType)
	_, _ = w.Write(text) //nolint:gosec // JSON, and no page; an error means that the caller is gone
	return nil
}

// deletePrompt serves DELETE /api/public/v2/prompts/{promptName}.
func (s *server) deletePrompt(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	selector := p.selector()
	if err := p.err(); err != nil {
		return err
	}
	if err := s.Prompts.Delete(r.Context(), caller.Project.ID, r.PathValue("promptName"), selector); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// labelPrompt serves PATCH /api/public/v2/prompts/{promptName}/versions/{version}.
func (s *server) labelPrompt(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p := &params{values: url.Values{}}
	version := p.versionNumber(r.PathValue("version"))
	if err := p.err(); err != nil {
		return err
	}
	var body struct {
		NewLabels *[]string `json:"newLabels"`
	}
	if err := readJSON(w, r, maxPromptBody, &body, "labels"); err != nil {
		return err
	}
	if body.NewLabels == nil {
		return fault.Invalidf("newLabels", "must be a list of labels")
	}
	changed, err := s.Prompts.Label(r.Context(), caller.Project.ID, r.PathValue("promptName"), version, *body.NewLabels)
	if err != nil {
		return err
	}
	*noted(r) = promptNote(&changed)
	writeJSON(w, http.StatusOK, promptOf(&changed))
	return nil
}

// promptTagsJSON are the tags of a prompt.
type promptTagsJSON struct {
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}

// tagPrompt serves PUT /api/public/prompt-tags.
func (s *server) tagPrompt(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body promptTagsJSON
	if err := readExactly(w, r, maxPromptBody, &body, "tags of a prompt"); err != nil {
		return err
	}
	if body.Tags == nil {
		return fault.Invalidf("tags", "must be a list of tags")
	}
	if err := s.Prompts.Tag(r.Context(), caller.Project.ID, body.Name, body.Tags); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// getOldPrompt serves GET /api/public/prompts.
func (s *server) getOldPrompt(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	name, _ := p.text("name")
	if name == "" {
		p.invalid("name", "must be the name of a prompt")
	}
	selector := metastore.PromptSelector{Version: p.promptVersion()}
	if err := p.err(); err != nil {
		return err
	}
	return s.sendPrompt(w, r, caller, name, selector, prompts.Resolved)
}

// createOldPrompt serves POST /api/public/prompts: an active prompt is one in production.
func (s *server) createOldPrompt(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body struct {
		Name     *string     `json:"name"`
		Prompt   *string     `json:"prompt"`
		IsActive *bool       `json:"isActive"`
		Config   *promptAsIs `json:"config"`
	}
	if err := readJSON(w, r, maxPromptBody, &body, "a prompt"); err != nil {
		return err
	}
	if body.Prompt == nil {
		return fault.Invalidf("prompt", "must be a string")
	}
	if body.IsActive == nil {
		return fault.Invalidf("isActive", "must be true or false")
	}
	d := prompts.Draft{Name: valueOf(body.Name), Content: model.PromptContent{Text: *body.Prompt}, Config: body.Config.value(), CreatedBy: caller.User.ID}
	if *body.IsActive {
		d.Labels = []string{model.LabelProduction}
	}
	made, err := s.Prompts.Create(r.Context(), caller.Project.ID, d)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, oldPromptJSON{promptOf(&made), *body.IsActive})
	return nil
}
