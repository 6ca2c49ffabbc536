package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/config"
)

func TestReadPrices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	own := write("own.json", `{"asOf":"2026-08-22","currency":"USD","models":[{"name":"mine","matchPattern":"^mine$",
		"pricingTiers":[{"name":"Standard","kind":"default","prices":{"input":"0.5"}}]}]}`)
	list, err := readPrices(&config.Config{PricesFile: own})
	if err != nil || list.Match("mine", time.Now()) == nil || list.Match("gpt-4o", time.Now()) != nil {
		t.Errorf("own list: %v", err)
	}
	list, err = readPrices(&config.Config{})
	if err != nil || list.Match("gpt-4o", time.Now()) == nil {
		t.Errorf("built-in list: %v", err)
	}
	for _, path := range []string{write("bad.json", `{"models":[]}`), filepath.Join(dir, "none.json"), dir} {
		if _, err := readPrices(&config.Config{PricesFile: path}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want an error that names it", path, err)
		}
	}
}
