package otlp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp/otlptest"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

// TestCapturedExperiments reads what the runs of real SDKs become: experiments, and their items.
func TestCapturedExperiments(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	runs := 0
	for _, c := range otlptest.Captures() {
		store := &tracestoretest.Memory{}
		for _, b := range c.Bodies {
			if err := store.Insert(t.Context(), mapAll(t, parseBody(t, b))); err != nil {
				t.Fatal(err)
			}
		}
		if listing := experimentListing(t, store, testSource().ProjectID); listing != "" {
			runs++
			text.WriteString("== " + c.Name + "\n" + listing)
		}
	}
	testkit.Golden(t, "testdata/experiments.golden", []byte(text.String()))
	if runs < 5 {
		t.Errorf("only %d captures with experiments", runs)
	}
}

func experimentListing(t *testing.T, store *tracestoretest.Memory, project string) string {
	t.Helper()
	experiments, err := store.Experiments(t.Context(), tracestore.ExperimentQuery{ProjectID: project, Limit: 100, Metadata: true})
	if err != nil {
		t.Fatal(err)
	}
	items, err := store.ExperimentItems(t.Context(), tracestore.ExperimentItemQuery{ProjectID: project, Limit: 100, Metadata: true, IO: true})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, x := range experiments {
		fmt.Fprintf(&text, "experiment %s %q, about %q, dataset %q, %d items, %s to %s\n", x.ID, x.Name, x.Description, x.DatasetID, x.Items,
			x.Start.Format("15:04:05.000"), x.End.Format("15:04:05.000"))
		text.WriteString(entriesListing("metadata", x.Metadata))
		for _, item := range items {
			if item.Experiment.ID == x.ID {
				text.WriteString(itemListing(item))
			}
		}
	}
	return text.String()
}

func itemListing(item *tracestore.ExperimentItem) string {
	x := item.Experiment
	version := "none"
	if !x.ItemVersion.IsZero() {
		version = x.ItemVersion.Format("2006-01-02T15:04:05.000Z07:00")
	}
	return fmt.Sprintf("  item %s, observation %s, %s, %s, version %s\n    input %q\n    output %q\n    expected %q\n",
		x.ItemID, item.ID, item.Level, item.Environment, version, item.Input, item.Output, x.ItemExpectedOutput) +
		entriesListing("  metadata", x.ItemMetadata)
}

func entriesListing(name string, entries []model.MetadataEntry) string {
	var text strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&text, "  %s %s = %q, type %d\n", name, e.Name, e.Value, e.Type)
	}
	return text.String()
}
