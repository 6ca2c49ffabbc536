package alerts

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// MailSettings say how email leaves this server.
type MailSettings struct {
	Address  string // host and port of an SMTP server
	From     string
	User     string // empty: without signing in
	Password string
	// TLS is "starttls", which the server must offer, "tls" from the first byte on, or "none".
	TLS string
	// Trust is nil outside tests: the system's certificates count.
	Trust *tls.Config
}

// Mailer sends messages by SMTP.
type Mailer struct {
	settings MailSettings
	host     string
	from     *mail.Address
}

// NewMailer makes a mailer; nil without an address.
func NewMailer(s MailSettings) (*Mailer, error) {
	if s.Address == "" {
		return nil, nil //nolint:nilnil // no email is a setting like any other
	}
	host, _, err := net.SplitHostPort(s.Address)
	if err != nil {
		return nil, fmt.Errorf("smtp-address: %w", err)
	}
	from, err := mail.ParseAddress(s.From)
	if err != nil {
		return nil, fmt.Errorf("smtp-from: %w", err)
	}
	return &Mailer{settings: s, host: host, from: from}, nil
}

func (m *Mailer) tlsConfig() *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if m.settings.Trust != nil {
		config = m.settings.Trust.Clone()
	}
	config.ServerName = m.host
	return config
}

// send hands one message to the server. Its id is the Message-ID, so that programs can drop a repetition.
func (m *Mailer) send(ctx context.Context, to, id string, message Message) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", m.settings.Address)
	if err != nil {
		return fault.Unavailablef("the SMTP server cannot be reached").Because(err)
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	if err := m.talk(conn, to, id, message); err != nil {
		return fault.Unavailablef("the SMTP server did not take the message").Because(err)
	}
	return nil
}

func (m *Mailer) talk(conn net.Conn, to, id string, message Message) error {
	if m.settings.TLS == "tls" {
		conn = tls.Client(conn, m.tlsConfig())
	}
	client, err := smtp.NewClient(conn, m.host)
	if err != nil {
		return fmt.Errorf("greet: %w", err)
	}
	if m.settings.TLS == "starttls" {
		if err := client.StartTLS(m.tlsConfig()); err != nil {
			return fmt.Errorf("start TLS: %w", err)
		}
	}
	if m.settings.User != "" {
		if err := client.Auth(smtp.PlainAuth("", m.settings.User, m.settings.Password, m.host)); err != nil {
			return fmt.Errorf("sign in: %w", err)
		}
	}
	if err := client.Mail(m.from.Address); err != nil {
		return fmt.Errorf("name the sender: %w", err)
	}
	if err := client.Rcpt(to); err != nil {
		return fmt.Errorf("name the recipient: %w", err)
	}
	w, err := client.Data()
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	if _, err := w.Write(m.compose(to, id, message)); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	if err := w.Close(); err != nil { // from here on the server has it
		return fmt.Errorf("send: %w", err)
	}
	_ = client.Quit()
	return nil
}

func (m *Mailer) compose(to, id string, message Message) []byte {
	var text bytes.Buffer
	_, domain, _ := strings.Cut(m.from.Address, "@")
	for _, header := range [][2]string{
		{"From", m.from.String()},
		{"To", (&mail.Address{Address: to}).String()},
		{"Subject", mime.QEncoding.Encode("utf-8", "[Sonde] "+headline(message))},
		{"Date", time.Now().UTC().Format(time.RFC1123Z)},
		{"Message-ID", "<" + id + "@" + domain + ">"},
		{"Auto-Submitted", "auto-generated"},
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"},
	} {
		text.WriteString(header[0] + ": " + header[1] + "\r\n")
	}
	text.WriteString("\r\n")
	body := quotedprintable.NewWriter(&text)
	_, _ = body.Write([]byte(headline(message) + "\n\n" + strings.Join(lines(message), "\n") + "\n\n" + message.URL + "\n")) // into memory
	_ = body.Close()
	return text.Bytes()
}
