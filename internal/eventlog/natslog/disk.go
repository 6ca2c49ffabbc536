package natslog

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
)

// diskCheckEvery is how old the figure of free bytes may be.
const diskCheckEvery = time.Second

// diskGuard refuses appends while the disk is nearly full.
type diskGuard struct {
	dir  string
	min  uint64
	free func(dir string) (uint64, error)

	mu      sync.Mutex
	checked time.Time
	err     error
}

func (g *diskGuard) check() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now := time.Now(); now.Sub(g.checked) >= diskCheckEvery {
		g.checked = now
		switch free, err := g.free(g.dir); {
		case err != nil:
			g.err = fmt.Errorf("read free disk space: %w", err)
		case free < g.min:
			g.err = fmt.Errorf("%w: the disk has less than %d MiB left", eventlog.ErrFull, g.min>>20)
		default:
			g.err = nil
		}
	}
	return g.err
}

// freeBytes is what an unprivileged process may still write to the disk that holds dir.
func freeBytes(dir string) (uint64, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	return stat.Bavail * uint64(stat.Bsize), nil
}

// lockFile takes the lock that keeps a second process out. It ends with the process.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errors.New("in use by another process")
		}
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
