package filter

import "slices"

// EvaluationRules is the catalog of evaluation rules: observations without the columns that are found by search. Clients name
// the dataset of an experiment datasetId here.
var EvaluationRules = evaluationRules()

func evaluationRules() Catalog {
	searched := []Column{Input, Output, HasInput, HasOutput}
	all := slices.DeleteFunc(slices.Clone(Observations), func(f Field) bool { return slices.Contains(searched, f.Column) })
	for i, f := range all {
		if f.Column == ExperimentDatasetID {
			all[i].Aliases = append(slices.Clone(f.Aliases), "datasetId")
		}
	}
	return all
}
