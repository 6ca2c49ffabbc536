package backup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/backup"
	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/blob/blobtest"
	"github.com/sondehq/sonde/internal/tracestore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// text is a log or metadata: what it copies, and what was loaded into it.
type text struct {
	is  string
	err error
}

func (x *text) CopyTo(_ context.Context, w io.Writer) error {
	if x.err != nil {
		return x.err
	}
	_, err := io.WriteString(w, x.is)
	return err
}

func (x *text) LoadFrom(_ context.Context, r io.Reader) error {
	b, err := io.ReadAll(r)
	x.is = string(b)
	return err
}

func (x *text) Partitions() int { return 3 }

// archives is a trace store of named texts.
type archives struct {
	names    []string
	texts    map[string]string
	deletes  []tracestore.Tombstone
	migrated bool
}

// CopyTo takes the text itself for the state of an archive.
func (a *archives) CopyTo(_ context.Context, stage string, has func(name, state string) bool, take func(tracestore.Archive) error) error {
	for _, name := range a.names {
		if has(name, "state "+a.texts[name]) {
			if err := take(tracestore.Archive{Name: name, State: "state " + a.texts[name]}); err != nil {
				return err
			}
			continue
		}
		file := filepath.Join(stage, "staged")
		if err := os.WriteFile(file, []byte(a.texts[name]), 0o600); err != nil {
			return err
		}
		if err := errors.Join(take(tracestore.Archive{Name: name, File: file, State: "state " + a.texts[name]}), os.Remove(file)); err != nil {
			return err
		}
	}
	return nil
}

func (a *archives) RestoreFrom(_ context.Context, stage, name string, fetch func(string) error) error {
	file := filepath.Join(stage, "staged")
	if err := fetch(file); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	a.names = append(a.names, name)
	a.texts[name] = string(text)
	return err
}

func (a *archives) Migrate(context.Context) error { a.migrated = true; return nil }

func (a *archives) EachTombstone(_ context.Context, each func(tracestore.Tombstone) error) error {
	for _, t := range a.deletes {
		if err := each(t); err != nil {
			return err
		}
	}
	return nil
}

func (a *archives) InsertTombstones(_ context.Context, list []tracestore.Tombstone) error {
	a.deletes = append(a.deletes, list...)
	return nil
}

// everything is a source with something of each kind.
func everything(t *testing.T) (backup.Sources, *archives) {
	t.Helper()
	blobs := new(blobtest.Memory)
	for _, key := range []string{"media/a", "media/a/b", "oversize/x"} {
		if err := blobs.Put(t.Context(), key, strings.NewReader("bytes of "+key)); err != nil {
			t.Fatal(err)
		}
	}
	store := &archives{
		names: []string{"observations/structure.tar", "observations/1.tar", "tombstones/all.tar"},
		texts: map[string]string{"observations/structure.tar": "s", "observations/1.tar": strings.Repeat("rows ", 1000), "tombstones/all.tar": ""},
	}
	for i := range 10_002 {
		store.deletes = append(store.deletes, tracestore.Tombstone{ProjectID: "p \x00ö", Kind: tracestore.TraceTombstone, ID: fmt.Sprint("trace", i), Version: 1<<63 + uint64(i)})
	}
	secret := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(secret, []byte("key"), 0o600); err != nil {
		t.Fatal(err)
	}
	return backup.Sources{
		Version: "1.2.3", Log: &text{is: strings.Repeat("record\n", 1000)}, Store: store, Deletes: store, Stage: t.TempDir(),
		Metadata: &text{is: "metadata"}, Blobs: blobs, Secrets: map[string]string{"encryption.key": secret},
	}, store
}

// restored is where a restore went.
type restored struct {
	log, metadata text
	store         archives
	blobs         *blobtest.Memory
	secrets       map[string]string
}

// nowhere is for backups that need no others.
func nowhere(place string) (blob.Store, error) { return nil, fmt.Errorf("%s is not there", place) }

func restore(t *testing.T, from blob.Store) (*restored, error) {
	t.Helper()
	return restoreChain(t, from, nowhere)
}

func restoreChain(t *testing.T, from blob.Store, elsewhere func(string) (blob.Store, error)) (*restored, error) {
	t.Helper()
	r := &restored{store: archives{texts: map[string]string{}}, blobs: new(blobtest.Memory), secrets: map[string]string{}}
	b, err := backup.Open(t.Context(), from, elsewhere)
	if err != nil {
		return r, err
	}
	err = b.Restore(t.Context(), backup.Targets{
		Log: &r.log, Store: &r.store, Stage: t.TempDir(), Metadata: r.metadata.LoadFrom, Blobs: r.blobs,
		Secret: func(name string, in io.Reader) error {
			text, err := io.ReadAll(in)
			r.secrets[name] = string(text)
			return err
		},
	}, func(backup.Progress) {})
	if err != nil {
		return r, err
	}
	_, err = b.ApplyDeletes(t.Context(), &r.store)
	return r, err
}

