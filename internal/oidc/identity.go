package oidc

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"strings"

	"golang.org/x/oauth2"

	"github.com/sondehq/sonde/internal/fault"
)

// Identity is what the provider says of a person.
type Identity struct {
	Issuer, Subject string // who, for ever
	Email           string // may be empty, and change
	EmailVerified   bool   // the provider knows that the address is theirs
	Name            string
	Groups          []string
}

// claims are the parts of a token, or of what the provider says of the token's owner, that we read.
type claims struct {
	Subject       string   `json:"sub"`
	Email         string   `json:"email"`
	EmailVerified truth    `json:"email_verified"`
	Name          string   `json:"name"`
	Username      string   `json:"preferred_username"`
	Groups        wordList `json:"groups"`
}

// truth is a boolean that some providers write as a text.
type truth bool

// UnmarshalJSON implements json.Unmarshaler. What is neither is not true.
func (t *truth) UnmarshalJSON(text []byte) error {
	*t = truth(strings.EqualFold(strings.Trim(string(text), `"`), "true"))
	return nil
}

// wordList is a list of texts, or a single one.
type wordList []string

// UnmarshalJSON implements json.Unmarshaler. What is neither has no words.
func (l *wordList) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil && one != "" {
		*l = wordList{one}
		return nil
	}
	var many []string
	if json.Unmarshal(text, &many) == nil {
		*l = many
	}
	return nil
}

// identify reads who a token is about. It must be of our provider, for us, for this departure and not too old.
func (e *endpoints) identify(ctx context.Context, token *oauth2.Token, nonce string) (Identity, error) {
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return Identity{}, unbelieved(errors.New("there is no id_token in the answer"))
	}
	verified, err := e.verifier.Verify(asked(ctx), raw)
	if err != nil {
		return Identity{}, unbelieved(err)
	}
	if subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(nonce)) != 1 {
		return Identity{}, unbelieved(errors.New("the id_token has another nonce"))
	}
	var c claims
	if err := verified.Claims(&c); err != nil {
		return Identity{}, unbelieved(err)
	}
	if c.Email == "" { // some tell it only when asked
		if c, err = e.ask(ctx, token, c); err != nil {
			return Identity{}, err
		}
	}
	who := Identity{
		Issuer: verified.Issuer, Subject: verified.Subject,
		Email: c.Email, EmailVerified: bool(c.EmailVerified), Name: c.Name, Groups: c.Groups,
	}
	if who.Name == "" {
		who.Name = c.Username
	}
	return who, nil
}

// ask returns what the provider says of the token's owner, or what is known already when it has no such service.
func (e *endpoints) ask(ctx context.Context, token *oauth2.Token, known claims) (claims, error) {
	if e.provider.UserInfoEndpoint() == "" {
		return known, nil
	}
	info, err := e.provider.UserInfo(asked(ctx), oauth2.StaticTokenSource(token))
	if err != nil {
		return known, fault.Unavailablef("The provider does not say who you are").Hint("start again in a moment").Because(err)
	}
	var c claims
	if err := info.Claims(&c); err != nil {
		return known, unbelieved(err)
	}
	if c.Subject != known.Subject {
		return known, unbelieved(errors.New("the user info is about somebody else"))
	}
	return c, nil
}

// unbelieved refuses what the provider is said to have said.
func unbelieved(why error) error {
	return fault.New(fault.Unauthenticated, "What the provider says cannot be verified").
		Hint("start again; if that does not help, the server's log says why").Because(why)
}
