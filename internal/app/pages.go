package app

import (
	"context"
	"fmt"
	"net/url"

	"github.com/sondehq/sonde/internal/web"
	"github.com/sondehq/sonde/ui"
)

// openPages reads the UI on nodes that serve it; others have nothing to show.
func (n *node) openPages(context.Context) error {
	if !n.config.Runs("ui") {
		return nil
	}
	base := n.config.BasePath
	if configured := n.config.ConfiguredURL(); configured != "" {
		public, err := url.Parse(configured)
		if err != nil {
			return fmt.Errorf("read the public URL: %w", err)
		}
		base = public.EscapedPath()
	}
	pages, err := web.New(ui.Files(), base)
	if err != nil {
		return err
	}
	n.pages = pages
	return nil
}
