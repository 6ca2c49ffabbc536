// Package pricing completes observations with what they cost: it finds the definition of the model
// they name, counts tokens where the client gave none, and prices their usage.
//
// Promise: a cost or usage that the client gave is never changed. Everything else is computed from
// the row itself and from definitions at most a second old, so pricing a row again gives what
// today's prices give. Nothing here stops a row: without a metadata database the last known
// definitions are used, and without those the built-in ones.
package pricing

import (
	"context"
	"log/slog"
	"time"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/price"
	"github.com/sondehq/sonde/internal/tokens"
)

// Definitions reads the model definitions of a project; metastore.Models does.
type Definitions interface {
	Models(ctx context.Context, projectID string) ([]price.Definition, error)
}

// Pricer prices observations. It is safe for concurrent use.
type Pricer struct {
	builtin  *price.List
	projects *projects
	logger   *slog.Logger
}

// New makes a pricer of the built-in definitions and those of projects.
func New(builtin *price.List, definitions Definitions, logger *slog.Logger) *Pricer {
	return &Pricer{builtin: builtin, projects: newProjects(definitions, logger), logger: logger}
}

// Apply sets model definition, cost, tier and, where it may be counted, usage of every row, in
// place. Rows that were priced before lose what that gave them and are priced anew; counted usage
// stays. It fails only when ctx ends.
func (p *Pricer) Apply(ctx context.Context, rows []*model.Observation) error {
	var own *project
	last := ""
	for _, o := range rows {
		clearPriced(o)
		if o.Model == "" || o.Deleted {
			continue
		}
		if own == nil || o.ProjectID != last {
			own, last = p.projects.get(ctx, o.ProjectID), o.ProjectID
		}
		p.price(ctx, o, own)
	}
	return ctx.Err()
}

// Definition returns the definition with an id that a project sees, its own or a built-in one; nil
// when there is none any more.
func (p *Pricer) Definition(ctx context.Context, projectID, id string) *price.Definition {
	if id == "" {
		return nil
	}
	if d := p.projects.get(ctx, projectID).definitions().ByID(id); d != nil {
		return d
	}
	return p.builtin.ByID(id)
}

// clearPriced takes back what pricing has set, and names the origin of what is left.
func clearPriced(o *model.Observation) {
	if o.CostOrigin == model.Priced {
		o.CostDetails, o.CostOrigin = nil, ""
	}
	if len(o.CostDetails) > 0 && o.CostOrigin == "" {
		o.CostOrigin = model.Provided
	}
	if len(o.UsageDetails) > 0 && o.UsageOrigin == "" {
		o.UsageOrigin = model.Provided
	}
	o.ModelID, o.PricingTierID, o.PricingTier = "", "", ""
}

func (p *Pricer) price(ctx context.Context, o *model.Observation, own *project) {
	d := own.definitions().Match(o.Model, o.StartTime)
	if d == nil {
		d = p.builtin.Match(o.Model, o.StartTime)
	}
	if d == nil {
		return
	}
	o.ModelID = d.ID
	if len(o.CostDetails) > 0 {
		return
	}
	if len(o.UsageDetails) == 0 && o.Level != model.Error && d.Tokenizer == "openai" {
		p.count(ctx, o, d, own)
	}
	costs, tier := d.Price(price.Subject{Usage: o.UsageDetails, Parameters: o.ModelParameters, Metadata: o.Metadata})
	if tier == nil {
		return
	}
	o.PricingTierID, o.PricingTier = tier.ID, tier.Name
	if len(costs) > 0 {
		o.CostDetails, o.CostOrigin = costs, model.Priced
	}
}

// count sets the usage from the text of the row. A text that is too long, or a project that has
// used up its share of time, leaves it without usage.
func (p *Pricer) count(ctx context.Context, o *model.Observation, d *price.Definition, own *project) {
	if o.Input == "" && o.Output == "" {
		return
	}
	encoding := p.encoding(o, d)
	tokens.Load(encoding) // on nobody's share
	begin := time.Now()
	share := own.share(begin)
	if share <= 0 {
		own.complain(ctx, p.logger, begin)
		return
	}
	usage := make(map[string]uint64, 3)
	for _, side := range []struct{ key, text string }{{"input", o.Input}, {"output", o.Output}} {
		if side.text == "" {
			continue
		}
		n, err := tokens.Count(encoding, side.text, begin.Add(share))
		if err != nil {
			usage = nil
			break
		}
		usage[side.key] = n
		usage[model.TotalKey] += n
	}
	own.spend(time.Since(begin))
	if len(usage) > 0 {
		o.UsageDetails, o.UsageOrigin = usage, model.Tokenized
	}
}

// encoding is the one of the definition; a project's own has none, so the built-in definition of
// the model is asked.
func (p *Pricer) encoding(o *model.Observation, d *price.Definition) string {
	if d.Encoding == "" {
		if known := p.builtin.Match(o.Model, o.StartTime); known != nil {
			return known.Encoding
		}
	}
	return d.Encoding
}
