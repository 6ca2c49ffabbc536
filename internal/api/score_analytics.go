package api

import (
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
)

// scoreRange reads the range that a read of many scores is bounded by.
func (p *params) scoreRange() (r query.ScoreRange) {
	for _, key := range []string{"fromTimestamp", "toTimestamp"} {
		text, _ := p.text(key)
		at, ok := filter.ParseTime(text)
		switch {
		case text == "":
			p.invalid(key, "must be given: this read is bounded by a range of time")
		case !ok:
			p.invalid(key, "must be a date or a date-time, such as 2026-05-01 or 2026-05-01T10:00:00.000Z")
		case key == "fromTimestamp":
			r.From = at
		default:
			r.To = at
		}
	}
	return r
}

type scoreKindJSON struct {
	Name         string            `json:"name"`
	DataType     model.ScoreType   `json:"dataType"`
	Source       model.ScoreSource `json:"source"`
	AuthorUserID *string           `json:"authorUserId"`
	Count        uint64            `json:"count"`
}

// scoreKinds serves GET /api/public/score-kinds.
func (s *server) scoreKinds(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	within, limit := p.scoreRange(), p.number("limit", query.DefaultScoreKinds)
	advanced, _ := p.text("filter")
	if err := p.err(); err != nil {
		return err
	}
	kinds, err := s.Query.ScoreKinds(r.Context(), caller.Project.ID, within, advanced, limit)
	if err != nil {
		return err
	}
	data := make([]scoreKindJSON, len(kinds))
	for i, k := range kinds {
		data[i] = scoreKindJSON{k.Name, k.Type, k.Source, orNull(k.AuthorUserID), k.Count}
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": data})
	return nil
}

type scoreBandJSON struct {
	Label string   `json:"label"`
	From  *float64 `json:"from"`
	To    *float64 `json:"to"`
	Count uint64   `json:"count"`
}

type scoreBucketJSON struct {
	Time   string   `json:"time"`
	Count  uint64   `json:"count"`
	Mean   *float64 `json:"mean"`
	Counts []uint64 `json:"counts"`
}

type scoreSideJSON struct {
	DataType     *string           `json:"dataType"`
	Count        uint64            `json:"count"`
	Mean         *float64          `json:"mean"`
	Median       *float64          `json:"median"`
	Min          *float64          `json:"min"`
	Max          *float64          `json:"max"`
	Distribution []scoreBandJSON   `json:"distribution"`
	Trend        []scoreBucketJSON `json:"trend"`
}

func scoreSideOf(s query.ScoreSide) scoreSideJSON {
	side := scoreSideJSON{
		DataType: orNull(string(s.Type)), Count: s.Count, Mean: s.Mean, Median: s.Median, Min: s.Min, Max: s.Max,
		Distribution: make([]scoreBandJSON, len(s.Distribution)), Trend: make([]scoreBucketJSON, len(s.Trend)),
	}
	for i, band := range s.Distribution {
		side.Distribution[i] = scoreBandJSON(band)
	}
	for i, bucket := range s.Trend {
		side.Trend[i] = scoreBucketJSON{stamp(bucket.Start), bucket.Count, bucket.Mean, bucket.Counts}
	}
	return side
}

type agreementJSON struct {
	Pairs             uint64     `json:"pairs"`
	OnlyA             uint64     `json:"onlyA"`
	OnlyB             uint64     `json:"onlyB"`
	Share             *float64   `json:"share"`
	ExpectedShare     *float64   `json:"expectedShare"`
	Kappa             *float64   `json:"kappa"`
	WeightedKappa     *float64   `json:"weightedKappa"`
	Pearson           *float64   `json:"pearson"`
	Spearman          *float64   `json:"spearman"`
	MeanAbsoluteError *float64   `json:"meanAbsoluteError"`
	Matrix            matrixJSON `json:"matrix"`
}

type matrixJSON struct {
	A      []string   `json:"a"`
	B      []string   `json:"b"`
	Counts [][]uint64 `json:"counts"`
}

func agreementJSONOf(a query.Agreement) *agreementJSON {
	return &agreementJSON{
		Pairs: a.Pairs, OnlyA: a.OnlyA, OnlyB: a.OnlyB, Share: a.Share, ExpectedShare: a.ExpectedShare, Kappa: a.Kappa, WeightedKappa: a.WeightedKappa,
		Pearson: a.Pearson, Spearman: a.Spearman, MeanAbsoluteError: a.MeanAbsoluteError,
		Matrix: matrixJSON{A: append([]string{}, a.Matrix.A...), B: append([]string{}, a.Matrix.B...), Counts: append([][]uint64{}, a.Matrix.Counts...)},
	}
}

// scoreAnalytics serves GET /api/public/score-analytics.
func (s *server) scoreAnalytics(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	req := query.AnalyticsRequest{Range: p.scoreRange(), Buckets: p.number("buckets", query.DefaultScoreBuckets)}
	req.A, _ = p.text("a")
	req.B, _ = p.text("b")
	if req.A == "" {
		p.invalid("a", "must say which scores are looked at, such as [{\"type\":\"string\",\"column\":\"name\",\"operator\":\"=\",\"value\":\"helpful\"}]")
	}
	if err := p.err(); err != nil {
		return err
	}
	got, err := s.Query.ScoreAnalytics(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	var answer struct {
		A         scoreSideJSON  `json:"a"`
		B         *scoreSideJSON `json:"b"`
		Agreement *agreementJSON `json:"agreement"`
		Meta      struct {
			BucketSeconds int64 `json:"bucketSeconds"`
		} `json:"meta"`
	}
	answer.A, answer.Meta.BucketSeconds = scoreSideOf(got.A), int64(got.Width.Seconds())
	if got.B != nil {
		side := scoreSideOf(*got.B)
		answer.B = &side
	}
	if got.Agreement != nil {
		answer.Agreement = agreementJSONOf(*got.Agreement)
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}
