package app

import (
	"context"
	"strings"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/oidc"
	"github.com/sondehq/sonde/internal/seal"
)

// openProvider makes the provider through which people sign in. It is not asked for anything yet: a server starts
// without it.
func (n *node) openProvider(ctx context.Context) error {
	c := n.config.OIDC
	if c.Issuer == "" {
		return nil
	}
	// A key of its own: strangers make it seal as often as they like.
	secret, err := n.meta.Secret(ctx, "oidc")
	if err != nil {
		return err
	}
	box, err := seal.NewBox(secret)
	if err != nil {
		return err
	}
	if strings.HasPrefix(c.Issuer, "http://") {
		n.logger.WarnContext(ctx, "the sign-in provider is asked without TLS; whoever can listen there can sign in as anybody", "issuer", c.Issuer)
	}
	n.oidc = &api.OIDC{
		Name:      c.Name,
		Provider:  oidc.New(oidc.Settings{Issuer: c.Issuer, ClientID: c.ClientID, ClientSecret: c.ClientSecret.Reveal()}, box),
		Admission: oidc.NewAdmission(n.meta, oidc.Rules{Domains: c.AllowedDomains, DefaultRole: model.Role(c.DefaultRole)}),
	}
	return nil
}
