//go:build !linux

package natslog_test

import "testing"

func tellsUnsynced(*testing.T, string) bool       { return false }
func unsyncedPages(*testing.T, string) (n uint64) { return 0 }
