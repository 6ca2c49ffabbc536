package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"net/netip"
	"strconv"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/seal"
)

// How often somebody may try: so many times, then each try waits twice as long as the one before, up to a longest wait.
// What succeeds does not count.
const (
	ownFree        = 10 // with one email from one address, or from one device that has signed in with it before
	ownLongest     = 10 * time.Minute
	accountFree    = 50 // with one email from anywhere else
	accountLongest = time.Minute
	sharedFree     = 100 // from one address: with many emails a guess is rarely right, and many people may share it
	sharedLongest  = 10 * time.Second
)

// pruneEvery is how many tries pass until those of yesterday are removed.
const pruneEvery = 256

// DeviceLastsFor is how long a browser is known after somebody signed in with it.
const DeviceLastsFor = 180 * 24 * time.Hour

const (
	deviceBytes   = 16
	devicePurpose = "device that signed in"
)

// tries counts attempts to prove a password, on all nodes together.
//
// Strangers who guess at an account from many addresses slow down everybody who tries with its email, its owner too. So a
// browser that the owner has signed in with before is known by a token of its own and waits for nobody but itself.
type tries struct {
	store   metastore.Attempts
	limits  []metastore.AttemptLimit
	own     []string // forgotten when the attempt succeeds
	shared  string   // lowered then; empty: none
	removal bool     // of old ones is due
}

func (s *Service) newTries(ctx context.Context, a Attempt) (tries, error) {
	email := metastore.Address(a.Email)
	t := tries{store: s.store, removal: s.tried.Add(1)%pruneEvery == 0}
	known, err := s.knowsDevice(ctx, a.Device, email)
	if err != nil {
		return t, err
	}
	if known {
		t.own = []string{subject("device", a.Device)}
		t.limits = []metastore.AttemptLimit{{Subject: t.own[0], Free: ownFree, Longest: ownLongest}}
		return t, nil
	}
	from := network(a.Address)
	t.own, t.shared = []string{subject("email and address", email, from), subject("email", email)}, subject("address", from)
	t.limits = []metastore.AttemptLimit{
		{Subject: t.own[0], Free: ownFree, Longest: ownLongest},
		{Subject: t.own[1], Free: accountFree, Longest: accountLongest},
		{Subject: t.shared, Free: sharedFree, Longest: sharedLongest},
	}
	return t, nil
}

// take uses up a try, or is fault.Limited when there is none yet.
func (t tries) take(ctx context.Context) error {
	now := time.Now()
	if t.removal {
		if err := t.store.DeleteOldAttempts(ctx, now.Add(-metastore.AttemptsLast)); err != nil {
			return err
		}
	}
	wait, err := t.store.Attempt(ctx, now, t.limits)
	if err != nil || wait == 0 {
		return err
	}
	seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
	return fault.New(fault.Limited, "Too many attempts to sign in").Hint("try again in " + seconds + " s").After(wait)
}

// forget gives back what an attempt that succeeded has used.
func (t tries) forget(ctx context.Context) error {
	if err := t.store.ForgetAttempts(ctx, t.own...); err != nil || t.shared == "" {
		return err
	}
	return t.store.LowerAttempts(ctx, t.shared)
}

// subject names who tries, without telling it.
func subject(parts ...string) string {
	sum := sha256.Sum256(seal.Place(parts...))
	return hex.EncodeToString(sum[:])
}

// devices seals the tokens by which browsers are known.
func (s *Service) devices(ctx context.Context) (seal.Sealer, error) {
	secret, err := s.store.Secret(ctx, "sign-in devices")
	return seal.New(secret, devicePurpose), err
}

// newDevice makes a token for a browser that somebody has just signed in with.
func (s *Service) newDevice(ctx context.Context, email string) (string, error) {
	sealer, err := s.devices(ctx)
	if err != nil {
		return "", err
	}
	random := make([]byte, deviceBytes)
	_, _ = rand.Read(random) // never fails
	return sealer.Seal(append(random, subject("device of", metastore.Address(email))...)), nil
}

// knowsDevice reports whether a token was made for a browser that has signed in with the email.
func (s *Service) knowsDevice(ctx context.Context, token, email string) (bool, error) {
	if token == "" {
		return false, nil
	}
	sealer, err := s.devices(ctx)
	if err != nil {
		return false, err
	}
	content, err := sealer.Open(token)
	return err == nil && len(content) > deviceBytes && string(content[deviceBytes:]) == subject("device of", email), nil
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
