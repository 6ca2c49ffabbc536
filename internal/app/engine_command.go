package app

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/selfobs"
)

// releases is where each version is published with the libraries it was tested with.
const releases = "https://github.com/sondehq/sonde/releases/download/v"

type engineCommand struct {
	Fetch engineFetchCommand `cmd:"" help:"Fetch the engine's library for this machine, check its sum and put it where serve finds it; once, before the first start."`
}

type engineFetchCommand struct {
	From   string `placeholder:"URL|FILE" help:"Archive (.tar.gz) that holds the library, for machines without a way out or another source; the one that was published with this version unless given."`
	To     string `placeholder:"DIR" help:"Directory for the library; where serve looks by itself unless given."`
	SHA256 string `name:"sha256" placeholder:"SUM" help:"SHA-256 that the library must have; the one that this version was tested with unless given."`
}

// Run fetches the library unless it is there.
func (c *engineFetchCommand) Run(ctx context.Context, std streams) error {
	published, err := engine.PublishedFor(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return err
	}
	sum, err := c.sum(published)
	if err != nil {
		return err
	}
	target, err := engine.LibraryPlace("")
	if err != nil {
		return err
	}
	if c.To != "" {
		target = filepath.Join(c.To, filepath.Base(target))
	}
	if engine.HasSum(target, sum) {
		_, err = fmt.Fprintf(std.out, "The engine's library %s is at %s already.\n", published.Version, target)
		return err
	}
	from := c.From
	if from == "" {
		from = releases + selfobs.Version + "/" + published.Archive()
	}
	fmt.Fprintf(std.err, "fetching %s\n", from)
	if err := engine.Fetch(ctx, from, sum, target, newFetchLine(std.err).tell); err != nil {
		if errors.Is(err, os.ErrPermission) {
			return fmt.Errorf("%w\nrun it as a user who may write there, or name a directory with --to and give the file to serve by --engine-library", err)
		}
		if c.From == "" {
			return fmt.Errorf("%w\nwithout a way to that address, bring the archive here and name it: sonde engine fetch --from FILE", err)
		}
		return err
	}
	_, err = fmt.Fprintf(std.out, "The engine's library %s is at %s.\n", published.Version, target)
	return err
}

// sum is the checksum that was asked for, or the one that is known.
func (c *engineFetchCommand) sum(published engine.Published) (string, error) {
	if c.SHA256 == "" {
		if published.SHA256 == "" {
			return "", fmt.Errorf("nobody has checked the engine's library for %s on %s yet\n"+
				"install ClickHouse, which serve finds in PATH; or give the sum of a library that you trust with --sha256", published.System, published.Arch)
		}
		return published.SHA256, nil
	}
	sum := strings.ToLower(c.SHA256)
	if raw, err := hex.DecodeString(sum); err != nil || len(raw) != 32 {
		return "", fmt.Errorf("sha256 must be 64 hexadecimal digits, got %q", c.SHA256)
	}
	return sum, nil
}

// fetchLine is a line every two seconds.
type fetchLine struct {
	out  io.Writer
	next time.Time
}

func newFetchLine(out io.Writer) *fetchLine {
	return &fetchLine{out: out, next: time.Now().Add(2 * time.Second)}
}

func (l *fetchLine) tell(read, total int64) {
	if time.Now().Before(l.next) {
		return
	}
	l.next = time.Now().Add(2 * time.Second)
	if total <= 0 {
		fmt.Fprintf(l.out, "%d MB\n", read/1e6)
		return
	}
	fmt.Fprintf(l.out, "%d of %d MB\n", read/1e6, total/1e6)
}
