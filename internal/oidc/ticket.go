package oidc

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/seal"
)

// TicketLife is how long a person may take at the provider.
const TicketLife = 10 * time.Minute

// maxNext bounds the page to go on at: a cookie has room for 4 KiB.
const maxNext = 1 << 10

// ticket is what a sign-in needs to be finished. The verifier must not be read on the way, so it is encrypted.
type ticket struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	Callback string    `json:"callback"`
	Next     string    `json:"next"`
	Until    time.Time `json:"until"`
}

func ticketPlace() []byte { return seal.Place("oidc", "ticket") }

func (t ticket) seal(box *seal.Box) (string, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	sealed, err := box.Seal(text, ticketPlace())
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// openTicket returns a ticket that we made and that is not too old.
func openTicket(box *seal.Box, text string, now time.Time) (t ticket, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return t, false
	}
	plain, err := box.Open(sealed, ticketPlace())
	if err != nil || json.Unmarshal(plain, &t) != nil {
		return ticket{}, false
	}
	return t, now.Before(t.Until)
}

// LocalPage returns the page to go on at after a sign-in: a path of this server, below its base path, with its
// query. Whatever a browser could take for another host is the first page.
func LocalPage(next string) string {
	const first = "/"
	u, err := url.Parse(next)
	if err != nil || len(next) > maxNext || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return first
	}
	// Browsers read a backslash as a slash, and skip tabs and line breaks.
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsFunc(next, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return first
	}
	return next
}
