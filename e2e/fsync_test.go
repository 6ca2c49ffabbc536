package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Killing processes proves nothing about disks, because the page cache survives them. What must be on
// disk before somebody is told so shows in the order of system calls.

// call is one system call of the server or its engine, with the lines of the trace at which it
// began and ended: two calls are in order when one ended before the other began.
type call struct {
	name, args string
	path       string // of the first descriptor
	began      int
	ended      int
}

var traced = []string{
	"fsync", "fdatasync", "write", "pwrite64", "writev", "pwritev", "pwritev2", "sendto", "sendmsg", "rename", "renameat", "renameat2",
}

// startTraced is a server under strace; the returned function ends it and reads the trace.
func startTraced(t *testing.T, flags ...string) (*server, func() []call) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Fatal("this test looks at system calls: install strace")
	}
	file := filepath.Join(t.TempDir(), "trace")
	s := newNode(t, flags...)
	s.wrap = []string{"strace", "--seccomp-bpf", "-f", "-y", "-s", "3000", "-e", "trace=" + strings.Join(traced, ","), "-o", file}
	s.start()
	return s, func() []call {
		t.Helper()
		if _, code := s.stop(); code != 0 {
			t.Fatalf("the traced server ended with code %d:\n%s", code, s.said())
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		calls := readTrace(string(text))
		if len(calls) < 100 {
			t.Fatalf("the trace has %d calls only", len(calls))
		}
		return calls
	}
}

var (
	traceLine   = regexp.MustCompile(`^(\d+) +(?:(\w+)\((.*)|<\.\.\. (\w+) resumed>.*)$`)
	traceHandle = regexp.MustCompile(`^\d+<([^>]*)>`)
)

func readTrace(text string) []call {
	var calls []call
	unfinished := map[string]int{} // by process
	for number, line := range strings.Split(text, "\n") {
		parts := traceLine.FindStringSubmatch(line)
		switch {
		case parts == nil:
		case parts[2] != "":
			c := call{name: parts[2], args: parts[3], began: number, ended: number}
			if handle := traceHandle.FindStringSubmatch(c.args); handle != nil {
				c.path = handle[1]
			}
			if strings.HasSuffix(line, "<unfinished ...>") {
				c.ended = len(text) // until it is resumed
				unfinished[parts[1]] = len(calls)
			}
			calls = append(calls, c)
		default:
			if at, ok := unfinished[parts[1]]; ok && calls[at].name == parts[4] {
				calls[at].ended = number
				delete(unfinished, parts[1])
			}
		}
	}
	return calls
}

func (c call) syncs() bool { return c.name == "fsync" || c.name == "fdatasync" }
func (c call) writes() bool {
	return strings.Contains(c.name, "write") || strings.HasPrefix(c.name, "send")
}

// find returns the first call that fits, or fails the test.
func find(t *testing.T, what string, calls []call, fits func(call) bool) call {
	t.Helper()
	at := slices.IndexFunc(calls, fits)
	if at < 0 {
		t.Fatalf("the trace does not show %s", what)
	}
	return calls[at]
}

// syncedBetween reports whether path was synced wholly between two calls.
func syncedBetween(calls []call, path string, after, before call) bool {
	return slices.ContainsFunc(calls, func(c call) bool {
		return c.syncs() && c.path == path && c.began > after.ended && c.ended < before.began
	})
}

