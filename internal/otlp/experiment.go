package otlp

import (
	"time"

	"github.com/sondehq/sonde/internal/model"
)

// What the SDKs write on spans that run an experiment.
const (
	experimentID = experimentKeys + iota
	experimentName
	experimentDescription
	experimentDataset
	experimentMetadata
	itemID
	itemVersion
	itemMetadata
	itemRoot
	itemExpectedOutput

	experimentKeyCount = iota
)

// experimentVocabulary is spelled without langfuse. or sonde.
var experimentVocabulary = vocabulary{
	of: experiments,
	words: []word{
		{"experiment.id", experimentID, stays},
		{"experiment.name", experimentName, stays},
		{"experiment.description", experimentDescription, stays},
		{"experiment.dataset.id", experimentDataset, stays},
		{"experiment.metadata", experimentMetadata, stays},
		{"experiment.item.id", itemID, stays},
		{"experiment.item.version", itemVersion, stays},
		{"experiment.item.metadata", itemMetadata, stays},
		{"experiment.item.root_observation_id", itemRoot, stays},
		{"experiment.item.expected_output", itemExpectedOutput, stays},
	},
	prefixes: []prefix{
		{text: "experiment.metadata.", domain: ofExperiment},
		{text: "experiment.item.metadata.", domain: ofItem},
	},
}

// setExperiment ties a row to the experiment that its span names.
func (m *mapper) setExperiment(o *model.Observation) {
	if !m.follows(experiments) {
		return
	}
	a := &m.span.attributes
	e := model.Experiment{
		ID:                 m.text(a, experimentID),
		Name:               m.text(a, experimentName),
		Description:        m.text(a, experimentDescription),
		DatasetID:          m.text(a, experimentDataset),
		ItemID:             m.text(a, itemID),
		ItemRootID:         m.text(a, itemRoot),
		ItemExpectedOutput: m.text(a, itemExpectedOutput),
	}
	if a.has(itemVersion) {
		e.ItemVersion = readTime(m.unquote(m.text(a, itemVersion)))
	}
	e.Metadata = m.experimentLeaves(ofExperiment, experimentMetadata)
	e.ItemMetadata = m.experimentLeaves(ofItem, itemMetadata)
	if e.ID == "" && e.Name == "" && e.Description == "" && e.DatasetID == "" && e.ItemID == "" && e.ItemRootID == "" &&
		e.ItemExpectedOutput == "" && e.ItemVersion.IsZero() && e.Metadata == nil && e.ItemMetadata == nil {
		return
	}
	o.Experiment = &e
}

// experimentLeaves reads the metadata of an experiment or of an item, which is decoded like that
// of an observation.
func (m *mapper) experimentLeaves(d domain, whole key) []model.MetadataEntry {
	b := &m.metadata
	b.reset()
	m.clientKeys(d, whole)
	for i := range b.keys {
		m.flattenKey(&b.keys[i])
	}
	if b.nested {
		b.leaves = b.firstOnly(0)
	}
	if len(b.leaves) == 0 {
		return nil
	}
	return append(make([]model.MetadataEntry, 0, len(b.leaves)), b.leaves...)
}

// timeLayouts are the ISO forms clients use; a time without a zone is UTC.
var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999", time.DateOnly,
}

// readTime reads a time; one that is unreadable or out of the range of spans is none.
func readTime(text string) time.Time {
	for _, layout := range timeLayouts {
		t, err := time.Parse(layout, text)
		if t = t.UTC(); err == nil && t.Year() >= 1970 && t.Year() < 2100 {
			return t.Truncate(time.Millisecond)
		}
	}
	return time.Time{}
}
