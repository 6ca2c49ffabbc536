package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/shopspring/decimal"
)

// Report compares both sides.
type Report struct {
	DryRun bool
	Kinds  []KindReport
	// Source and Target are the sums over observations in the range of the import; Target is nil when it was not asked.
	Source Tally
	Target *Tally
}

// KindReport is about one kind.
type KindReport struct {
	Kind    string
	Source  int
	Target  int // -1: the target does not count them
	Refused int
	Changed int
	Comparison
}

// Differs reports whether anything is not as it is in the source.
func (r *Report) Differs() bool {
	for i := range r.Kinds {
		k := &r.Kinds[i]
		if k.Refused+k.Changed+k.Missing+k.Different > 0 || k.Target >= 0 && k.Target < k.Source {
			return true
		}
	}
	return r.Target != nil && r.sumsDiffer()
}

// sumsDiffer holds the sums against each other. A target that has more rows than the source may have more of everything.
func (r *Report) sumsDiffer() bool {
	s, t := r.Source, *r.Target
	for i := range r.Kinds {
		if k := &r.Kinds[i]; k.Kind == kindObservations && k.Target == k.Source {
			return t.Cost.Sub(s.Cost).Abs().GreaterThan(costSlack) || t.Usage != s.Usage
		}
	}
	return t.Cost.LessThan(s.Cost.Sub(costSlack)) || t.Usage.Input < s.Usage.Input || t.Usage.Output < s.Usage.Output || t.Usage.Total < s.Usage.Total
}

// costSlack is what sums of floating point numbers may be off by.
var costSlack = decimal.New(1, -6)

