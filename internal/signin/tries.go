package signin

import (
	"net/netip"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// How often somebody may try to sign in: so many at once, then one in every so long. What succeeds does not count.
const (
	triesAtOnce  = 10 // with one email from one address
	tryEvery     = 10 * time.Second
	sharedAtOnce = 100 // from one address: with many emails a guess is rarely right, and many people may share it
	sharedEvery  = time.Second
	// maxTries bounds the memory: who tries with more emails than that is forgotten, and has been slowed down by address.
	maxTries = 20_000
)

// tryKey is who tries. Without an email it is everybody at an address.
type tryKey struct{ address, email string }

// bucket has the tries that are left at a moment.
type bucket struct {
	left float64
	at   time.Time
}

// tries counts attempts to sign in, on this node.
type tries struct {
	mu sync.Mutex
	// Two generations bound the memory: when the younger is full, the elder is dropped.
	younger, elder map[tryKey]bucket
}

func newTries() *tries { return &tries{younger: map[tryKey]bucket{}} }

// take uses up a try, or is fault.Limited when there is none.
func (t *tries) take(address, email string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, from := time.Now(), network(address)
	shared := t.filled(tryKey{address: from}, now, sharedAtOnce, sharedEvery)
	own := t.filled(tryKey{from, email}, now, triesAtOnce, tryEvery)
	if shared.left < 1 || own.left < 1 {
		return fault.New(fault.Limited, "Too many attempts to sign in").Hint("try again in a minute")
	}
	shared.left--
	own.left--
	t.keep(tryKey{address: from}, shared)
	t.keep(tryKey{from, email}, own)
	return nil
}

// forget gives back what an attempt that succeeded has used.
func (t *tries) forget(address, email string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, from := time.Now(), network(address)
	shared := t.filled(tryKey{address: from}, now, sharedAtOnce, sharedEvery)
	shared.left = min(shared.left+1, sharedAtOnce)
	t.keep(tryKey{address: from}, shared)
	t.keep(tryKey{from, email}, bucket{triesAtOnce, now})
}

// filled is a bucket with what has come since it was looked at.
func (t *tries) filled(key tryKey, now time.Time, most int, every time.Duration) bucket {
	b, found := t.younger[key]
	if !found {
		b, found = t.elder[key]
	}
	if !found {
		return bucket{float64(most), now}
	}
	return bucket{min(b.left+float64(now.Sub(b.at))/float64(every), float64(most)), now}
}

func (t *tries) keep(key tryKey, b bucket) {
	if len(t.younger) >= maxTries/2 {
		t.younger, t.elder = map[tryKey]bucket{}, t.younger
	}
	t.younger[key] = b
}

// network is what one customer of a provider has: an IPv4 address, or 64 bits of an IPv6 address.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Unmap().Is4() {
		return address
	}
	prefix, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return address
	}
	return prefix.String()
}
