package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// How much there is to review.
const (
	reviewedTraces = 120 // that two readers have rated
	queuedTraces   = 12
	queuedSpans    = 3
)

// tones are the categories that readers choose from.
var tones = []map[string]any{{"label": "Rude", "value": 0}, {"label": "Neutral", "value": 1}, {"label": "Kind", "value": 2}}

// sendReviews makes what people review by: score configs, two queues, and the ratings of two readers, who agree partly.
// What is there already by name is left as it is.
func (d *demo) sendReviews(ctx context.Context) error {
	configs := map[string]string{}
	for _, config := range []map[string]any{
		{"name": "tone", "dataType": "CATEGORICAL", "categories": tones, "description": "How does the answer sound to the customer?"},
		{"name": "tone-second-reader", "dataType": "CATEGORICAL", "categories": tones, "description": "The same, read by somebody else."},
		{"name": "resolved", "dataType": "BOOLEAN", "description": "Could the customer go on with this answer?"},
		{"name": "accuracy", "dataType": "NUMERIC", "minValue": 0, "maxValue": 5},
	} {
		id, err := d.named(ctx, "/api/public/score-configs", config)
		if err != nil {
			return err
		}
		configs[fmt.Sprint(config["name"])] = id
	}
	traces := d.judgedTraces()
	if err := d.queueItems(ctx, traces, configs); err != nil {
		return err
	}
	return d.sendRatings(ctx, traces[:min(reviewedTraces, len(traces))], configs)
}

// judged is a trace with a score, and the observation that it is about.
type judged struct{ trace, observation string }

func (d *demo) judgedTraces() (list []judged) {
	for _, s := range d.scores {
		if s.name == "helpfulness" {
			list = append(list, judged{s.trace, s.observation})
		}
	}
	return list
}

func (d *demo) queueItems(ctx context.Context, traces []judged, configs map[string]string) error {
	const queues = "/api/public/annotation-queues"
	known, err := d.client.list(ctx, queues)
	if err != nil || known["Support answers"] != "" {
		return err
	}
	queue, err := d.client.create(ctx, queues, map[string]any{
		"name": "Support answers", "description": "Ten a day keep the prompt honest.", "scoreConfigIds": []string{configs["tone"], configs["resolved"], configs["accuracy"]},
	})
	if err != nil {
		return err
	}
	if _, err := d.client.create(ctx, queues, map[string]any{"name": "Escalations", "scoreConfigIds": []string{configs["resolved"]}}); err != nil {
		return err
	}
	for i, t := range traces[:min(queuedTraces+queuedSpans, len(traces))] {
		item := map[string]any{"objectType": "TRACE", "objectId": t.trace}
		if i >= queuedTraces {
			item = map[string]any{"objectType": "OBSERVATION", "objectId": t.observation}
		}
		if err := d.client.post(ctx, queues+"/"+queue+"/items", item); err != nil {
			return err
		}
	}
	if d.Volume.Sessions == 0 {
		return nil
	}
	return d.client.post(ctx, queues+"/"+queue+"/items", map[string]any{"objectType": "SESSION", "objectId": "visit-0001"})
}

// sendRatings has draws of its own, so that the rest of the data is what it would be without it.
func (d *demo) sendRatings(ctx context.Context, traces []judged, configs map[string]string) error {
	draw := rand.New(rand.NewPCG(d.Seed, 62))
	for i, t := range traces {
		first := draw.IntN(len(tones))
		second := first
		if draw.IntN(4) == 0 {
			second = min(len(tones)-1, first+1)
		}
		for name, tone := range map[string]int{"tone": first, "tone-second-reader": second} {
			err := d.client.post(ctx, "/api/public/scores", map[string]any{
				"id": fmt.Sprintf("demo-%d-%s-%s", d.Seed, t.trace, name), "traceId": t.trace, "name": name, "value": tones[tone]["label"],
				"configId": configs[name], "source": "ANNOTATION", "environment": "production",
				"timestamp": d.Until.Add(-time.Duration(i) * time.Hour).UTC().Format(time.RFC3339),
			})
			if err != nil {
				return err
			}
			d.summary.Scores++
		}
		d.report(i+1, len(traces))
	}
	return nil
}

// named makes something unless there is something of that name, and returns its id.
func (d *demo) named(ctx context.Context, path string, body map[string]any) (string, error) {
	known, err := d.client.list(ctx, path)
	if id := known[fmt.Sprint(body["name"])]; err != nil || id != "" {
		return id, err
	}
	return d.client.create(ctx, path, body)
}

// list reads the ids of what there is, by name.
func (c *client) list(ctx context.Context, path string) (map[string]string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path+"?limit=100", http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("%s is no address: %w", c.base, err)
	}
	request.SetBasicAuth(c.public, c.private)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("the server does not answer; is it running at %s? %w", c.base, err)
	}
	defer response.Body.Close()
	var page struct {
		Data []struct{ ID, Name string }
	}
	if err := json.NewDecoder(response.Body).Decode(&page); err != nil {
		return nil, fmt.Errorf("GET %s: %s: the answer is not what it should be: %w", path, response.Status, err)
	}
	ids := map[string]string{}
	for _, one := range page.Data {
		ids[one.Name] = one.ID
	}
	return ids, nil
}
