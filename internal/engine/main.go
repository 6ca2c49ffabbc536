package engine

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	leashFD = 3
	// orphanGrace is how long an engine may take to end in good order once its parent is gone.
	orphanGrace = 3 * time.Second

	exitUsage  = 2
	exitOrphan = 3
)

// IsChild reports whether a command line is the one that an engine is started with; "engine" alone is a command for people.
func IsChild(args []string) bool {
	return len(args) > 1 && args[0] == "engine" && strings.HasPrefix(args[1], "--dir=")
}

// Main is what a child does: it serves the data directory on the loopback port until its
// standard input or the leash on descriptor 3 ends, and returns the exit code of the process.
// It takes the whole process: it closes descriptors, changes signals and replaces standard input.
func Main(args []string) int {
	flags := flag.NewFlagSet("engine", flag.ContinueOnError)
	library := flags.String("library", "", "libchdb file to load")
	binary := flags.String("binary", "", "clickhouse program to run in place of the library")
	dir := flags.String("dir", "", "data directory with its generated configuration")
	port := flags.Int("port", 0, "loopback port of the native protocol")
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	if (*library == "") == (*binary == "") || *dir == "" || *port == 0 {
		fmt.Fprintln(os.Stderr, "engine: one of --library and --binary, --dir and --port are required")
		return exitUsage
	}
	closeInherited()
	leash := os.NewFile(leashFD, "leash")
	if info, err := leash.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		fmt.Fprintln(os.Stderr, "engine: no leash on descriptor 3; this command is started by sonde itself")
		return exitUsage
	}
	parent, err := watch(leash)
	if err != nil {
		fmt.Fprintln(os.Stderr, "engine:", err)
		return 1
	}
	if *binary != "" {
		err = runServer(*binary, layout(*dir), *port, parent)
	} else {
		err = runLibrary(*library, layout(*dir), *port, parent)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "engine:", err)
		return 1
	}
	return 0
}

// parent is what this process hears of the one that started it.
type parent struct {
	served chan struct{} // closed when the parent has seen an answer
	stop   chan struct{} // closed when the parent asks for an end, or is gone
}

// watch listens to the parent. When that is gone it ends the process after orphanGrace.
func watch(leash *os.File) (*parent, error) {
	// The library gets another standard input, so this one moves aside.
	fd, err := syscall.Dup(0)
	if err != nil {
		return nil, fmt.Errorf("keep standard input: %w", err)
	}
	syscall.CloseOnExec(fd)
	syscall.CloseOnExec(leashFD)
	stdin := os.NewFile(uintptr(fd), "stdin")
	p := &parent{served: make(chan struct{}), stop: make(chan struct{})}
	asked, orphaned := make(chan struct{}), make(chan struct{})
	go func() {
		if _, err := io.ReadFull(stdin, make([]byte, 1)); err == nil {
			close(p.served)
		}
		drain(stdin, asked)
	}()
	go drain(leash, orphaned)
	go func() {
		select {
		case <-asked:
		case <-orphaned:
		}
		close(p.stop)
		<-orphaned
		<-time.After(orphanGrace)
		os.Exit(exitOrphan)
	}()
	return p, nil
}

func drain(f *os.File, ended chan<- struct{}) {
	_, _ = io.Copy(io.Discard, f)
	close(ended)
}

// closeInherited closes what the parent's own parent left open. Descriptors that came through exec lack
// the close-on-exec flag which Go gives to all of its own; that tells them apart.
func closeInherited() {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd <= leashFD {
			continue
		}
		flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
		if errno == 0 && flags&syscall.FD_CLOEXEC == 0 {
			_ = syscall.Close(fd)
		}
	}
}
