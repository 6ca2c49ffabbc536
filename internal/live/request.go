package live

import (
	"strings"
	"time"
)

// Code says for programs why a request, or a part of it, was refused.
type Code string

// The codes of refusals.
const (
	WrongSecret     Code = "wrong_secret"
	KeyNotValid     Code = "key_not_valid"
	Forbidden       Code = "forbidden"
	WrongPath       Code = "wrong_path"
	WrongMethod     Code = "wrong_method"
	ContentType     Code = "content_type"
	ContentEncoding Code = "content_encoding"
	SpansRejected   Code = "spans_rejected"
	TooLarge        Code = "too_large"
	TooSlow         Code = "too_slow"
	Overloaded      Code = "overloaded"
	Invalid         Code = "invalid"
	Failed          Code = "failed"
)

// Request is one answered request of a project. Its texts come from clients and are cut short.
type Request struct {
	ProjectID  string    `json:"-"`
	At         time.Time `json:"at"`
	Method     string    `json:"method"`
	Path       string    `json:"path"`
	Status     int       `json:"status"`
	Code       Code      `json:"code"` // empty: everything was taken
	Reason     string    `json:"reason"`
	Bytes      int64     `json:"bytes"` // of the body as it came
	Accepted   int       `json:"accepted"`
	Rejected   int       `json:"rejected"`
	SDKName    string    `json:"sdkName"`
	SDKVersion string    `json:"sdkVersion"`
	Version4   bool      `json:"version4"` // the client announced the newest form of spans
	PublicKey  string    `json:"publicKey"`
	Proved     bool      `json:"proved"` // the secret was right
	Ingest     bool      `json:"-"`      // brought something in, or tried to
}

// The lengths of what is kept of a client's texts, in bytes.
const (
	maxPath   = 200
	maxSDK    = 100
	maxReason = 300
	maxKey    = 100
)

func (r Request) bounded() Request {
	r.Path, r.Reason = cut(r.Path, maxPath), cut(r.Reason, maxReason)
	r.SDKName, r.SDKVersion, r.PublicKey = cut(r.SDKName, maxSDK), cut(r.SDKVersion, maxSDK), cut(r.PublicKey, maxKey)
	return r
}

// cut returns a copy of a text's beginning, so that what is kept does not hold on to a request.
func cut(text string, limit int) string {
	return strings.Clone(strings.ToValidUTF8(text[:min(len(text), limit)], ""))
}

// Unknown is a public key that nobody has, as far as it is shown.
type Unknown struct {
	At     time.Time `json:"at"`
	Prefix string    `json:"publicKeyPrefix"`
	Path   string    `json:"path"`
	Count  int       `json:"count"`
}

// maxPrefix is how much of an unknown key is shown: it may be the key of another installation.
const maxPrefix = 12
