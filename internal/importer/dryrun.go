package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// counter only counts rows.
type counter struct{ tally Tally }

func (c *counter) begin() { c.tally = Tally{} }

func (c *counter) row(_ context.Context, raw json.RawMessage) error {
	var o observation
	if err := json.Unmarshal(raw, &o); err != nil {
		return fmt.Errorf("the source answers with a row that cannot be read: %w", err)
	}
	c.tally.add(o.tally())
	return nil
}

func (c *counter) end(context.Context) (Tally, error) { return c.tally, nil }

// counts are the steps of an import that writes nothing.
func (im *importer) counts() []step {
	few := func(path string) func(context.Context, *Step) error {
		return func(ctx context.Context, s *Step) error { return im.countFew(ctx, s, path) }
	}
	return []step{
		{kindModels, kindModels, func(ctx context.Context, s *Step) error {
			list, err := all(ctx, im.source, modelsPath, nil, (*modelDefinition).id)
			for _, m := range list {
				if !m.IsLangfuseManaged {
					s.Tally.Rows++
				}
			}
			return err
		}},
		{kindPrompts, kindPrompts, func(ctx context.Context, s *Step) error {
			list, err := all(ctx, im.source, promptsPath, nil, (*listedPrompt).name)
			for _, p := range list {
				s.Tally.Rows += len(p.Versions)
			}
			return err
		}},
		{kindDatasets, kindDatasets, few(datasetsPath)},
		{kindItems, kindDatasets, few(itemsPath)},
		{kindTraces, kindTraces, func(ctx context.Context, s *Step) error {
			l, err := choose(ctx, im.source, newerObservations, olderObservations)
			if err != nil || l.cursors {
				return err
			}
			return im.countRows(ctx, kindTraces, s, olderTraces)
		}},
		{kindObservations, kindTraces, func(ctx context.Context, s *Step) error {
			return im.countRows(ctx, kindObservations, s, newerObservations, olderObservations)
		}},
		{kindConfigs, kindScores, few(configsPath)},
		{kindScores, kindScores, func(ctx context.Context, s *Step) error {
			return im.countRows(ctx, kindScores, s, newerScores, olderScores, oldestScores)
		}},
	}
}

func (im *importer) countFew(ctx context.Context, s *Step, path string) error {
	var answer struct{ Meta meta }
	err := im.source.get(ctx, path, url.Values{"limit": {"1"}, "page": {"1"}}, &answer)
	if refusedWith(err, http.StatusNotFound) {
		return nil
	}
	s.Tally.Rows = answer.Meta.TotalItems
	return err
}

// countRows asks for the number, or reads ids where the source does not tell it.
func (im *importer) countRows(ctx context.Context, kind string, s *Step, lists ...list) error {
	l, err := choose(ctx, im.source, lists...)
	if err != nil {
		return err
	}
	if !l.cursors {
		w := walker{source: im.source, list: l, step: &Step{Next: im.state.Since, End: im.state.Until}}
		s.Tally.Rows, err = w.count(ctx)
		return err
	}
	l.query = url.Values{}
	if l.path == newerObservations.path {
		l.limit, l.query = 1000, url.Values{"fields": {"core"}}
	}
	return im.walk(ctx, kind, s, l, &counter{}, nil)
}