func read(t *testing.T, from blob.Store, key string) string {
	t.Helper()
	r, err := from.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWhatIsBackedUpComesBack(t *testing.T) {
	t.Parallel()
	from, store := everything(t)
	to := new(blobtest.Memory)
	var last backup.Progress
	manifest, err := backup.Make(t.Context(), from, to, func(p backup.Progress) { last = p })
	if err != nil {
		t.Fatal(err)
	}
	if last.Step != "done" || last.Files != manifest.Files || manifest.Files != 10 || manifest.Partitions != 3 || manifest.Version != "1.2.3" {
		t.Errorf("%+v, %+v", last, manifest)
	}
	got, err := restore(t, to)
	if err != nil {
		t.Fatal(err)
	}
	if got.log.is != strings.Repeat("record\n", 1000) || got.metadata.is != "metadata" || got.secrets["encryption.key"] != "key" || !got.store.migrated {
		t.Error("log, metadata, key or schema are not what they were")
	}
	if diff := cmp.Diff(store.names, got.store.names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(store.texts, got.store.texts); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(store.deletes, got.store.deletes); diff != "" {
		t.Error(diff)
	}
	for _, key := range []string{"media/a", "media/a/b", "oversize/x"} {
		if text := read(t, got.blobs, key); text != "bytes of "+key {
			t.Errorf("%s is %q", key, text)
		}
	}
	if _, err := backup.Make(t.Context(), from, to, func(backup.Progress) {}); err == nil {
		t.Error("a backup was written over another")
	}
}

func TestDeletesAlone(t *testing.T) {
	t.Parallel()
	from, store := everything(t)
	to := new(blobtest.Memory)
	if _, err := backup.MakeDeletes(t.Context(), from, to, func(backup.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if _, err := restore(t, to); err == nil || !strings.Contains(err.Error(), "--deletes") {
		t.Errorf("restored deletes as if they were all: %v", err)
	}
	b, err := backup.Open(t.Context(), to, nowhere)
	if err != nil {
		t.Fatal(err)
	}
	var got archives
	if n, err := b.ApplyDeletes(t.Context(), &got); err != nil || n != len(store.deletes) {
		t.Errorf("applied %d, %v", n, err)
	}
	if diff := cmp.Diff(store.deletes, got.deletes); diff != "" {
		t.Error(diff)
	}
}

func TestUnfinishedBackupIsNone(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	from, _ := everything(t)
	from.Metadata = &text{err: broken}
	to := new(blobtest.Memory)
	if _, err := backup.Make(t.Context(), from, to, func(backup.Progress) {}); !errors.Is(err, broken) {
		t.Fatalf("Make = %v", err)
	}
	if _, err := backup.Open(t.Context(), to, nowhere); !errors.Is(err, backup.ErrNoBackup) {
		t.Errorf("Open = %v", err)
	}
	// What failed does not stand in the way of the next one.
	from.Metadata = &text{is: "mended"}
	if _, err := backup.Make(t.Context(), from, to, func(backup.Progress) {}); err != nil {
		t.Error(err)
	}
}

func TestEveryDamageIsFound(t *testing.T) {
	t.Parallel()
	from, _ := everything(t)
	whole := new(blobtest.Memory)
	if _, err := backup.Make(t.Context(), from, whole, func(backup.Progress) {}); err != nil {
		t.Fatal(err)
	}
	keys := []string{
		"log.zst", "metadata.jsonl.zst", "deletes.jsonl.zst", "files.jsonl.zst", "store/observations/1.tar", "store/observations/structure.tar",
		"blobs/media/a", "secrets/encryption.key",
	}
	for _, key := range keys {
		for name, damage := range map[string]func(string) string{
			"flipped": func(s string) string { return s[:len(s)/2] + string(s[len(s)/2]^1) + s[len(s)/2+1:] },
			"cut":     func(s string) string { return s[:len(s)-1] },
			"longer":  func(s string) string { return s + "x" },
			"gone":    nil,
		} {
			t.Run(key+" "+name, func(t *testing.T) {
				t.Parallel()
				damaged := new(blobtest.Memory)
				if err := whole.List(t.Context(), "", func(other string) error {
					text := read(t, whole, other)
					switch {
					case other == key && damage == nil:
						return nil
					case other == key:
						text = damage(text)
					}
					return damaged.Put(t.Context(), other, bytes.NewReader([]byte(text)))
				}); err != nil {
					t.Fatal(err)
				}
				if _, err := restore(t, damaged); !errors.Is(err, backup.ErrDamaged) {
					t.Errorf("restore = %v", err)
				}
			})
		}
	}
}

func TestForeignManifestIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"{": "damaged", `{}`: "format", `{"format":3,"version":"9.9"}`: "9.9"} {
		to := new(blobtest.Memory)
		if err := to.Put(t.Context(), "manifest.json", strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := backup.Open(t.Context(), to, nowhere); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
