package natslog_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
)

// A child is this test binary started again with the directory of a log in its environment.
const (
	childDir  = "SONDE_NATSLOG_CHILD_DIR"
	childRole = "SONDE_NATSLOG_CHILD_ROLE"
	childJob  = "SONDE_NATSLOG_CHILD_JOB"
	childPort = "SONDE_NATSLOG_CHILD_PORTS"
)

func runChild(dir string) {
	roles := map[string]func(dir string) error{"append": childAppend, "churn": childChurn, "disk": childDisk, "jobs": childJobs, "serve": childServe}
	if err := roles[os.Getenv(childRole)](dir); err != nil {
		fmt.Fprintln(os.Stdout, "error", err)
		os.Exit(1)
	}
}

// startChild runs a child and calls line with everything it prints, until it is dead.
// It returns a function that kills the child and one that waits for its end.
func startChild(t *testing.T, dir, role string, line func(string), more ...string) (kill func(), wait func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(append(os.Environ(), childDir+"="+dir, childRole+"="+role), more...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			line(lines.Text())
		}
		_ = cmd.Wait()
		cancel()
	}()
	return func() { _ = cmd.Process.Kill() }, func() { <-done }
}

// killSoon lets a child run until it printed something and then for a random while.
func killSoon(t *testing.T, dir, role string, line func(string), more ...string) {
	t.Helper()
	var first sync.Once
	alive := make(chan struct{})
	kill, wait := startChild(t, dir, role, func(text string) {
		line(text)
		first.Do(func() { close(alive) })
	}, more...)
	select {
	case <-alive:
		<-time.After(time.Duration(rand.IntN(300)) * time.Millisecond)
	case <-time.After(20 * time.Second):
		t.Error("the child prints nothing")
	}
	kill()
	wait()
}

// checked makes a record that carries its own checksum.
func checked(size int) []byte {
	body := make([]byte, size)
	for i := range body {
		body[i] = byte(rand.Uint32())
	}
	sum := sha256.Sum256(body)
	return append(sum[:], body...)
}

func intact(record []byte) bool {
	return len(record) >= sha256.Size && sha256.Sum256(record[sha256.Size:]) == [sha256.Size]byte(record[:sha256.Size])
}

func childConfig(dir string) natslog.Config {
	return natslog.Config{Dir: dir, Partitions: 3, RedeliverAfter: time.Minute, MinFreeBytes: 1}
}

// childAppend prints every position after its append returned.
func childAppend(dir string) error {
	ctx := context.Background()
	log, err := natslog.OpenEmbedded(ctx, childConfig(dir))
	if err != nil {
		return err
	}
	failed := make(chan error)
	for range 4 {
		go func() {
			for {
				record := checked(rand.IntN(200_000))
				pos, err := log.Append(ctx, record)
				if err != nil {
					failed <- err
				}
				fmt.Fprintf(os.Stdout, "appended %d %d %x\n", pos.Partition, pos.Sequence, record[:8])
			}
		}()
	}
	return <-failed
}

func TestAcknowledgedAppendsSurviveKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	acknowledged := map[eventlog.Position]string{}
	for range 3 {
		killSoon(t, dir, "append", func(line string) {
			var pos eventlog.Position
			var sum string
			if _, err := fmt.Sscanf(line, "appended %d %d %s", &pos.Partition, &pos.Sequence, &sum); err != nil {
				t.Errorf("the child prints %q", line)
			}
			if _, twice := acknowledged[pos]; twice {
				t.Errorf("position %v was given twice", pos)
			}
			acknowledged[pos] = sum
		})
	}
	log := openEmbedded(t, childConfig(dir))
	found := map[eventlog.Position]string{}
	for _, d := range fetchAll(t, log) {
		if !intact(d.Record()) {
			t.Errorf("record %v is damaged", d.Position())
			continue
		}
		found[d.Position()] = hex.EncodeToString(d.Record()[:8])
	}
	for pos, sum := range acknowledged {
		if found[pos] != sum {
			t.Errorf("record %v was acknowledged with %s, the log has %q", pos, sum, found[pos])
		}
	}
	t.Logf("%d appends were acknowledged, %d records found", len(acknowledged), len(found))
}

// childChurn opens and closes the log again and again; each time it appends, takes back what
// was left, acknowledges some of it and trims. It prints what it is about to acknowledge.
func childChurn(dir string) error {
	ctx := context.Background()
	for {
		log, err := natslog.OpenEmbedded(ctx, childConfig(dir))
		if err != nil {
			return err
		}
		for range 20 {
			pos, err := log.Append(ctx, checked(rand.IntN(2000)))
			if err != nil {
				return err
			}
			fmt.Fprintln(os.Stdout, "appended", pos.Partition, pos.Sequence)
		}
		most := rand.IntN(10) // most rounds acknowledge everything, so that trimming empties the log
		for p := range log.Partitions() {
			short, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
			got, err := log.Fetch(short, p, 100, 1<<20)
			cancel()
			if err != nil {
				return err
			}
			for _, d := range got {
				if rand.IntN(10) >= most {
					fmt.Fprintln(os.Stdout, "done", d.Position().Partition, d.Position().Sequence)
					if err := d.Ack(); err != nil {
						return err
					}
				}
			}
		}
		if err := log.Trim(ctx, 0); err != nil {
			return err
		}
		if err := log.Close(ctx); err != nil {
			return err
		}
	}
}

// TestUnacknowledgedIsNeverSkipped kills the log at any moment, while it opens, resets its
// consumers, acknowledges or trims. Every record that was appended and not acknowledged must
// come again, at once, and no sequence may be given twice.
func TestUnacknowledgedIsNeverSkipped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	waiting := map[eventlog.Position]bool{}
	last := map[int]uint64{}
	for range 5 {
		killSoon(t, dir, "churn", func(line string) {
			var what string
			var pos eventlog.Position
			if _, err := fmt.Sscan(line, &what, &pos.Partition, &pos.Sequence); err != nil {
				t.Errorf("the child prints %q", line)
			}
			switch what {
			case "appended":
				if pos.Sequence <= last[pos.Partition] {
					t.Errorf("position %v came after sequence %d", pos, last[pos.Partition])
				}
				last[pos.Partition] = pos.Sequence
				waiting[pos] = true
			case "done":
				delete(waiting, pos)
			}
		})
		log := openEmbedded(t, childConfig(dir))
		found := map[eventlog.Position]bool{}
		for _, d := range fetchAll(t, log) {
			found[d.Position()] = true
		}
		for pos := range waiting {
			if !found[pos] {
				t.Errorf("record %v was never acknowledged and did not come again", pos)
			}
		}
		t.Logf("%d records waited, %d came", len(waiting), len(found))
		closeLog(t, log.Log)
	}
}

// fetchAll fetches everything that is due at once.
func fetchAll(t *testing.T, log eventlog.Log) []eventlog.Delivery {
	t.Helper()
	var all []eventlog.Delivery
	for p := range log.Partitions() {
		for {
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			got, err := log.Fetch(ctx, p, 1000, 32<<20)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if len(got) == 0 {
				break
			}
			all = append(all, got...)
		}
	}
	return all
}
