package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// dieWithParent makes the kernel kill the server when this process is killed. The signal follows the
// thread that forks, so that thread is kept: the caller must go on to the end of the process.
func dieWithParent() *syscall.SysProcAttr {
	runtime.LockOSThread()
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// releaseCode gives back the pages of the library that only its start needed, more than half of what an
// idle engine holds. They stay in the page cache, and what is needed again is mapped again at no
// noticeable cost. A range is taken only if none of its pages differs from the file, so nothing is lost.
func releaseCode(library string) {
	library, err := filepath.EvalSymlinks(library)
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	var from, to uintptr // of the range whose lines are being read; empty if it is not for us
	for line := range strings.Lines(string(maps)) {
		var start, end uintptr
		var mode string
		if n, _ := fmt.Sscanf(line, "%x-%x %s", &start, &end, &mode); n == 3 {
			from, to = start, end
			if !strings.HasSuffix(line, " "+library+"\n") || strings.Contains(mode, "w") {
				to = from
			}
		}
		var changed int
		if n, _ := fmt.Sscanf(line, "Anonymous: %d kB", &changed); n == 1 && changed == 0 && from < to {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_DONTNEED)
		}
	}
}