// exportNamed sends spans under a name that the trace shows in the answer.
func (c *client) exportNamed(b body, name string) {
	c.t.Helper()
	a, err := c.do(http.MethodPost, tracesPath, b.bytes, "Content-Type", b.contentType, "X-Request-Id", name)
	if err == nil {
		err = a.err()
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func TestAnswerComesAfterTheLogIsOnDisk(t *testing.T) {
	s, end := startTraced(t)
	s.client().exportNamed(inJSON(t, newSpans(3)...), "the-export")
	calls := end()

	answer := find(t, "the answer to the export", calls, func(c call) bool {
		return c.writes() && strings.Contains(c.args, "HTTP/1.1 200 OK") && strings.Contains(c.args, "the-export")
	})
	block := regexp.MustCompile(`/log/jetstream/.*/SONDE_LOG_\d+/msgs/\d+\.blk$`)
	record := find(t, "the write of the record", calls, func(c call) bool {
		return c.writes() && block.MatchString(c.path) && strings.Contains(c.args, "otlp-traces")
	})
	if !syncedBetween(calls, record.path, record, answer) {
		t.Errorf("%s was not synced between the write of the record (line %d) and the answer (line %d)", record.path, record.began, answer.began)
	}

	// The project and its key, which the first start created, were on disk before anything was served.
	first := find(t, "the first answer", calls, func(c call) bool { return c.writes() && strings.Contains(c.args, "HTTP/1.1 200 OK") })
	var written call
	for _, c := range calls {
		if c.writes() && strings.HasSuffix(c.path, "/metadata.sqlite-wal") && c.ended < first.began {
			written = c
		}
	}
	if written.path == "" || !syncedBetween(calls, written.path, written, first) {
		t.Errorf("the metadata were not synced after their last write (line %d) and before the first answer (line %d)", written.began, first.began)
	}
}

func TestLogIsAcknowledgedAfterTheStoreIsOnDisk(t *testing.T) {
	// An embedded log is acknowledged inside the process; over TCP the acknowledgement is a system call.
	s, end := startTraced(t, "--eventlog-address="+startNATS(t))
	spans := newSpans(3)
	s.client().exportNamed(inJSON(t, spans...), "the-export")
	s.client().showsWithin(30*time.Second, spans)
	s.drained(30 * time.Second)
	tables := map[string]string{}
	for _, table := range []string{"payloads", "traces", "observations"} {
		tables[table] = s.tableDir(table)
	}
	calls := end()

	acknowledged := find(t, "the acknowledgement", calls, func(c call) bool {
		return c.writes() && strings.Contains(c.args, "$JS.ACK.SONDE_LOG_") && strings.Contains(c.args, "+ACK")
	})
	for table, dir := range tables {
		for _, problem := range unsyncedPart(calls, dir, acknowledged) {
			t.Errorf("%s: %s", table, problem)
		}
	}
}

// tableDir is where the engine keeps a table, as it writes in the table's definition.
func (s *server) tableDir(table string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "engine", "data", "metadata", "sonde", table+".sql"))
	if err != nil {
		s.t.Fatal(err)
	}
	id := regexp.MustCompile(`UUID '([0-9a-f-]+)'`).FindStringSubmatch(string(text))
	if id == nil {
		s.t.Fatalf("the definition of %s names no directory", table)
	}
	return filepath.Join(s.dir, "engine", "data", "store", id[1][:3], id[1])
}

// unsyncedPart looks at the one part that was written to a table: all of its files must be synced
// after their last write, and its directory after it got its name, before it was acknowledged.
func unsyncedPart(calls []call, table string, acknowledged call) (problems []string) {
	last := map[string]call{} // write to a file of a part
	for _, c := range calls {
		if c.writes() && strings.HasPrefix(c.path, table+"/tmp_insert_") && c.began < acknowledged.began {
			last[c.path] = c
		}
	}
	if len(last) < 5 {
		return []string{fmt.Sprintf("%d files were written before the acknowledgement", len(last))}
	}
	for path, write := range last {
		if !syncedBetween(calls, path, write, acknowledged) {
			problems = append(problems, path+" was not synced")
		}
	}
	at := slices.IndexFunc(calls, func(c call) bool {
		return strings.HasPrefix(c.name, "rename") && strings.Contains(c.args, table+"/tmp_insert_")
	})
	if at < 0 || calls[at].ended > acknowledged.began {
		return append(problems, "the part had no name yet")
	}
	final := regexp.MustCompile(`"(` + regexp.QuoteMeta(table) + `/[^"]*?)/?"[^"]*$`).FindStringSubmatch(calls[at].args)
	if final == nil {
		return append(problems, "the part got an odd name: "+calls[at].args)
	}
	if !syncedBetween(calls, final[1], calls[at], acknowledged) {
		problems = append(problems, "the directory "+final[1]+" was not synced")
	}
	return problems
}

// The order is what counts, and the reader of traces must see when it is wrong.
func TestTraceReaderFinds(t *testing.T) {
	t.Parallel()
	const write, sync, half, resumed, answer = `1 pwrite64(7</log/1.blk>, "x", 1, 0) = 1`, `1 fsync(7</log/1.blk>) = 0`,
		`1 fsync(7</log/1.blk> <unfinished ...>`, `1 <... fsync resumed>)            = 0`, `2 write(9<socket:[1]>, "HTTP", 4) = 4`
	for name, c := range map[string]struct {
		lines []string
		want  bool
	}{
		"in order":            {[]string{write, sync, answer}, true},
		"in two halves":       {[]string{write, half, resumed, answer}, true},
		"answered meanwhile":  {[]string{write, half, answer, resumed}, false},
		"never resumed":       {[]string{write, half, answer}, false},
		"synced too early":    {[]string{sync, write, answer}, false},
		"synced too late":     {[]string{write, answer, sync}, false},
		"another file synced": {[]string{write, `1 fsync(8</log/2.blk>) = 0`, answer}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := readTrace(strings.Join(c.lines, "\n"))
			from := find(t, "a write", calls, func(c call) bool { return c.name == "pwrite64" })
			to := find(t, "an answer", calls, func(c call) bool { return c.name == "write" })
			if got := syncedBetween(calls, "/log/1.blk", from, to); got != c.want {
				t.Errorf("synced is %v", got)
			}
		})
	}
}
