package engine

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/ebitengine/purego"
)

// openTerminal puts a pseudo-terminal in the place of standard input and returns its other end;
// closing that hangs up. It goes through libc, whose names are the same on every Unix.
func openTerminal() (*os.File, error) {
	var (
		open   func(flags int32) int32
		grant  func(fd int32) int32
		unlock func(fd int32) int32
		name   func(fd int32) string
		dup2   func(from, to int32) int32
	)
	purego.RegisterLibFunc(&open, purego.RTLD_DEFAULT, "posix_openpt")
	purego.RegisterLibFunc(&grant, purego.RTLD_DEFAULT, "grantpt")
	purego.RegisterLibFunc(&unlock, purego.RTLD_DEFAULT, "unlockpt")
	purego.RegisterLibFunc(&name, purego.RTLD_DEFAULT, "ptsname")
	purego.RegisterLibFunc(&dup2, purego.RTLD_DEFAULT, "dup2")

	fd := open(syscall.O_RDWR | syscall.O_NOCTTY)
	if fd < 0 || grant(fd) != 0 || unlock(fd) != 0 {
		return nil, errors.New("no pseudo-terminal to be had; is /dev/pts mounted?")
	}
	far, err := os.OpenFile(name(fd), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, fmt.Errorf("open pseudo-terminal: %w", err)
	}
	defer far.Close()
	if dup2(int32(far.Fd()), 0) != 0 {
		return nil, errors.New("replace standard input by a pseudo-terminal")
	}
	return os.NewFile(uintptr(fd), "terminal"), nil
}
