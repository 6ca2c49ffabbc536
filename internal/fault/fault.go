// Package fault gives every error that can reach a person a kind, a safe message and a hint.
//
// A fault separates what a client may read (Message, Hint) from what caused it (Unwrap).
// Kinds are mapped to HTTP status codes in one place, package api.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what sort of thing went wrong, in terms a caller can act on.
type Kind int

// The kinds. Internal is the zero value on purpose: an error nobody classified is ours.
const (
	Internal Kind = iota
	Invalid
	Unauthenticated
	Forbidden
	NotFound
	Conflict
	TooLarge
	Limited
	Unavailable
	Exhausted
	Precondition // something that must be there first is not
	Misdirected  // it is served elsewhere
)

// Fault is an error with a kind and a message that is safe to show.
type Fault struct {
	Kind    Kind
	Field   string // the parameter at fault, when there is one
	Message string
	hint    string
	after   time.Duration
	cause   error
}

func (f *Fault) Error() string {
	s := f.Message
	if f.Field != "" {
		s = f.Field + " " + s
	}
	if f.hint != "" {
		s += "; " + f.hint
	}
	if f.cause != nil {
		s += ": " + f.cause.Error()
	}
	return s
}

// Unwrap returns the cause, which is never shown to clients.
func (f *Fault) Unwrap() error { return f.cause }

// Hint adds what to do next and returns the same fault.
func (f *Fault) Hint(text string) *Fault {
	f.hint = text
	return f
}

// After adds how long to wait before the same may be tried again and returns the same fault.
func (f *Fault) After(wait time.Duration) *Fault {
	f.after = wait
	return f
}

// RetryAfter is how long to wait before the same may be tried again; 0: nobody said.
func (f *Fault) RetryAfter() time.Duration { return f.after }

// Because attaches the cause and returns the same fault.
func (f *Fault) Because(err error) *Fault {
	f.cause = err
	return f
}

// Public is the text a client may see: field, message and hint, without the cause.
func (f *Fault) Public() string {
	shown := Fault{Field: f.Field, Message: f.Message, hint: f.hint}
	return shown.Error()
}

// New makes a fault of the given kind.
func New(kind Kind, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Invalidf says that the caller sent a field that cannot be used.
func Invalidf(field, format string, args ...any) *Fault {
	return &Fault{Kind: Invalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Unavailablef says that a part we need does not answer now; the caller may try again.
func Unavailablef(format string, args ...any) *Fault { return New(Unavailable, format, args...) }

// KindOf returns the kind of the outermost fault in err, Internal when there is none.
func KindOf(err error) Kind {
	var f *Fault
	if errors.As(err, &f) {
		return f.Kind
	}
	return Internal
}

// Is reports whether err carries a fault of the given kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }
