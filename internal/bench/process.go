package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// usage is what a set of processes has taken.
type usage struct {
	rssBytes uint64
	cpu      time.Duration // since each process began
}

// clockTick is the unit of CPU time in /proc on every Linux we run on.
const clockTick = 10 * time.Millisecond

// processTree is pid and everything it started, read from /proc.
func processTree(pid int) ([]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	children := map[int][]int{}
	for _, path := range stats {
		fields, err := statFields(path)
		if err != nil {
			continue // it ended meanwhile
		}
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], child)
	}
	tree := []int{pid}
	for i := 0; i < len(tree); i++ {
		tree = append(tree, children[tree[i]]...)
	}
	return tree, nil
}

// statFields are the fields of /proc/PID/stat after the command, which may hold anything.
func statFields(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	end := bytes.LastIndexByte(text, ')')
	fields := strings.Fields(string(text[end+1:]))
	if end < 0 || len(fields) < 22 {
		return nil, fmt.Errorf("%s has an unknown form", path)
	}
	return fields, nil
}

// measure reads memory and CPU of one process.
func measure(pid int) (usage, error) {
	fields, err := statFields(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return usage{}, fmt.Errorf("measure process %d: %w", pid, err)
	}
	user, _ := strconv.ParseUint(fields[11], 10, 64)
	system, _ := strconv.ParseUint(fields[12], 10, 64)
	pages, _ := strconv.ParseUint(fields[21], 10, 64)
	return usage{rssBytes: pages * uint64(os.Getpagesize()), cpu: time.Duration(user+system) * clockTick}, nil
}

// measureTree sums over a process and its children.
func measureTree(pid int) (usage, error) {
	tree, err := processTree(pid)
	if err != nil {
		return usage{}, err
	}
	var sum usage
	for _, p := range tree {
		u, err := measure(p)
		if err != nil {
			return usage{}, err
		}
		sum.rssBytes += u.rssBytes
		sum.cpu += u.cpu
	}
	return sum, nil
}
