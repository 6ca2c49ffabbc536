package app

import (
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/signin"
)

// signIn lets people in, with the secrets that auth makes.
func (n *node) signIn() *signin.Service {
	return signin.New(n.meta, signin.Secrets{
		HashPassword: auth.HashPassword, PasswordMatches: auth.PasswordMatches,
		NewKey: func() (model.Key, string, error) { return auth.Issue("", "") },
	})
}