// Write prints the report for people.
func (r *Report) Write(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if r.DryRun {
		fmt.Fprintln(table, "\tsource\t")
		for _, k := range r.Kinds {
			fmt.Fprintf(table, "%s\t%d\t\n", k.Kind, k.Source)
		}
		return table.Flush()
	}
	fmt.Fprintln(table, "\tsource\ttarget\trefused\tchanged\tcompared\tmissing\tdifferent\t")
	for _, k := range r.Kinds {
		fmt.Fprintf(table, "%s\t%d\t%s\t%d\t%d\t%d\t%d\t%d\t\n", k.Kind, k.Source, counted(k.Target), k.Refused, k.Changed, k.Compared, k.Missing, k.Different)
	}
	if r.Target != nil {
		fmt.Fprintf(table, "cost, US dollars\t%s\t%s\t\n", r.Source.Cost.Round(costPlaces), r.Target.Cost.Round(costPlaces))
		for _, u := range []struct {
			name           string
			source, target uint64
		}{
			{"input usage", r.Source.Usage.Input, r.Target.Usage.Input},
			{"output usage", r.Source.Usage.Output, r.Target.Usage.Output},
			{"total usage", r.Source.Usage.Total, r.Target.Usage.Total},
		} {
			fmt.Fprintf(table, "%s\t%d\t%d\t\n", u.name, u.source, u.target)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, k := range r.Kinds {
		for _, f := range k.Findings {
			fmt.Fprintf(w, "%s %s: %s\n", strings.TrimSuffix(k.Kind, "s"), f.ID, f.What)
		}
	}
	return nil
}

func counted(n int) string {
	if n < 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// reported are the kinds of the report in their order.
var reported = []string{kindModels, kindPrompts, kindDatasets, kindItems, kindRuns, kindTraces, kindObservations, kindConfigs, kindScores}

// report fills in what both sides have.
func (im *importer) report(ctx context.Context, r *Report) error {
	for _, kind := range reported {
		s := im.state.Steps[kind]
		if s == nil || kind == kindTraces && s.Tally.Rows == 0 { // newer servers have none apart from observations
			continue
		}
		k := KindReport{Kind: kind, Source: s.Tally.Rows, Target: -1, Refused: s.Refused, Changed: s.Changed}
		for _, f := range s.RefusedFirst {
			k.find(f.ID, "refused: %s", f.What)
		}
		if kind == kindObservations {
			r.Source = s.Tally
		}
		r.Kinds = append(r.Kinds, k)
	}
	if im.config.DryRun {
		return nil
	}
	for i := range r.Kinds {
		k := &r.Kinds[i]
		if err := im.count(ctx, k); err != nil {
			return err
		}
		goesByTime := k.Kind == kindTraces || k.Kind == kindObservations || k.Kind == kindScores
		if !goesByTime || im.config.Verify == VerifyOff {
			continue
		}
		found, err := im.verify(ctx, k.Kind, im.state.step(k.Kind))
		found.Findings = append(k.Findings, found.Findings...)
		k.Comparison = found
		if err != nil {
			return err
		}
	}
	if im.state.Steps[kindObservations] == nil {
		return nil
	}
	sums, err := im.sums(ctx)
	r.Target = sums
	return err
}

// count asks the target how many it has. What it has accepted shows up a moment later.
func (im *importer) count(ctx context.Context, k *KindReport) error {
	for until := time.Now().Add(settling); ; {
		n, err := im.countOnce(ctx, k.Kind)
		if err != nil {
			return err
		}
		k.Target = n
		if n < 0 || n >= k.Source-k.Refused || time.Now().After(until) {
			return nil
		}
		im.progress(Progress{What: "waiting for " + k.Kind + " to be readable", Rows: n})
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// countOnce is how many of a kind the target has in the range of the import, -1 when it does not tell.
func (im *importer) countOnce(ctx context.Context, kind string) (int, error) {
	first := func(path string, query url.Values) (int, error) {
		query.Set("limit", "1")
		query.Set("page", "1")
		var answer struct{ Meta meta }
		err := im.target.get(ctx, path, query, &answer)
		if refusedWith(err, http.StatusNotFound) { // the older reads can be switched off
			return -1, nil
		}
		return answer.Meta.TotalItems, err
	}
	within := func(l list) url.Values {
		return url.Values{l.from: {stamp(im.state.Since)}, l.to: {stamp(im.state.Until)}}
	}
	switch kind {
	case kindModels:
		list, err := all(ctx, im.target, modelsPath, nil, (*modelDefinition).id)
		own := 0
		for _, m := range list {
			if !m.IsLangfuseManaged {
				own++
			}
		}
		return own, err
	case kindPrompts:
		list, err := all(ctx, im.target, promptsPath, nil, (*listedPrompt).name)
		versions := 0
		for _, p := range list {
			versions += len(p.Versions)
		}
		return versions, err
	case kindDatasets:
		return first(datasetsPath, url.Values{})
	case kindItems:
		return first(itemsPath, url.Values{})
	case kindTraces:
		return first(olderTraces.path, within(olderTraces))
	case kindObservations:
		return first(olderObservations.path, within(olderObservations))
	case kindConfigs:
		return first(configsPath, url.Values{})
	case kindScores:
		return first(olderScores.path, within(olderScores))
	}
	return -1, nil
}

// sums asks the target for cost and usage of all observations in the range.
func (im *importer) sums(ctx context.Context) (*Tally, error) {
	measures := []string{"totalCost", "inputTokens", "outputTokens", "totalTokens"}
	metrics := make([]map[string]string, len(measures))
	for i, measure := range measures {
		metrics[i] = map[string]string{"measure": measure, "aggregation": "sum"}
	}
	query, err := encode(map[string]any{
		"view": "observations", "metrics": metrics, "fromTimestamp": stamp(im.state.Since), "toTimestamp": stamp(im.state.Until.Add(-time.Millisecond)),
	})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data []struct {
			Cost   json.Number `json:"sum_totalCost"`
			Input  json.Number `json:"sum_inputTokens"`
			Output json.Number `json:"sum_outputTokens"`
			Total  json.Number `json:"sum_totalTokens"`
		}
	}
	if err := im.target.get(ctx, "/api/public/v2/metrics", url.Values{"query": {string(query)}}, &answer); err != nil {
		return nil, fmt.Errorf("ask the target for sums: %w", err)
	}
	t := &Tally{}
	if len(answer.Data) == 0 {
		return t, nil
	}
	row := answer.Data[0]
	amount := func(n json.Number) decimal.Decimal {
		d, err := decimal.NewFromString(n.String())
		if err != nil {
			return decimal.Zero // null: there is nothing to add up
		}
		return d
	}
	t.Cost = amount(row.Cost)
	t.Usage = Usage{Input: amount(row.Input).BigInt().Uint64(), Output: amount(row.Output).BigInt().Uint64(), Total: amount(row.Total).BigInt().Uint64()}
	return t, nil
}
