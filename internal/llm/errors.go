package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/outbound"
)

// ErrConnection is the cause of faults that every further request will meet, too, until somebody mends the connection or names
// another model.
var ErrConnection = errors.New("the connection cannot be used as it is")

// unreachable says why there was no answer at all.
func (c *Client) unreachable(ctx context.Context, r Request, err error) error {
	switch {
	case errors.Is(err, outbound.ErrPrivate):
		return fault.New(fault.Invalid, "The address of %s is not public", r.Provider).
			Hint("the operator of this server may allow it with outbound-endpoints").Because(errors.Join(ErrConnection, err))
	case fault.KindOf(err) != fault.Internal:
		return fault.New(fault.Invalid, "%s cannot be called at its baseURL", r.Provider).Hint("the operator of this server may allow it with outbound-endpoints").Because(errors.Join(ErrConnection, err))
	case errors.Is(context.Cause(ctx), errQuiet):
		return fault.Unavailablef("%s did not answer within %s", r.Provider, c.quiet).Hint("try again, or ask another model").Because(err)
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), errLong):
		return context.Cause(ctx)
	default:
		return fault.Unavailablef("%s cannot be reached", r.Provider).Hint("look at the connection's baseURL, and whether this server reaches it").Because(err)
	}
}

// broken says why an answer ended before it was whole.
func (c *Client) broken(ctx context.Context, r Request, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errQuiet):
		return fault.Unavailablef("%s fell silent for %s in the middle of its answer", r.Provider, c.quiet).Hint("try again").Because(err)
	case errors.Is(cause, errLong):
		return fault.Unavailablef("%s took longer than %s", r.Provider, answerWithin).Hint("ask for less, or set a maximum of tokens").Because(err)
	case cause != nil:
		return cause
	default:
		return fault.Unavailablef("the answer of %s broke off", r.Provider).Hint("try again").Because(err)
	}
}

// maxShown is how much of what a provider says is passed on.
const maxShown = 600

// refused turns an answer that is no stream into a fault with the provider's own words.
func refused(response *http.Response, r Request, hide func(string) string) error {
	body, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	says := wordsOf(body, hide)
	if says == "" {
		says = response.Status
	}
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fault.New(fault.Invalid, "%s refused the key: %s", r.Provider, says).Hint("save the connection again with a key that may use " + r.Model).Because(ErrConnection)
	case status == http.StatusNotFound:
		return fault.New(fault.Invalid, "%s does not know the model %s, or not at this address: %s", r.Provider, r.Model, says).Hint("look at the model's name and at the connection's baseURL").Because(ErrConnection)
	case status == http.StatusTooManyRequests:
		return fault.New(fault.Limited, "%s has no room for more requests now: %s", r.Provider, says).Hint("wait, or raise the limit with the provider")
	case status >= 300 && status < 400:
		return fault.New(fault.Invalid, "%s is elsewhere: it answered with a redirect", r.Provider).Hint("save the connection with the address that the redirect names").Because(ErrConnection)
	case status < 500:
		return fault.New(fault.Invalid, "%s refused the request: %s", r.Provider, says).Hint("change what it names, or ask another model")
	default:
		return fault.Unavailablef("%s failed: %s", r.Provider, says).Hint("try again, or ask another model")
	}
}

// wordsOf finds the message in what a provider answers instead of what was asked for, without secrets.
func wordsOf(body []byte, hide func(string) string) string {
	var shape struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &shape) != nil {
		var list []json.RawMessage // Gemini puts it into a list
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			return wordsOf(list[0], hide)
		}
		return ""
	}
	says := shape.Message
	for _, part := range []json.RawMessage{shape.Error, shape.Detail} {
		var inner struct {
			Message string `json:"message"`
		}
		var text string
		if json.Unmarshal(part, &inner) == nil && inner.Message != "" {
			says = inner.Message
		} else if json.Unmarshal(part, &text) == nil && text != "" {
			says = text
		}
	}
	says = hide(says)
	if runes := []rune(strings.TrimSpace(says)); len(runes) > maxShown {
		says = string(runes[:maxShown]) + "…"
	}
	return strings.TrimSuffix(strings.TrimSpace(says), ".")
}

// failed is an error that comes as an event of a stream.
func (a *assembly) failed(event []byte) error {
	says := wordsOf(event, a.hide)
	if says == "" {
		says = "no reason given"
	}
	return fault.Unavailablef("the provider ended its answer: %s", says).Hint("try again")
}
