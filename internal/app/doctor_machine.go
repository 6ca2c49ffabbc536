package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sondehq/sonde/internal/seal"
)

func (e *examination) configuration(context.Context) {
	e.note("configuration", "configuration", failed(e.Verify(), "a server with these settings does not start", "mend the settings that are named; `sonde serve --help` has all of them"))
	if text := e.EncryptionKey.Reveal(); text != "" {
		_, err := seal.ParseKey(text)
		e.note("encryption-key", "encryption key", failed(err, "kept secrets cannot be sealed or read", "make one with `openssl rand -hex 32`, the same for all nodes; see docs/operate/secrets.md"))
	}
	if e.PricesFile != "" {
		_, err := readPrices(&e.Config)
		e.note("prices", "price list "+e.PricesFile, failed(err, "a server with a list that it cannot read does not start", "mend the entry that is named, or leave --prices-file out; see docs/operate/prices.md"))
	}
	if zone, given := os.LookupEnv("TZ"); given {
		_, err := time.LoadLocation(strings.TrimPrefix(zone, ":"))
		e.note("time-zone", "time zone "+zone, failed(err, "times in logs would be those of UTC, without a word", "name a zone that the machine knows, such as Europe/Berlin, or unset TZ"))
	}
}

// What a data directory needs at least.
const (
	leastInodes = 10_000
	// otherMemory is what the server needs beside its engine at full load; see docs/operate/README.md.
	otherMemory = 900 << 20
)

func (e *examination) dataDirectory(ctx context.Context) {
	about := "data directory " + e.DataDir
	if t := e.writable(); t != nil {
		e.note("data-dir", about, t)
		return
	}
	e.note("data-dir", about, nil)
	e.lock(ctx, about)
	var fs syscall.Statfs_t
	if err := syscall.Statfs(e.DataDir, &fs); err != nil {
		e.note("disk", "disk of it", failed(err, "how much room there is cannot be told", "look at the file system"))
		return
	}
	if kind := remoteFileSystems[uint32(fs.Type)]; kind != "" { // a magic number of 32 bits
		e.note("file-system", about, &trouble{"is on " + kind, "logs and databases need a disk whose syncs are true and whose locks hold: data that was acknowledged may be lost", "choose a --data-dir on a disk of this machine"})
	}
	free, size := fs.Bavail*uint64(fs.Bsize), fs.Blocks*uint64(fs.Bsize)
	var t *trouble
	if least := 2 * uint64(e.Ingest.DiskReserve); free < least || free < size/20 {
		t = &trouble{fmt.Sprintf("%s of %s are free", mebibytes(free), mebibytes(size)), fmt.Sprintf("below %s new data is refused with 503", e.Ingest.DiskReserve), "make room, use a larger disk, or shorten retention; see docs/operate/retention.md"}
	}
	e.note("disk", "room on its disk", t)
	t = nil
	if fs.Files > 0 && fs.Ffree < leastInodes {
		t = &trouble{fmt.Sprintf("%d inodes are free", fs.Ffree), "the engine makes many small files: inserts fail although there is room", "remove small files, or make the file system with more inodes"}
	}
	e.note("inodes", "inodes on its disk", t)
}

// remoteFileSystems are kinds on which a data directory does not belong, by the numbers that statfs(2) has.
var remoteFileSystems = map[uint32]string{
	0x6969: "NFS", 0xff534d42: "CIFS", 0xfe534d42: "SMB", 0x517b: "SMB", 0x65735546: "FUSE", 0x01021997: "9p", 0x00c36400: "Ceph", 0x0bd00bd0: "Lustre", 0x5346414f: "AFS", //nolint:misspell // its name
	0x01021994: "tmpfs, which is memory", 0x858458f6: "ramfs, which is memory",
}

func (e *examination) writable() *trouble {
	const why, do = "everything is kept there", "choose another --data-dir, or give the server's user the right to write there"
	if err := os.MkdirAll(e.DataDir, 0o700); err != nil {
		return failed(err, why, do)
	}
	file, err := os.CreateTemp(e.DataDir, ".doctor-")
	if err == nil {
		err = errors.Join(file.Close(), os.Remove(file.Name()))
	}
	return failed(err, why, do)
}

// lock finds out whether a server works here.
func (e *examination) lock(ctx context.Context, about string) {
	file, err := os.OpenFile(filepath.Join(e.DataDir, "lock"), os.O_RDWR, 0o600)
	if err != nil {
		return // none ever has
	}
	defer file.Close()
	e.running = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
	if e.running && reach(ctx, loopbackOf(e.Listen)) != nil {
		e.note("lock", about, &trouble{"a server works in it that does not answer on " + e.Listen, "only one server may work in a directory: a second one does not start", "stop the other server, or choose another --data-dir; if it should be this one, give the settings it was started with"})
		e.running = false
	}
}

// leastFiles is what the server has open beside connections: the log's, the database's, blobs'.
const leastFiles = 1024

func (e *examination) machine(context.Context) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		least := uint64(e.MaxConnections)*2 + leastFiles
		var t *trouble
		if limit.Cur < least {
			t = &trouble{fmt.Sprintf("this process may open %d files, %d are needed at most", limit.Cur, least), "connections are refused, and files of the log cannot be opened, when many clients come", "raise it (LimitNOFILE= in systemd, ulimit -n), or lower --max-connections"}
		}
		e.note("open-files", "limit of open files", t)
	}
	if !e.ownEngine() {
		return
	}
	if total := memoryOfMachine(); total > 0 {
		var t *trouble
		if least := uint64(e.Engine.Memory) + otherMemory; total < least {
			t = &trouble{fmt.Sprintf("there are %s of memory, up to %s are used", mebibytes(total), mebibytes(least)), "the kernel ends the engine or the server when memory is short", "give the machine or the container more memory, or lower --engine-memory"}
		}
		e.note("memory", "memory", t)
	}
}

// memoryOfMachine is that of the machine or, where that is less, of the container; 0: not known.
func memoryOfMachine() uint64 {
	total := uint64(0)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" {
				kilobytes, _ := strconv.ParseUint(fields[1], 10, 64) // 0: not known
				total = kilobytes << 10
			}
		}
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if limit, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && limit < total {
			total = limit
		}
	}
	return total
}

// addresses must be free before a start; those of a server that runs are taken by it.
func (e *examination) addresses(ctx context.Context) {
	if e.running {
		return
	}
	list := []string{e.Listen}
	if e.GRPCListen != "" && e.Runs("ingest") {
		list = append(list, e.GRPCListen)
	}
	if e.MetricsListen != "" {
		list = append(list, e.MetricsListen)
	}
	for _, address := range list {
		var listening net.ListenConfig
		l, err := listening.Listen(ctx, "tcp", address)
		if err == nil {
			err = l.Close()
		}
		e.note("address", "address "+address+" is free", failed(err, "the server cannot listen there", "stop what listens there (`ss -ltnp` shows it), or choose another address"))
	}
}
