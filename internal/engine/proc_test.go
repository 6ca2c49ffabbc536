package engine

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// isRunning is false for a process that has ended, even if nobody has collected it yet.
func isRunning(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(after, "Z")
}

// descriptors lists what the process has open.
func descriptors(t *testing.T, pid int) []string {
	t.Helper()
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil || len(links) == 0 {
		t.Fatalf("no descriptors of %d: %v", pid, err)
	}
	var targets []string
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil {
			targets = append(targets, target)
		}
	}
	return targets
}

// listening lists the TCP addresses on which the process listens.
func listening(t *testing.T, pid int) []string {
	t.Helper()
	own := map[string]bool{}
	for _, target := range descriptors(t, pid) {
		if inode, ok := strings.CutPrefix(target, "socket:["); ok {
			own[strings.TrimSuffix(inode, "]")] = true
		}
	}
	var addrs []string
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) > 9 && fields[3] == "0A" && own[fields[9]] {
				addrs = append(addrs, socketAddr(fields[1]))
			}
		}
	}
	if len(addrs) == 0 {
		t.Fatalf("process %d listens nowhere", pid)
	}
	return addrs
}

// socketAddr reads the kernel's form of an address; one that is not IPv4 stays as it is.
func socketAddr(hex string) string {
	host, port, _ := strings.Cut(hex, ":")
	number, err := strconv.ParseUint(port, 16, 16)
	ip, err4 := strconv.ParseUint(host, 16, 32)
	if err != nil || err4 != nil {
		return hex
	}
	return fmt.Sprintf("%s:%d", net.IPv4(byte(ip), byte(ip>>8), byte(ip>>16), byte(ip>>24)), number)
}

// resident is the resident memory of a process in bytes.
func resident(t *testing.T, pid int) int64 {
	t.Helper()
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var kb int64
		if n, _ := fmt.Sscanf(lines.Text(), "VmRSS: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	t.Fatal("no VmRSS")
	return 0
}
