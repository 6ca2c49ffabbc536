package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
)

func TestRetentionRemovesRowsAndTexts(t *testing.T) {
	t.Parallel()
	s := startNode(t, "--retention-days", "30", "--retention-payload-days", "5", "--retention-every", "2s")
	c := s.client()
	spans := newSpans(3)
	for i, days := range []int{0, 10, 40} {
		spans[i].start = time.Now().AddDate(0, 0, -days)
		spans[i].attributes = map[string]string{"langfuse.observation.input": "hello", "langfuse.observation.output": "world"}
	}
	c.send(inProtobuf(t, spans...))
	eventually(t, 90*time.Second, "what is too old is gone", func() error {
		a, err := c.do(http.MethodGet, observationsPath+"?fields=core,io&fromStartTime="+url.QueryEscape(time.Now().AddDate(-1, 0, 0).UTC().Format(time.RFC3339)), nil)
		if err == nil {
			err = a.err()
		}
		if err != nil {
			return err
		}
		switch {
		case !strings.Contains(a.body, spans[0].id), !strings.Contains(a.body, spans[1].id):
			return fmt.Errorf("rows are missing: %s", a.body)
		case strings.Contains(a.body, spans[2].id):
			return errors.New("the oldest row is there")
		case strings.Count(a.body, "hello") != 1 || strings.Count(a.body, `"input":null`) != 1 || strings.Count(a.body, `"output":null`) != 1:
			return fmt.Errorf("texts: %s", a.body)
		}
		return nil
	})
}

// selfSigned makes a certificate for this machine.
func selfSigned(t *testing.T) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	cert, key, certPEM := signed(t, &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature, BasicConstraintsValid: true, IsCA: true,
	})
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(certPEM)
	return cert, key, roots
}

// signed makes files of a certificate that vouches for itself, and of its key.
func signed(t *testing.T, template *x509.Certificate) (cert, key string, certPEM []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	privateDER, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	certPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := errors.Join(os.WriteFile(cert, certPEM, 0o600),
		os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: privateDER}), 0o600)); err != nil {
		t.Fatal(err)
	}
	return cert, key, certPEM
}

func TestTLSOfAPIAndGRPC(t *testing.T) {
	t.Parallel()
	cert, key, roots := selfSigned(t)
	s := newNode(t, "--tls-cert", cert, "--tls-key", key)
	s.launch()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	t.Cleanup(transport.CloseIdleConnections)
	c := &client{t: t, base: "https://" + s.listen, key: basicAuth(publicKey, secretKey), http: &http.Client{Transport: transport, Timeout: 10 * time.Second}}
	eventually(t, 60*time.Second, "the server gets ready", func() error {
		a, err := c.do(http.MethodGet, "/api/public/ready", nil)
		if err == nil {
			err = a.err()
		}
		return err
	})
	spans := newSpans(5)
	c.send(inProtobuf(t, spans...))
	c.showsWithin(30*time.Second, spans)
	if _, err := s.look("http://" + s.listen + "/api/public/health"); err == nil {
		t.Error("the API answers without TLS")
	}
	if r := run(t, environment(t, "SONDE_LISTEN="+s.listen, "SONDE_TLS_CERT="+cert, "SONDE_TLS_KEY="+key), "health", "--ready"); r.code != 0 {
		t.Errorf("health: %+v", r)
	}
	conn, err := grpc.NewClient(s.grpc, grpc.WithTransportCredentials(credentials.NewClientTLSFromCert(roots, "")))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	conn.Connect()
	eventually(t, 20*time.Second, "gRPC connects", func() error {
		if state := conn.GetState(); state != connectivity.Ready {
			return fmt.Errorf("the connection is %s", state)
		}
		return nil
	})
	if expires, err := s.metric("sonde_tls_certificate_expiry_timestamp_seconds"); err != nil || time.Until(time.Unix(int64(expires), 0)) > time.Hour {
		t.Errorf("the certificate's expiry is %v, %v", expires, err)
	}
}

func TestHealthFailsWithoutAServer(t *testing.T) {
	t.Parallel()
	if r := run(t, environment(t), "health", "--listen", freeAddress(t)); r.code == 0 || !strings.Contains(r.stderr, "does not answer") {
		t.Errorf("%+v", r)
	}
}
