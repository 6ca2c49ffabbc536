package ingest_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/selfobs"
)

func always(string) error { return nil }

func newDoor(limits ingest.Limits) *ingest.Door {
	return ingest.NewDoor(limits, always, selfobs.NewMetrics())
}

// through takes a body through the door.
func through(ctx context.Context, d *ingest.Door, project, coding string, from io.Reader) (got string, err error) {
	v, err := d.Admit(ctx, project)
	if err != nil {
		return "", err
	}
	defer v.Leave()
	if err := v.Receive(ctx, from); err != nil {
		return "", err
	}
	err = v.Work(ctx, coding, func(body []byte) error { got = string(body); return nil })
	return got, err
}

func compressed(t testing.TB, text string, open func(io.Writer) io.WriteCloser) string {
	t.Helper()
	var out bytes.Buffer
	w := open(&out)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func inGzip(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
func inZlib(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }
func inFlate(w io.Writer) io.WriteCloser {
	f, err := flate.NewWriter(w, flate.DefaultCompression)
	if err != nil {
		panic(err)
	}
	return f
}

func inZstd(w io.Writer) io.WriteCloser {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return z
}

func TestDoorCodings(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a body that is larger than the first buffer ", 3_000)
	d := newDoor(ingest.Limits{MaxBodyBytes: 1 << 20})
	for range 3 { // decoders and buffers are used again
		for name, c := range map[string]struct{ coding, body string }{
			"plain":              {"", text},
			"identity":           {"identity", text},
			"gzip":               {"gzip", compressed(t, text, inGzip)},
			"x-gzip":             {"x-gzip", compressed(t, text, inGzip)},
			"gzip of two parts":  {"gzip", compressed(t, text[:1000], inGzip) + compressed(t, text[1000:], inGzip)},
			"deflate":            {"deflate", compressed(t, text, inZlib)},
			"deflate, bare":      {"deflate", compressed(t, text, inFlate)},
			"zstd":               {"zstd", compressed(t, text, inZstd)},
			"zstd of two frames": {"zstd", compressed(t, text[:1000], inZstd) + compressed(t, text[1000:], inZstd)},
		} {
			if !ingest.Decompresses(c.coding) {
				t.Errorf("%s is not known", c.coding)
			}
			got, err := through(t.Context(), d, "p", c.coding, strings.NewReader(c.body))
			if err != nil || got != text {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		}
	}
	if ingest.Decompresses("br") || ingest.Decompresses("gzip, gzip") {
		t.Error("unknown codings are known")
	}
}

// Bodies that grow without end, also by many members, are given up at the bound. Not in parallel:
// it measures what the process allocates.
func TestDoorBombs(t *testing.T) {
	const bound = 128 << 10
	zeros := strings.Repeat("\x00", 1<<20)
	d := newDoor(ingest.Limits{MaxBodyBytes: bound})
	for name, c := range map[string]struct{ coding, body string }{
		"plain":         {"", strings.Repeat(zeros, 64)},
		"gzip":          {"gzip", compressed(t, zeros, inGzip)},
		"gzip, members": {"gzip", strings.Repeat(compressed(t, zeros[:64<<10], inGzip), 1024)},
		"deflate":       {"deflate", compressed(t, zeros, inZlib)},
		"deflate, bare": {"deflate", compressed(t, zeros, inFlate)},
		"zstd":          {"zstd", compressed(t, zeros, inZstd)},
		"zstd, frames":  {"zstd", strings.Repeat(compressed(t, zeros[:64<<10], inZstd), 1024)},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := through(t.Context(), d, "p", c.coding, strings.NewReader(c.body))
		runtime.ReadMemStats(&after)
		if !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s: %v", name, err)
		}
		// Buffers double up to the bound, decoders need some megabytes.
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
			t.Errorf("%s: allocated %d bytes", name, grown)
		}
		if got, err := through(t.Context(), d, "p", "", strings.NewReader("next")); err != nil || got != "next" {
			t.Errorf("%s: the next body: %q, %v", name, got, err)
		}
	}
}

func TestDoorBroken(t *testing.T) {
	t.Parallel()
	d := newDoor(ingest.Limits{MaxBodyBytes: 1 << 20})
	for _, coding := range []string{"gzip", "deflate", "zstd"} {
		for _, body := range []string{"\xffplain", compressed(t, strings.Repeat("x", 500), inGzip)[:20]} {
			if _, err := through(t.Context(), d, "p", coding, strings.NewReader(body)); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "decompress") {
				t.Errorf("%s %q: %v", coding, body, err)
			}
		}
	}
	gone := errors.New("gone")
	_, err := through(t.Context(), d, "p", "", io.MultiReader(strings.NewReader("half"), failing{gone}))
	if !fault.Is(err, fault.Invalid) || !errors.Is(err, gone) || !strings.HasPrefix(err.Error(), "Failed to read request body") {
		t.Errorf("a body that ends early: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestDoorRefusesBeforeReading(t *testing.T) {
	t.Parallel()
	d := ingest.NewDoor(ingest.Limits{MaxBodyBytes: 1 << 20}, func(project string) error {
		if project == "heavy" {
			return fault.Unavailablef("behind")
		}
		return nil
	}, selfobs.NewMetrics())
	if _, err := d.Admit(t.Context(), "heavy"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v", err)
	}
	if got, err := through(t.Context(), d, "light", "", strings.NewReader("x")); got != "x" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// A project whose bodies fill its part of the memory is refused; another one is not.
func TestDoorMemoryIsShared(t *testing.T) {
	t.Parallel()
	d := newDoor(ingest.Limits{MaxBodyBytes: 1 << 20, Turns: 1})
	body := strings.Repeat("x", 1<<20)
	var held []*ingest.Visit
	var refused error
	for range 10 {
		v, err := d.Admit(t.Context(), "heavy")
		if err == nil {
			held = append(held, v)
			err = v.Receive(t.Context(), strings.NewReader(body))
		}
		if refused = err; err != nil {
			break
		}
	}
	if !fault.Is(refused, fault.Unavailable) {
		t.Errorf("ten bodies in the room of four: %v", refused)
	}
	if _, err := through(t.Context(), d, "light", "", strings.NewReader(body)); err != nil {
		t.Errorf("the light project: %v", err)
	}
	for _, v := range held {
		v.Leave()
	}
	if _, err := through(t.Context(), d, "heavy", "", strings.NewReader(body)); err != nil {
		t.Errorf("after they left: %v", err)
	}
}

// Many at once, large and small: every body is used as it was sent, and the door ends empty.
func TestDoorUnderLoad(t *testing.T) {
	t.Parallel()
	d := newDoor(ingest.Limits{MaxBodyBytes: 8 << 20, Turns: 4})
	large := strings.Repeat("large", 1<<20)
	packed := compressed(t, large, inGzip)
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			project := string(rune('a' + i%5))
			text, coding := strings.Repeat(project, 1000+i), ""
			wire := text
			if i%8 == 0 {
				text, coding, wire = large, "gzip", packed
			}
			got, err := through(t.Context(), d, project, coding, strings.NewReader(wire))
			if err != nil && !fault.Is(err, fault.Unavailable) {
				t.Error(err)
			}
			if err == nil && got != text {
				t.Errorf("%d bytes that nobody sent", len(got))
			}
		})
	}
	all.Wait()
	for range 4 {
		if _, err := through(t.Context(), d, "last", "gzip", strings.NewReader(packed)); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	}
}

// FuzzDoor: whatever is sent as whatever coding, a body comes out within the bound or is refused.
func FuzzDoor(f *testing.F) {
	f.Add("gzip", []byte(compressed(f, "hello", inGzip)))
	f.Add("deflate", []byte(compressed(f, "hello", inZlib)))
	f.Add("deflate", []byte(compressed(f, "hello", inFlate)))
	f.Add("zstd", []byte(compressed(f, "hello", inZstd)))
	f.Add("", []byte("hello"))
	const bound = 1000
	d := newDoor(ingest.Limits{MaxBodyBytes: bound})
	f.Fuzz(func(t *testing.T, coding string, wire []byte) {
		if !ingest.Decompresses(coding) {
			return
		}
		got, err := through(t.Context(), d, "p", coding, bytes.NewReader(wire))
		if len(got) > bound || err != nil && !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
}
