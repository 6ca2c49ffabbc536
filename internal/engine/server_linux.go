package engine

import (
	"runtime"
	"syscall"
)

// dieWithParent makes the kernel kill the server when this process is killed. The signal follows the
// thread that forks, so that thread is kept: the caller must go on to the end of the process.
func dieWithParent() *syscall.SysProcAttr {
	runtime.LockOSThread()
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
