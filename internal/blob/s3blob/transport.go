package s3blob

import (
	"net"
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/outbound"
)

// Times after which a server that does not answer is given up.
const (
	dialWithin   = 10 * time.Second
	answerWithin = 2 * time.Minute
	idleFor      = 30 * time.Second
)

// transport is what all requests of a store go through. Bodies are as long as blobs, so only the
// parts of a request that do not depend on their size have a limit of time.
func transport(publicOnly bool) *http.Transport {
	dialer := &net.Dialer{Timeout: dialWithin}
	proxy := http.ProxyFromEnvironment
	if publicOnly {
		dialer.Control = outbound.RefusePrivate
		proxy = nil // a proxy would dial for us, and not look
	}
	return &http.Transport{
		Proxy:                 proxy,
		DialContext:           dialer.DialContext,
		TLSHandshakeTimeout:   dialWithin,
		ResponseHeaderTimeout: answerWithin,
		IdleConnTimeout:       idleFor,
		MaxIdleConnsPerHost:   4,
		DisableCompression:    true, // bytes as they were put
	}
}
