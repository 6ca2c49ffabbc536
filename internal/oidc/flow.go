package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/url"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/sondehq/sonde/internal/fault"
)

// Departure is how a person leaves for the provider.
type Departure struct {
	Address string // where the provider asks who they are
	Ticket  string // what the browser brings back with them; useless after TicketLife
}

// Start begins a sign-in that comes back to callback, an address of ours that the provider knows, and goes on at
// the page next (see LocalPage). A provider that cannot be asked is fault.Unavailable.
func (p *Provider) Start(ctx context.Context, callback, next string) (Departure, error) {
	e, err := p.endpoints(ctx)
	if err != nil {
		return Departure{}, err
	}
	t := ticket{
		State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
		Callback: callback, Next: LocalPage(next), Until: p.now().Add(TicketLife),
	}
	sealed, err := t.seal(p.box)
	return Departure{
		Address: p.config(e, callback).AuthCodeURL(t.State, oidc.Nonce(t.Nonce), oauth2.S256ChallengeOption(t.Verifier)),
		Ticket:  sealed,
	}, err
}

// Arrival is how somebody comes back.
type Arrival struct {
	Ticket string     // of the departure
	Query  url.Values // what the provider added to our address
}

var errNoTicket = fault.New(fault.Unauthenticated, "This sign-in was not started in this browser, or more than %s ago", "10 minutes").
	Hint("start again")

// Finish returns who came back, and the page to go on at, which is known also when the sign-in is refused. It
// believes only what the provider itself said to us, for this very departure: fault.Unauthenticated otherwise,
// fault.Unavailable when the provider cannot be asked.
func (p *Provider) Finish(ctx context.Context, from Arrival) (who Identity, next string, err error) {
	t, ok := openTicket(p.box, from.Ticket, p.now())
	if !ok {
		return who, LocalPage(""), errNoTicket
	}
	if subtle.ConstantTimeCompare([]byte(t.State), []byte(from.Query.Get("state"))) != 1 {
		return who, t.Next, fault.New(fault.Unauthenticated, "Another sign-in was started in this browser since").Hint("start again")
	}
	if code := from.Query.Get("error"); code != "" {
		return who, t.Next, refused(code)
	}
	e, err := p.endpoints(ctx)
	if err != nil {
		return who, t.Next, err
	}
	token, err := p.config(e, t.Callback).Exchange(asked(ctx), from.Query.Get("code"), oauth2.VerifierOption(t.Verifier))
	if err != nil {
		return who, t.Next, p.unexchanged(err)
	}
	who, err = e.identify(ctx, token, t.Nonce)
	return who, t.Next, err
}

// refused is what the provider said instead of who came. Only codes of the specification's form are repeated.
func refused(code string) error {
	if code == "access_denied" {
		return fault.New(fault.Unauthenticated, "The sign-in was canceled, or the provider does not let you use this server")
	}
	if len(code) > 64 || strings.ContainsFunc(code, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		code = "an unknown error"
	}
	return fault.New(fault.Unauthenticated, "The provider refused the sign-in: %s", code)
}

// unexchanged says why the provider gave no token.
func (p *Provider) unexchanged(err error) error {
	var answer *oauth2.RetrieveError
	if !errors.As(err, &answer) {
		return fault.Unavailablef("The provider at %s cannot be reached", p.settings.Issuer).Hint("start again in a moment").Because(err)
	}
	switch {
	case answer.ErrorCode == "invalid_client" || answer.ErrorCode == "unauthorized_client":
		return fault.Unavailablef("The provider does not know this server").Hint("check oidc-client-id and oidc-client-secret").Because(err)
	case answer.Response.StatusCode >= 500:
		return fault.Unavailablef("The provider at %s does not work now", p.settings.Issuer).Hint("start again in a moment").Because(err)
	default: // such as invalid_grant: a code that was used before
		return fault.New(fault.Unauthenticated, "The provider did not confirm the sign-in").Hint("start again").Because(err)
	}
}
