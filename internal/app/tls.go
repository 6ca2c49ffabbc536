package app

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/config"
)

const (
	// certificateLook is the least time between two looks at the files.
	certificateLook = time.Second
	// expiresSoon is when an operator should know.
	expiresSoon = 14 * 24 * time.Hour
	// expiryTold is the time between two warnings.
	expiryTold = 24 * time.Hour
)

// certificate is that of the files, which are read again when they change. Files that cannot be used, such as a
// key that does not fit yet, leave the last one in use.
type certificate struct {
	files  config.TLS
	logger *slog.Logger
	now    func() time.Time

	mu     sync.Mutex
	used   *tls.Certificate
	state  string // of the files when they were read
	looked time.Time
	told   time.Time
}

// loadCertificate reads the files, which must be usable.
func loadCertificate(files config.TLS, logger *slog.Logger) (*certificate, error) {
	c := &certificate{files: files, logger: logger, now: time.Now}
	pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	c.used, c.state, c.looked = &pair, c.stateOfFiles(), c.now()
	c.tellExpiry()
	return c, nil
}

// config is for a listener that speaks the protocols.
func (c *certificate) config(protocols ...string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: protocols,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current(), nil },
	}
}

// current is asked with every handshake, so it looks at the files now and then only.
func (c *certificate) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now().Sub(c.looked) >= certificateLook {
		c.looked = c.now()
		c.reload()
	}
	if c.now().Sub(c.told) >= expiryTold {
		c.tellExpiry()
	}
	return c.used
}

func (c *certificate) reload() {
	state := c.stateOfFiles()
	if state == c.state {
		return
	}
	c.state = state
	pair, err := tls.LoadX509KeyPair(c.files.Cert, c.files.Key)
	if err != nil {
		c.logger.Error("the new certificate cannot be used; the old one stays", "error", err)
		return
	}
	c.used = &pair
	c.tellExpiry()
}

// stateOfFiles changes when a file does.
func (c *certificate) stateOfFiles() string {
	var state strings.Builder
	for _, name := range []string{c.files.Cert, c.files.Key} {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprint(&state, info.ModTime().UnixNano(), " ", info.Size(), " ")
		}
	}
	return state.String()
}

func (c *certificate) tellExpiry() {
	c.told = c.now()
	ends := c.used.Leaf.NotAfter
	tell := c.logger.Info
	if ends.Sub(c.now()) < expiresSoon {
		tell = c.logger.Warn
	}
	tell("certificate in use", "subject", c.used.Leaf.Subject.String(), "expires", ends.UTC().Format(time.RFC3339))
}

// expires is when the certificate in use does.
func (c *certificate) expires() time.Time { return c.current().Leaf.NotAfter }

// openTLS reads the certificate where one is configured.
func (n *node) openTLS(context.Context) (err error) {
	if n.config.TLS.Cert == "" {
		return nil
	}
	if n.certificate, err = loadCertificate(n.config.TLS, n.logger); err != nil {
		return err
	}
	n.metrics.WatchCertificate(n.certificate.expires)
	return nil
}

// secured is the listener with TLS where a certificate is configured.
func (n *node) secured(l net.Listener, protocols ...string) net.Listener {
	if n.certificate == nil {
		return l
	}
	return tls.NewListener(l, n.certificate.config(protocols...))
}
