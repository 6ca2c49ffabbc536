// Package selfobs is how the server shows itself: its log, its metrics and its build.
package selfobs

import (
	"fmt"
	"io"
	"log/slog"
)

// NewLogger makes the server's logger: format is "text" or "json", level one of slog's names.
func NewLogger(w io.Writer, format, level string) (*slog.Logger, error) {
	var lv slog.Level
	if err := lv.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level %q: use debug, info, warn or error", level)
	}
	options := &slog.HandlerOptions{Level: lv}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	return nil, fmt.Errorf("log format %q: use text or json", format)
}
