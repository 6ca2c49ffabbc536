package app

import (
	"context"
	"fmt"
	"os"

	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/price"
	"github.com/sondehq/sonde/internal/pricing"
)

// openPrices reads the price list once: a list that changes needs a restart, so that all rows of a
// node are priced alike.
func (n *node) openPrices(context.Context) (err error) {
	if n.prices, err = readPrices(n.config); err != nil {
		return err
	}
	n.pricer = pricing.New(n.prices, n.meta, n.logger)
	return nil
}

// readPrices reads the operator's price list, or the built-in one.
func readPrices(c *config.Config) (*price.List, error) {
	if c.PricesFile == "" {
		return price.Builtin()
	}
	file, err := os.Open(c.PricesFile)
	if err != nil {
		return nil, fmt.Errorf("open the price list: %w", err)
	}
	defer file.Close()
	list, err := price.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.PricesFile, err)
	}
	return list, nil
}
