package llm

import "time"

// WithQuiet returns a client that gives up sooner.
func WithQuiet(c *Client, quiet time.Duration) *Client {
	return &Client{connections: c.connections, guard: c.guard, quiet: quiet}
}
