package otlp

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sondehq/sonde/internal/model"
)

// sdkScope begins the scope names of the SDKs, whose spans carry nothing but what they mean.
const sdkScope = "langfuse-sdk"

// Limits on what every row of a resource or scope repeats. Without them a body could turn into
// thousands of times its size. Real resources have some dozens of attributes in 1 or 2 KB.
const (
	maxSharedText   = 1 << 10
	maxSharedLeaves = 256
	maxSharedBytes  = 16 << 10
)

// resourceFacts is what all spans of a resource share, computed once.
type resourceFacts struct {
	attributes                  attributeSet
	serviceName, serviceVersion string
	release                     string
	python                      bool
	metadata                    []model.MetadataEntry
}

// scopeFacts is what all spans of a scope share, computed once.
type scopeFacts struct {
	name, version string
	attributes    attributeSet
	of            convention // whose scope it is
	sdk           bool
	oldPython     bool // an SDK that called generations spans
	metadata      []model.MetadataEntry
}

// readResource reads the resource of a ResourceSpans, wherever it stands there.
func (m *mapper) readResource(at message) {
	r := &m.resource
	r.attributes.reset()
	c := m.p.fields(at)
	for c.next() {
		if c.tag != tagResource {
			continue
		}
		fields := m.p.fields(c.content)
		for fields.next() {
			if fields.tag == tagResourceAttribute {
				r.attributes.add(&m.p, fields.content)
			}
		}
	}
	r.serviceName = shared(m.text(&r.attributes, serviceName))
	r.serviceVersion = shared(m.text(&r.attributes, serviceVersion))
	r.release = shared(m.text(&r.attributes, vendorRelease))
	r.python = m.text(&r.attributes, sdkLanguage) == "python"
	r.metadata = sharedLeaves(m.carrierMetadata(r.metadata[:0], resourceBucket+".", r.attributes.list))
}

// scopes are the scopes whose spans follow a convention without saying so in their attributes.
var scopes = func() map[string]convention {
	known := map[string]convention{}
	for _, v := range vocabularies {
		if v.scope != "" {
			known[v.scope] = v.of
		}
	}
	return known
}()

// readScope reads the scope of a ScopeSpans, wherever it stands there.
func (m *mapper) readScope(at message) {
	s := &m.scope
	s.attributes.reset()
	s.name, s.version = "", ""
	c := m.p.fields(at)
	for c.next() {
		if c.tag == tagScope {
			m.readScopeFields(c.content)
		}
	}
	s.name, s.version = shared(s.name), shared(s.version)
	s.of = scopes[s.name]
	s.sdk = strings.HasPrefix(s.name, sdkScope)
	s.oldPython = s.name == sdkScope && m.resource.python && before34(s.version)
	s.metadata = s.metadata[:0]
	if s.name != "" {
		s.metadata = append(s.metadata, model.MetadataEntry{Name: scopeBucket + ".name", Value: s.name, Type: model.MetadataString})
	}
	if s.version != "" {
		s.metadata = append(s.metadata, model.MetadataEntry{Name: scopeBucket + ".version", Value: s.version, Type: model.MetadataString})
	}
	s.metadata = sharedLeaves(m.carrierMetadata(s.metadata, scopeBucket+".attributes.", s.attributes.list))
}

// shared cuts text that all rows repeat.
func shared(text string) string {
	if len(text) <= maxSharedText {
		return text
	}
	cut := maxSharedText
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}

// sharedLeaves leaves out what all rows repeat beyond the limits.
func sharedLeaves(leaves []model.MetadataEntry) []model.MetadataEntry {
	room := maxSharedBytes
	kept := leaves[:0]
	for _, leaf := range leaves {
		size := len(leaf.Name) + len(leaf.Value)
		if size <= room && len(kept) < maxSharedLeaves {
			room -= size
			kept = append(kept, leaf)
		}
	}
	return kept
}

func (m *mapper) readScopeFields(at message) {
	s := &m.scope
	c := m.p.fields(at)
	for c.next() {
		switch c.tag {
		case tagScopeName:
			s.name = m.p.string(c.content)
		case tagScopeVersion:
			s.version = m.p.string(c.content)
		case tagScopeAttribute:
			s.attributes.add(&m.p, c.content)
		}
	}
}

// before34 reports whether a version is 3.3.x or older.
func before34(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	x, err := strconv.Atoi(major)
	y, err2 := strconv.Atoi(minor)
	return err == nil && err2 == nil && (x < 3 || x == 3 && y <= 3)
}
