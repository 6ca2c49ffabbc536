// Package oidc signs people in through an OpenID Connect provider: the authorization code flow with PKCE, and
// which of our users a person of the provider is.
//
// A sign-in leaves and comes back through the person's browser. What must be remembered in between travels with
// it, sealed: any node can finish what another began, and nothing is kept for those who never come back.
package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/seal"
)

// Settings say which provider, and who we are there.
type Settings struct {
	Issuer       string // the provider's address, exactly as it spells it
	ClientID     string
	ClientSecret string // empty: a public client, which PKCE alone protects
}

const (
	// askWithin bounds one request to the provider, and with it how long a sign-in page waits.
	askWithin = 10 * time.Second
	// askAgain is how long a provider that did not answer is left alone.
	askAgain = time.Second
)

// Provider is an OpenID Connect provider. It is safe for concurrent use.
//
// It is asked nothing before the first sign-in, so that a server starts without it; what it says of itself is
// asked for until it answers, and kept then.
type Provider struct {
	settings Settings
	box      *seal.Box
	now      func() time.Time

	asking chan struct{} // holds one token: who has it may read and write what follows
	found  *endpoints
	failed error
	since  time.Time // of failed
}

// New makes a provider. All nodes must have boxes with the same key.
func New(settings Settings, box *seal.Box) *Provider {
	return &Provider{settings: settings, box: box, now: time.Now, asking: make(chan struct{}, 1)}
}

// endpoints are where and how the provider is asked.
type endpoints struct {
	provider *oidc.Provider
	verifier *oidc.IDTokenVerifier
	style    oauth2.AuthStyle
	scopes   []string
}

// endpoints asks the provider for its description, unless that is known already.
func (p *Provider) endpoints(ctx context.Context) (*endpoints, error) {
	select {
	case p.asking <- struct{}{}:
		defer func() { <-p.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if p.found != nil {
		return p.found, nil
	}
	if p.failed != nil && p.now().Sub(p.since) < askAgain {
		return nil, p.failed
	}
	found, err := p.discover(ctx)
	if ctx.Err() != nil { // the caller left, which says nothing of the provider
		return nil, ctx.Err()
	}
	p.found, p.failed, p.since = found, err, p.now()
	return found, err
}

func (p *Provider) discover(ctx context.Context) (*endpoints, error) {
	provider, err := oidc.NewProvider(asked(ctx), p.settings.Issuer)
	if err != nil {
		return nil, p.undiscovered(err)
	}
	var says struct {
		AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
		Scopes      []string `json:"scopes_supported"`
	}
	if err := provider.Claims(&says); err != nil {
		return nil, p.undiscovered(err)
	}
	for _, address := range []string{provider.Endpoint().AuthURL, provider.Endpoint().TokenURL} {
		if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return nil, p.undiscovered(fmt.Errorf("%q is no address to sign in at", address))
		}
	}
	e := &endpoints{provider: provider, style: oauth2.AuthStyleInHeader, scopes: []string{oidc.ScopeOpenID, "email", "profile"}}
	basic := len(says.AuthMethods) == 0 || slices.Contains(says.AuthMethods, "client_secret_basic") // the default of the specification
	if p.settings.ClientSecret == "" || !basic {
		e.style = oauth2.AuthStyleInParams
	}
	if slices.Contains(says.Scopes, "groups") {
		e.scopes = append(e.scopes, "groups")
	}
	e.verifier = provider.Verifier(&oidc.Config{ClientID: p.settings.ClientID, Now: p.now})
	return e, nil
}

// undiscovered says what is wrong with a provider that cannot be asked to sign people in.
func (p *Provider) undiscovered(err error) error {
	var other *oidc.IssuerMismatchError
	if errors.As(err, &other) {
		return fault.Unavailablef("The provider at %s calls itself %s", other.Provided, other.Discovered).
			Hint("set oidc-issuer to exactly that").Because(err)
	}
	var unreached *url.Error
	if errors.As(err, &unreached) {
		return fault.Unavailablef("The provider at %s cannot be reached", p.settings.Issuer).
			Hint("try again in a moment").Because(err)
	}
	return fault.Unavailablef("What answers at %s is no OpenID Connect provider", p.settings.Issuer).
		Hint("check oidc-issuer").Because(err)
}

// config is the provider as oauth2 knows it, for people who come back to an address of ours.
func (p *Provider) config(e *endpoints, callback string) *oauth2.Config {
	endpoint := e.provider.Endpoint()
	endpoint.AuthStyle = e.style
	return &oauth2.Config{
		ClientID: p.settings.ClientID, ClientSecret: p.settings.ClientSecret,
		Endpoint: endpoint, RedirectURL: callback, Scopes: e.scopes,
	}
}
