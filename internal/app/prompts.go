package app

import (
	"context"

	"github.com/sondehq/sonde/internal/prompts"
)

func (n *node) openPrompts(context.Context) error {
	n.prompts = prompts.New(n.meta)
	return nil
}

// closePrompts comes before the metadata database is closed, which a look for changes may still read.
func (n *node) closePrompts(context.Context) error {
	n.prompts.Close()
	return nil
}
