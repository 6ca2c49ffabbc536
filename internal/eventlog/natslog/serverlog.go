package natslog

import (
	"fmt"
	"log/slog"
)

// serverLogger passes on what the embedded server warns of; the rest is of no use to us.
type serverLogger struct{ log *slog.Logger }

func (s serverLogger) Noticef(string, ...any) {}
func (s serverLogger) Debugf(string, ...any)  {}
func (s serverLogger) Tracef(string, ...any)  {}

func (s serverLogger) Warnf(format string, args ...any) {
	s.log.Warn("log server", "text", fmt.Sprintf(format, args...))
}

func (s serverLogger) Errorf(format string, args ...any) {
	s.log.Error("log server", "text", fmt.Sprintf(format, args...))
}

func (s serverLogger) Fatalf(format string, args ...any) { s.Errorf(format, args...) }
