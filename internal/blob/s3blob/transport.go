package s3blob

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
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
		dialer.Control = refusePrivate
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

// refusePrivate is called with the resolved address before each connection.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("read the address to connect to: %w", err)
	}
	ip := to.Addr().Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || sharedSpace.Contains(ip) || nat64.Contains(ip) {
		return fmt.Errorf("%s is not a public address; the operator of this server may allow the endpoint", ip)
	}
	return nil
}

// Ranges that lead into networks of the operator beside the private ones.
var (
	sharedSpace = netip.MustParsePrefix("100.64.0.0/10")
	nat64       = netip.MustParsePrefix("64:ff9b::/96")
)
