package api

import (
	"encoding/json"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/tracestore"
)

// baselineRequest reads which experiments are compared. Ids and names are repeated, never split: they may have commas.
func (p *params) baselineRequest() query.BaselineRequest {
	req := query.BaselineRequest{Others: p.list("c"), LowerIsBetter: p.list("lowerIsBetter")}
	req.Baseline, _ = p.text("baseline")
	req.Window.From, _ = p.time("fromStartTime")
	req.Window.To, _ = p.time("toStartTime")
	return req
}

// figureJSON says what is compared.
type figureJSON struct {
	Kind tracestore.FigureKind `json:"kind"`
	Name string                `json:"name"`
	Type model.ScoreType       `json:"dataType"`
}

func figureOf(f tracestore.Figure) figureJSON { return figureJSON{f.Kind, f.Name, f.Type} }

// comparedFigureJSON is a figure with what every experiment says of it.
type comparedFigureJSON struct {
	figureJSON
	LowerIsBetter bool               `json:"lowerIsBetter"`
	Experiments   []figureChangeJSON `json:"experiments"`
}

type figureChangeJSON struct {
	ExperimentID string `json:"experimentId"`
	figureMean
	Change *changeJSON `json:"change"` // null of the baseline
}

// figureMean is what the items of an experiment say together.
type figureMean struct {
	Count  uint64           `json:"count"`
	Mean   *float64         `json:"mean"` // null of categories
	Values []valueCountJSON `json:"values"`
}

func meanOf(f tracestore.FigureSummary) figureMean {
	m := figureMean{Count: f.Count, Values: make([]valueCountJSON, len(f.Values))}
	if f.Ordered() {
		m.Mean = &f.Mean
	}
	for i, v := range f.Values {
		m.Values[i] = valueCountJSON(v)
	}
	return m
}

type valueCountJSON struct {
	Value string `json:"value"`
	Count uint64 `json:"count"`
}

// changeJSON is how an experiment differs from the baseline.
type changeJSON struct {
	Paired    uint64        `json:"paired"`
	Improved  uint64        `json:"improved"`
	Regressed uint64        `json:"regressed"`
	Changed   uint64        `json:"changed"`
	Same      uint64        `json:"same"`
	Delta     *float64      `json:"delta"`
	Interval  *intervalJSON `json:"interval"`
	PValue    *float64      `json:"pValue"`
	Test      *string       `json:"test"`
	Summary   string        `json:"summary"`
}

