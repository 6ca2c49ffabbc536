package oidc

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/coreos/go-oidc/v3/oidc"
)

// maxAnswer bounds what the provider may answer. Descriptions, keys and tokens are a few kilobytes.
const maxAnswer = 1 << 20

var errLongAnswer = errors.New("the provider's answer is longer than 1 MiB")

// client asks the provider. Sign-ins are rare, so no connection is kept for the next one.
var client = &http.Client{Timeout: askWithin, Transport: bounded{unkept()}}

func unkept() *http.Transport {
	transport, _ := http.DefaultTransport.(*http.Transport)
	transport = transport.Clone()
	transport.DisableKeepAlives = true
	return transport
}

// asked is a context whose requests to the provider go through client. Both libraries look there.
func asked(ctx context.Context) context.Context { return oidc.ClientContext(ctx, client) }

// bounded cuts answers off that are too long: the libraries read them whole.
type bounded struct{ to http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.to.RoundTrip(r)
	if err == nil {
		response.Body = &boundedBody{response.Body, maxAnswer}
	}
	return response, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *boundedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if b.left -= n; b.left < 0 {
		return 0, errLongAnswer
	}
	return n, err
}
