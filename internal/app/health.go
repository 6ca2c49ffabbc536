package app

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"time"
)

// healthCommand asks the server on this machine, by the settings that serve has.
type healthCommand struct {
	Ready bool `help:"Ask whether it takes and answers requests, not only whether it lives."`
	settings
}

// healthWithin is less than health checks of containers usually wait.
const healthWithin = 5 * time.Second

// Run fails unless the server answers 200.
func (c *healthCommand) Run(ctx context.Context, std streams) error {
	scheme, path := "http", "/api/public/health"
	if c.TLS.Cert != "" {
		scheme = "https"
	}
	if c.Ready {
		path = "/api/public/ready"
	}
	ctx, cancel := context.WithTimeout(ctx, healthWithin)
	defer cancel()
	address := scheme + "://" + loopbackOf(c.Listen) + c.BasePath + path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask %s: %w", address, err)
	}
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		// The certificate names how others reach the server; nothing secret is sent.
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}, //nolint:gosec // see above
	}}
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
	if err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answers %s: %s", answer.Status, text)
	}
	_, err = fmt.Fprintf(std.out, "%s\n", text)
	return err
}
