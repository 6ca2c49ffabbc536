//go:build !linux

package engine

import "syscall"

// dieWithParent has no means on this system: a server whose keeper is killed by force stays behind, and
// the next start waits for it and then says that the directory is in use.
func dieWithParent() *syscall.SysProcAttr { return nil }

func releaseCode(string) {}
