// Package outbound calls servers whose addresses people of projects name: public ones by https, and those that the
// operator allows. Nobody reaches the operator's own network by naming an address in it.
package outbound

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// Times after which a server that does not answer is given up. How long an answer takes is up to the caller's context.
const (
	dialWithin = 10 * time.Second
	idleFor    = 30 * time.Second
)

// ErrPrivate is what a connection to an address that is not public ends with.
var ErrPrivate = errors.New("not a public address")

// Guard is a transport that holds requests to the rule. It looks at the address dialed, whatever the name resolved to.
type Guard struct {
	allowed map[string]bool // origins
	public  *http.Transport
	inside  *http.Transport // for those that are allowed
}

// NewGuard makes a guard that also lets requests to the given endpoints through, wherever they are and without https.
func NewGuard(endpoints []string) *Guard { return newGuard(endpoints, net.DefaultResolver) }

func newGuard(endpoints []string, names *net.Resolver) *Guard {
	g := &Guard{allowed: map[string]bool{}, public: transport(RefusePrivate, names), inside: transport(nil, names)}
	g.inside.Proxy = http.ProxyFromEnvironment
	for _, endpoint := range endpoints {
		if u, err := url.Parse(endpoint); err == nil {
			g.allowed[origin(u)] = true
		}
	}
	return g
}

func transport(control func(network, address string, c syscall.RawConn) error, names *net.Resolver) *http.Transport {
	dialer := &net.Dialer{Timeout: dialWithin, Control: control, Resolver: names}
	return &http.Transport{ // without a proxy, which would dial for us, and not look
		DialContext: dialer.DialContext, TLSHandshakeTimeout: dialWithin, IdleConnTimeout: idleFor, MaxIdleConnsPerHost: 4, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: 256 << 10,
	}
}

// Client returns a client that goes nowhere else: it does not follow redirects, which could carry secrets along.
func (g *Guard) Client() *http.Client {
	return &http.Client{Transport: g, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Close ends connections that wait for a next request.
func (g *Guard) Close() {
	g.public.CloseIdleConnections()
	g.inside.CloseIdleConnections()
}

// RoundTrip implements http.RoundTripper.
func (g *Guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if g.allowed[origin(r.URL)] {
		return g.inside.RoundTrip(r)
	}
	if err := g.Check("address", r.URL.String()); err != nil {
		return nil, err
	}
	return g.public.RoundTrip(r)
}

// Check refuses with fault.Invalid an address that is never called, in the words of the field it stands in. What a name
// resolves to is looked at when it is called.
func (g *Guard) Check(field, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fault.Invalidf(field, "must be an address that starts with https://")
	}
	if g.allowed[origin(u)] {
		return nil
	}
	if u.Scheme != "https" {
		return fault.Invalidf(field, "must start with https://").Hint("the operator may allow this address with outbound-endpoints")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && isPrivate(ip) || strings.EqualFold(u.Hostname(), "localhost") {
		return fault.Invalidf(field, "must be a public address").Hint("the operator may allow this address with outbound-endpoints")
	}
	return nil
}

// origin is scheme, host and port, the port written out.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// RefusePrivate is the Control of a dialer that connects to public addresses only. It is called with the resolved
// address before each connection.
func RefusePrivate(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("read the address to connect to: %w", err)
	}
	if isPrivate(to.Addr()) {
		return fmt.Errorf("%s is %w; the operator of this server may allow the endpoint", to.Addr().Unmap(), ErrPrivate)
	}
	return nil
}

func isPrivate(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("") // a prefix has no address with a zone
	return !ip.IsGlobalUnicast() || ip.IsPrivate() || slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// special are ranges beside the private ones that are no server of the public internet, or lead into networks of the
// operator: those that the registries of special addresses of IANA call not globally reachable, and the ways to write an
// IPv4 address as one of IPv6.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),    // shared by carriers; clouds have metadata here
	netip.MustParsePrefix("168.63.129.16/32"), // Azure's own services, within each of its networks
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),           // an IPv4 address at the end
	netip.MustParsePrefix("::ffff:0:0:0/96"), // the same, translated
	netip.MustParsePrefix("64:ff9b::/96"),    // the same, by NAT64
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), // Teredo and other protocols
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), // 6to4: an IPv4 address within
	netip.MustParsePrefix("3fff::/20"),
	netip.MustParsePrefix("5f00::/16"),
	netip.MustParsePrefix("fec0::/10"),
}
