package engine

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

const (
	loopback = "127.0.0.1"

	// Below the range from which systems take ports for outgoing connections, so that a restart
	// does not find one of those sitting on its port.
	firstPort = 20000
	portCount = 12000

	lockStep = 100 * time.Millisecond
	// The engine of a killed parent is gone after orphanGrace; more means that another one lives here.
	lockPatience = orphanGrace + 12*time.Second
)

// pickPort returns a free port, the same one for the same directory whenever it is free.
func pickPort(dir string) (int, error) {
	hash := fnv.New32a()
	hash.Write([]byte(dir))
	start := int(hash.Sum32() % portCount)
	for i := range portCount {
		port := firstPort + (start+i)%portCount
		if isFree(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port from %d to %d", firstPort, firstPort+portCount-1)
}

func isFree(port int) bool {
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

// awaitUnlocked waits for the engine of a killed parent to let go of the data.
func awaitUnlocked(ctx context.Context, files layout) error {
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	tick := time.NewTicker(lockStep)
	defer tick.Stop()
	for {
		locked, err := isLocked(files.lock())
		if err != nil {
			return fmt.Errorf("look at engine lock: %w", err)
		}
		if !locked {
			return nil
		}
		select {
		case <-ctx.Done():
			return fault.New(fault.Conflict, "engine directory %s is in use by another process", string(files)).Because(ctx.Err())
		case <-tick.C:
		}
	}
}

// isLocked takes ClickHouse's own lock for an instant.
func isLocked(path string) (bool, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}