type intervalJSON struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// compareExperiments serves GET /api/public/experiments/compare.
func (s *server) compareExperiments(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	req := p.baselineRequest()
	if err := p.err(); err != nil {
		return err
	}
	answer, err := s.Query.CompareExperiments(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	experiments := make([]experimentJSON, len(answer.Experiments))
	for i, x := range answer.Experiments {
		experiments[i] = experimentRow(query.ScoredExperiment{Experiment: x}, nil)
	}
	figures := make([]comparedFigureJSON, len(answer.Figures))
	for i, f := range answer.Figures {
		figures[i] = comparedFigureJSON{figureOf(f.Figure), f.LowerIsBetter, make([]figureChangeJSON, len(f.Experiments))}
		for j, c := range f.Experiments {
			figures[i].Experiments[j] = figureChangeRow(c)
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"experiments": experiments, "figures": figures})
	return nil
}

func figureChangeRow(c query.FigureChange) figureChangeJSON {
	row := figureChangeJSON{ExperimentID: c.ExperimentID, figureMean: meanOf(c.FigureSummary)}
	if c.IsBaseline {
		return row
	}
	row.Change = &changeJSON{
		Paired: c.Paired, Improved: c.Improved, Regressed: c.Regressed, Changed: c.Rose + c.Fell, Same: c.Stayed,
		PValue: c.P, Test: orNull(c.Test), Summary: c.Summary,
	}
	if c.Paired > 0 && c.Ordered() {
		row.Change.Delta = &c.Delta
	}
	if c.Interval != nil {
		row.Change.Interval = &intervalJSON{c.Interval.Low, c.Interval.High}
	}
	return row
}

// experimentFigures serves GET /api/public/experiments/figures.
func (s *server) experimentFigures(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	var window tracestore.Window
	window.From, _ = p.time("fromStartTime")
	window.To, _ = p.time("toStartTime")
	if err := p.err(); err != nil {
		return err
	}
	list, err := s.Query.ExperimentFigures(r.Context(), caller.Project.ID, p.list("id"), window)
	if err != nil {
		return err
	}
	type experimentFigure struct {
		ExperimentID string `json:"experimentId"`
		figureJSON
		figureMean
	}
	data := make([]experimentFigure, len(list))
	for i, f := range list {
		data[i] = experimentFigure{f.ExperimentID, figureOf(f.Figure), meanOf(f)}
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": data})
	return nil
}

// comparedItemJSON is an item with its runs, those that there are, in the order of the request.
type comparedItemJSON struct {
	ItemID string        `json:"itemId"`
	Runs   []itemRunJSON `json:"runs"`
}

type itemRunJSON struct {
	ExperimentID  string            `json:"experimentId"`
	TraceID       string            `json:"traceId"`
	ObservationID string            `json:"observationId"`
	StartTime     string            `json:"startTime"`
	EndTime       *string           `json:"endTime"`
	Level         model.Level       `json:"level"`
	TotalCost     *json.Number      `json:"totalCost"`
	Figures       []figureValueJSON `json:"figures"`
	*runTexts
}

// runTexts is apart so that texts that were not asked for are absent.
type runTexts struct {
	Input    string `json:"input"`
	Output   string `json:"output"`
	Expected string `json:"expectedOutput"`
	Cut      bool   `json:"cut"`
}

// figureValueJSON is a figure of a run. Delta and change are null without a value in the baseline, and of the baseline.
type figureValueJSON struct {
	figureJSON
	Value  any      `json:"value"`
	Delta  *float64 `json:"delta"`
	Change *string  `json:"change"`
}

// comparedItems serves GET /api/public/experiments/compare/items.
func (s *server) comparedItems(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	groups := p.groups([]string{"core", "io"}, []string{"io"})
	req := query.ComparedItemRequest{
		BaselineRequest: p.baselineRequest(), IO: groups["io"], Number: query.PageNumber{Page: p.number("page", 1), Limit: p.number("limit", 50)},
	}
	visibility, _ := p.choice("itemVisibility", []string{"baseline-only", "all"})
	only, _ := p.choice("only", []string{"regressions"})
	order, _ := p.choice("orderBy", []string{"start", "worst"})
	req.All, req.Regressions, req.WorstFirst = visibility == "all", only == "regressions", order == "worst"
	req.Score, _ = p.text("score")
	req.Search, _ = p.text("q")
	req.ItemID, _ = p.text("itemId")
	if err := p.err(); err != nil {
		return err
	}
	page, err := s.Query.ComparedItems(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	data := make([]comparedItemJSON, len(page.List))
	for i, item := range page.List {
		data[i] = comparedItemRow(req, item)
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": data, "meta": metaOf(req.Number.Page, req.Number.Limit, int(page.Total))})
	return nil
}

func comparedItemRow(req query.ComparedItemRequest, item tracestore.ComparedItem) comparedItemJSON {
	row := comparedItemJSON{ItemID: item.ItemID, Runs: make([]itemRunJSON, len(item.Runs))}
	baseline := map[tracestore.Figure]tracestore.FigureValue{}
	for i, run := range item.Runs {
		shown := itemRunJSON{
			ExperimentID: run.ExperimentID, TraceID: run.TraceID, ObservationID: run.ID, StartTime: stamp(run.StartTime), EndTime: stampOrNull(run.EndTime),
			Level: run.Level, Figures: make([]figureValueJSON, len(run.Figures)),
		}
		if run.Cost.Valid {
			cost := json.Number(run.Cost.Decimal.String())
			shown.TotalCost = &cost
		}
		if req.IO {
			shown.runTexts = &runTexts{run.Input, run.Output, run.Expected, run.Cut}
		}
		isBaseline := run.ExperimentID == req.Baseline
		for j, v := range run.Figures {
			shown.Figures[j] = figureValueJSON{figureJSON: figureOf(v.Figure), Value: v.Number}
			if !v.Ordered() {
				shown.Figures[j].Value = v.Text
			}
			base, paired := baseline[v.Figure]
			if isBaseline {
				baseline[v.Figure] = v
			} else if paired {
				shown.Figures[j].compare(v, base, tracestore.ComparedItemQuery{LowerIsBetter: req.LowerIsBetter})
			}
		}
		row.Runs[i] = shown
	}
	return row
}

// compare fills in how a value differs from that of the baseline.
func (f *figureValueJSON) compare(v, base tracestore.FigureValue, q tracestore.ComparedItemQuery) {
	delta, sign := v.Change(base)
	change := "improved"
	switch {
	case sign == 0:
		change = "same"
	case !v.Ordered():
		change = "changed"
	case q.Worse(v, base):
		change = "regressed"
	}
	f.Change = &change
	if v.Ordered() {
		f.Delta = &delta
	}
}
