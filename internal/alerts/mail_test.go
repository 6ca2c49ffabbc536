package alerts_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/sondehq/sonde/internal/alerts"
	"github.com/sondehq/sonde/internal/model"
)

// postOffice is an SMTP server that keeps what it takes.
type postOffice struct {
	mu    sync.Mutex
	mails []string
	rcpts []string
	away  bool
}

func (p *postOffice) NewSession(*smtp.Conn) (smtp.Session, error) { return &clerk{office: p}, nil }

// clerk takes mail of those who sign in.
type clerk struct {
	office *postOffice
	known  bool
}

func (c *clerk) AuthMechanisms() []string { return []string{sasl.Plain} }

func (c *clerk) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "sonde" || password != "secret" {
			return errors.New("unknown")
		}
		c.known = true
		return nil
	}), nil
}

func (c *clerk) Mail(from string, _ *smtp.MailOptions) error {
	if !c.known || from != "sonde@example.com" {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (c *clerk) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.office.mu.Lock()
	defer c.office.mu.Unlock()
	if c.office.away {
		return &smtp.SMTPError{Code: 451, Message: "later"}
	}
	c.office.rcpts = append(c.office.rcpts, to)
	return nil
}

func (c *clerk) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	c.office.mu.Lock()
	defer c.office.mu.Unlock()
	c.office.mails = append(c.office.mails, string(text))
	return err
}

func (c *clerk) Reset()        {}
func (c *clerk) Logout() error { return nil }

// open starts the server with a certificate of its own, and returns its address and who trusts it.
func (p *postOffice) open(t *testing.T, implicit bool) (address string, trust *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	server := smtp.NewServer(p)
	server.Domain, server.TLSConfig = "127.0.0.1", &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if implicit {
		listener = tls.NewListener(listener, server.TLSConfig)
	}
	go server.Serve(listener) //nolint:errcheck // ends with the test
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String(), &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
}

func TestEmail(t *testing.T) {
	t.Parallel()
	for _, security := range []string{"starttls", "tls"} {
		office := &postOffice{}
		address, trust := office.open(t, security == "tls")
		mailer, err := alerts.NewMailer(alerts.MailSettings{Address: address, From: "Sonde <sonde@example.com>", User: "sonde", Password: "secret", TLS: security, Trust: trust})
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, mailer)
		target, _ := w.target(t, model.EmailTarget, "ops@example.com")
		a := w.alert(t, above, target.ID)
		w.figures.set("3000", "")
		office.away = true
		w.look(t, a.ID)
		due, err := w.store.DueDeliveries(t.Context(), time.Now().Add(time.Hour), 10)
		if err != nil || len(due) != 1 || len(office.mails) != 0 {
			t.Fatalf("%s: %+v, %v", security, due, err)
		}
		office.away = false
		due[0].NextAt = time.Now()
		if err := w.store.SettleDelivery(t.Context(), due[0]); err != nil {
			t.Fatal(err)
		}
		w.look(t, a.ID)
		if len(office.mails) != 1 || office.rcpts[0] != "ops@example.com" {
			t.Fatalf("%s: %d mails to %v", security, len(office.mails), office.rcpts)
		}
		for _, want := range []string{"Subject: [Sonde] Firing: Slow <answers>", "Message-ID: <" + due[0].ID + "@example.com>", "Value: 3000", "From: \"Sonde\" <sonde@example.com>"} {
			if !strings.Contains(office.mails[0], want) {
				t.Errorf("%s: no %q in\n%s", security, want, office.mails[0])
			}
		}
	}
}

func TestEmailNeedsTheRightServer(t *testing.T) {
	t.Parallel()
	office := &postOffice{}
	address, _ := office.open(t, false)
	mailer, err := alerts.NewMailer(alerts.MailSettings{Address: address, From: "sonde@example.com", User: "sonde", Password: "secret", TLS: "starttls"})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, mailer)
	target, _ := w.target(t, model.EmailTarget, "ops@example.com")
	if reason, err := w.targets.Try(t.Context(), w.project, target.ID); err != nil || reason == "" || len(office.mails) != 0 {
		t.Errorf("a certificate that nobody vouches for: %q, %v", reason, err)
	}
	for _, address := range []string{"a@example.com\r\nBcc: b@example.com", "Ops <ops@example.com>", "nobody", "a@b, c@d"} {
		if _, _, err := w.targets.Create(t.Context(), w.project, "x", model.EmailTarget, address); err == nil {
			t.Errorf("%q is taken", address)
		}
	}
}
