package model_test

import (
	"testing"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp/otlptest"
)

func TestExperimentIDsAreThoseOfClients(t *testing.T) {
	t.Parallel()
	_, ids := otlptest.ExtraCases()
	if len(ids) != 2 {
		t.Errorf("%d vectors, want 2", len(ids))
	}
	for _, v := range ids {
		if got := model.ExperimentID(v.Project, v.Dataset, v.Run); got != v.Wanted {
			t.Errorf("%s: %s, want %s", v.ID, got, v.Wanted)
		}
	}
	if model.ExperimentID("p", "d", "\b\t\n\f\r\v\x01\"\\") == model.ExperimentID("p", "d", "") {
		t.Error("control characters do not count")
	}
}
