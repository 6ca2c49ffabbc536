package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

const promptsPath = "/api/public/v2/prompts"

// listedPrompt is a prompt in a list.
type listedPrompt struct {
	Name     string
	Versions []int
}

func (p *listedPrompt) name() string { return p.Name }

// promptVersion is one version as both sides show it.
type promptVersion struct {
	Name          string          `json:"name"`
	Version       int             `json:"version,omitempty"`
	Type          string          `json:"type,omitempty"`
	Prompt        json.RawMessage `json:"prompt"`
	Config        json.RawMessage `json:"config,omitempty"`
	Labels        []string        `json:"labels"`
	Tags          []string        `json:"tags,omitempty"`
	CommitMessage *string         `json:"commitMessage,omitempty"`
}

// filler is the message of versions that only keep a number free: the source deleted one, and the target counts on. They are
// deleted at the end.
const filler = "import: this version was deleted in the source"

// latest is the label that every server moves by itself.
const latest = "latest"

// prompts makes all versions of all prompts, with their numbers and labels. A prompt that includes another is made after it.
func (im *importer) prompts(ctx context.Context, s *Step) error {
	left, err := all(ctx, im.source, promptsPath, nil, (*listedPrompt).name)
	if err != nil {
		return err
	}
	s.Tally = Tally{}
	for _, p := range left {
		s.Tally.Rows += len(p.Versions)
	}
	for len(left) > 0 {
		var again []listedPrompt
		var why error
		for _, p := range left {
			err := im.prompt(ctx, s, p)
			if refusedWith(err, http.StatusBadRequest, http.StatusConflict) {
				again, why = append(again, p), err
				continue
			}
			if err != nil {
				return err
			}
			im.told(kindPrompts, s.Tally.Rows)
		}
		if len(again) == len(left) {
			for _, p := range again {
				s.refuse(p.Name, why.Error())
			}
			return nil
		}
		left = again
	}
	return nil
}

// prompt makes the versions of one prompt that the target does not have.
func (im *importer) prompt(ctx context.Context, s *Step, p listedPrompt) error {
	slices.Sort(p.Versions)
	have, err := all(ctx, im.target, promptsPath, url.Values{"name": {p.Name}}, (*listedPrompt).name)
	if err != nil {
		return err
	}
	there, highest := map[int]bool{}, 0
	for _, h := range have {
		for _, version := range h.Versions {
			there[version] = true
			highest = max(highest, version)
		}
	}
	for _, version := range p.Versions {
		given, err := im.version(ctx, im.source, p.Name, version)
		if err != nil {
			return err
		}
		switch {
		case there[version]:
			err = im.keepVersion(ctx, s, given)
		case version <= highest:
			s.refuse(p.Name, "version "+strconv.Itoa(version)+" was deleted in the target, which gives its number to no other")
		default:
			for ; highest+1 < version && err == nil; highest++ {
				err = im.addVersion(ctx, given, true)
			}
			if err == nil {
				err = im.addVersion(ctx, given, false)
			}
			highest = version
		}
		if err != nil {
			return err
		}
	}
	return im.dropFillers(ctx, p, highest)
}

func (im *importer) version(ctx context.Context, c *client, name string, version int) (p promptVersion, err error) {
	query := url.Values{"version": {strconv.Itoa(version)}, "resolve": {"false"}}
	err = c.get(ctx, promptsPath+"/"+url.PathEscape(name), query, &p)
	return p, err
}

func (im *importer) addVersion(ctx context.Context, p promptVersion, fills bool) error {
	p.Version = 0
	p.Labels = slices.DeleteFunc(slices.Clone(p.Labels), func(label string) bool { return label == latest || fills })
	if p.Labels == nil {
		p.Labels = []string{}
	}
	if fills {
		message := filler
		p.CommitMessage = &message
	}
	return im.target.send(ctx, http.MethodPost, promptsPath, p, nil)
}

// keepVersion compares a version that is there already, and gives it the labels of the source.
func (im *importer) keepVersion(ctx context.Context, s *Step, given promptVersion) error {
	have, err := im.version(ctx, im.target, given.Name, given.Version)
	if err != nil {
		return err
	}
	if !bytes.Equal([]byte(text(have.Prompt)), []byte(text(given.Prompt))) {
		s.refuse(given.Name, "version "+strconv.Itoa(given.Version)+" is there with another text")
		return nil
	}
	var missing []string
	for _, label := range given.Labels {
		if label != latest && !slices.Contains(have.Labels, label) {
			missing = append(missing, label)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	path := promptsPath + "/" + url.PathEscape(given.Name) + "/versions/" + strconv.Itoa(given.Version)
	return im.target.send(ctx, http.MethodPatch, path, map[string][]string{"newLabels": missing}, nil)
}

// dropFillers deletes versions that kept a number free, also those of an import that was interrupted.
func (im *importer) dropFillers(ctx context.Context, p listedPrompt, highest int) error {
	for version := 1; version < highest; version++ {
		if slices.Contains(p.Versions, version) {
			continue
		}
		have, err := im.version(ctx, im.target, p.Name, version)
		if refusedWith(err, http.StatusNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if have.CommitMessage == nil || *have.CommitMessage != filler {
			continue
		}
		path := promptsPath + "/" + url.PathEscape(p.Name) + "?version=" + strconv.Itoa(version)
		if err := im.target.send(ctx, http.MethodDelete, path, nil, nil); err != nil {
			return err
		}
	}
	return nil
}
