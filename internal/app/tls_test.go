package app

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/config"
)

// writeCertificate makes a certificate for this machine that signs itself.
func writeCertificate(t *testing.T, files config.TLS, name string, ends time.Time) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: ends, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, BasicConstraintsValid: true, IsCA: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{files.Cert: {Type: "CERTIFICATE", Bytes: der}, files.Key: {Type: "EC PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func certificateFiles(t *testing.T) config.TLS {
	t.Helper()
	dir := t.TempDir()
	return config.TLS{Cert: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key")}
}

// serveTLS answers handshakes with the certificate.
func serveTLS(t *testing.T, c *certificate) (address string) {
	t.Helper()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener := tls.NewListener(plain, c.config("http/1.1"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.(*tls.Conn).HandshakeContext(t.Context()) // the client says what was wrong
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return plain.Addr().String()
}

func shake(ctx context.Context, address string, trusted *x509.Certificate, highest uint16) error {
	roots := x509.NewCertPool()
	roots.AddCert(trusted)
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: roots, MaxVersion: highest, MinVersion: tls.VersionTLS10}} //nolint:gosec // old versions are the test
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}

func TestCertificateIsReadAgainWhenItChanges(t *testing.T) {
	t.Parallel()
	files := certificateFiles(t)
	first := writeCertificate(t, files, "first", time.Now().Add(time.Hour*24*365))
	var said bytes.Buffer
	c, err := loadCertificate(files, slog.New(slog.NewTextHandler(&said, nil)))
	if err != nil {
		t.Fatal(err)
	}
	clock := time.Now()
	c.now = func() time.Time { return clock }
	address := serveTLS(t, c)
	if err := shake(t.Context(), address, first, tls.VersionTLS13); err != nil {
		t.Error(err)
	}
	if err := shake(t.Context(), address, first, tls.VersionTLS12); err != nil {
		t.Error(err)
	}
	if err := shake(t.Context(), address, first, tls.VersionTLS11); err == nil {
		t.Error("TLS 1.1 is spoken")
	}

	later := func(change func()) {
		change()
		c.mu.Lock()
		clock = clock.Add(time.Minute)
		c.mu.Unlock()
	}
	// A key that does not fit leaves the first one in use.
	later(func() {
		if err := os.WriteFile(files.Key, []byte("half of a key"), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	if err := shake(t.Context(), address, first, tls.VersionTLS13); err != nil {
		t.Error(err)
	}
	var second *x509.Certificate
	later(func() { second = writeCertificate(t, files, "second", time.Now().Add(time.Hour)) })
	if err := shake(t.Context(), address, second, tls.VersionTLS13); err != nil {
		t.Error(err)
	}
	if err := shake(t.Context(), address, first, tls.VersionTLS13); err == nil {
		t.Error("the first certificate is still in use")
	}
	if got := c.expires(); !got.Equal(second.NotAfter) {
		t.Errorf("expires %v, want %v", got, second.NotAfter)
	}
	if text := said.String(); !strings.Contains(text, "old one stays") || !strings.Contains(text, "level=WARN") || !strings.Contains(text, "CN=second") {
		t.Errorf("the log says:\n%s", text)
	}
}

func TestCertificateMustBeUsableAtTheStart(t *testing.T) {
	t.Parallel()
	files, others := certificateFiles(t), certificateFiles(t)
	logger := slog.New(slog.DiscardHandler)
	if _, err := loadCertificate(files, logger); err == nil {
		t.Error("started without files")
	}
	writeCertificate(t, files, "a", time.Now().Add(time.Hour))
	writeCertificate(t, others, "b", time.Now().Add(time.Hour))
	if _, err := loadCertificate(config.TLS{Cert: files.Cert, Key: others.Key}, logger); err == nil {
		t.Error("started with a key that does not fit")
	}
}
