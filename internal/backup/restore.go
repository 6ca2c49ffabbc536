package backup

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/tracestore"
)

// maxManifestBytes bounds what a wrong file can make us read.
const maxManifestBytes = 1 << 20

// ErrNoBackup is returned for a place without a manifest: nothing was written there, or not to its end.
var ErrNoBackup = errors.New("there is no finished backup: manifest.json is missing")

// ErrDamaged is wrapped when a file is not what it was when the backup was made.
var ErrDamaged = errors.New("the backup is damaged")

// Backup is a finished backup.
type Backup struct {
	Manifest Manifest
	from     blob.Store
	open     func(place string) (blob.Store, error)
	others   map[string]blob.Store // by their places, once they were needed
}

// Open reads the manifest of a backup. Files that lie in other backups are found by elsewhere, which opens a place that is
// relative to this one.
func Open(ctx context.Context, from blob.Store, elsewhere func(place string) (blob.Store, error)) (*Backup, error) {
	r, err := from.Get(ctx, manifestKey)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, ErrNoBackup
	}
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxManifestBytes))
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	b := &Backup{from: from, open: elsewhere, others: map[string]blob.Store{}}
	if err := json.Unmarshal(text, &b.Manifest); err != nil {
		return nil, fmt.Errorf("read the manifest: %w: %w", ErrDamaged, err)
	}
	if b.Manifest.Format < 1 || b.Manifest.Format > format {
		return nil, fmt.Errorf("the backup has format %d, made by sonde %s; this program reads up to %d: use a newer one",
			b.Manifest.Format, b.Manifest.Version, format)
	}
	return b, nil
}

// Targets is where a restore puts things. All of it must be new and empty.
type Targets struct {
	Log interface {
		LoadFrom(ctx context.Context, r io.Reader) error
	}
	Store StoreTarget // nil: elsewhere, for a backup without it
	// Stage is where the engine of the store reads archives from.
	Stage    string
	Metadata func(ctx context.Context, r io.Reader) error
	Blobs    blob.Store
	Secret   func(name string, r io.Reader) error
}

// StoreTarget is a trace store that was never migrated.
type StoreTarget interface {
	RestoreFrom(ctx context.Context, stage, name string, fetch func(file string) error) error
	Migrate(ctx context.Context) error
}

// Restore brings everything back. Every file is compared with its checksum before anybody relies on it.
func (b *Backup) Restore(ctx context.Context, to Targets, tell func(Progress)) error {
	if b.Manifest.DeletesOnly {
		return errors.New("this backup holds deletes only: name it with --deletes, beside a whole one")
	}
	if to.Store == nil && !b.Manifest.WithoutStore {
		return errors.New("this backup holds the trace store in the form of an engine of our own: restore without an outside one")
	}
	var progress Progress
	err := b.each(ctx, func(f File) error {
		if err := b.bring(ctx, f, to); err != nil {
			return fmt.Errorf("restore %s: %w", f.Key, err)
		}
		progress.Step, _, _ = strings.Cut(f.Key, "/")
		progress.Files++
		progress.Bytes += f.Bytes
		tell(progress)
		return nil
	})
	if err != nil {
		return err
	}
	if progress.Files != b.Manifest.Files {
		return fmt.Errorf("%w: its list has %d files, %d were written", ErrDamaged, progress.Files, b.Manifest.Files)
	}
	if b.Manifest.WithoutStore {
		return nil
	}
	return to.Store.Migrate(ctx)
}

func (b *Backup) bring(ctx context.Context, f File, to Targets) error {
	switch f.Key {
	case logKey:
		return b.decompressed(ctx, f, func(r io.Reader) error { return to.Log.LoadFrom(ctx, r) })
	case metadataKey:
		return b.decompressed(ctx, f, func(r io.Reader) error { return to.Metadata(ctx, r) })
	case deletesKey, answersKey:
		return b.verified(ctx, f, func(*verifying) error { return nil }) // for ApplyDeletes and Answers
	}
	if name, ok := strings.CutPrefix(f.Key, storeKeys); ok {
		return to.Store.RestoreFrom(ctx, to.Stage, name, func(path string) error { return b.fetch(ctx, f, path) })
	}
	if key, ok := strings.CutPrefix(f.Key, blobKeys); ok {
		return b.verified(ctx, f, func(r *verifying) error { return to.Blobs.Put(ctx, key, r) })
	}
	if name, ok := strings.CutPrefix(f.Key, secretKeys); ok {
		return b.verified(ctx, f, func(r *verifying) error { return to.Secret(name, r) })
	}
	return fmt.Errorf("%w: nobody knows what it is", ErrDamaged)
}

// ApplyDeletes hides again what was deleted as a whole by the time that the backup was made. Whatever is hidden
// is then erased as after every delete, so no bytes of it stay either.
func (b *Backup) ApplyDeletes(ctx context.Context, to tracestore.Tombstones) (applied int, err error) {
	var batch []tracestore.Tombstone
	flush := func() error {
		err := to.InsertTombstones(ctx, batch)
		applied, batch = applied+len(batch), batch[:0]
		return err
	}
	err = b.eachDelete(ctx, func(t tracestore.Tombstone) error {
		if batch = append(batch, t); len(batch) < deletesAtOnce {
			return nil
		}
		return flush()
	})
	if err == nil && len(batch) > 0 {
		err = flush()
	}
	if err != nil {
		return applied, fmt.Errorf("apply deletes: %w", err)
	}
	return applied, nil
}

// deletesAtOnce is how many deletes one insert takes.
const deletesAtOnce = 10_000

// eachDelete reads the list of deletes; a backup without one has none to show.
func (b *Backup) eachDelete(ctx context.Context, each func(tracestore.Tombstone) error) error {
	return b.each(ctx, func(f File) error {
		if f.Key != deletesKey {
			return nil
		}
		return b.decompressed(ctx, f, func(r io.Reader) error {
			return eachLine(r, func(d deleted) error {
				return each(tracestore.Tombstone{ProjectID: d.Project, Kind: tracestore.TombstoneKind(d.Kind), ID: d.ID, Version: d.Version})
			})
		})
	})
}

// each reads the list of files.
func (b *Backup) each(ctx context.Context, use func(File) error) error {
	// Twice: nothing is done by a list that turns out to be damaged at its end.
	list := File{Key: filesKey, Bytes: -1, SHA256: b.Manifest.List}
	if err := b.verified(ctx, list, func(r *verifying) error { _, err := io.Copy(io.Discard, r); return err }); err != nil {
		return err
	}
	return b.decompressed(ctx, list, func(r io.Reader) error { return eachLine(r, use) })
}

func eachLine[T any](r io.Reader, use func(T) error) error {
	lines := json.NewDecoder(bufio.NewReader(r))
	for {
		var line T
		switch err := lines.Decode(&line); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if err := use(line); err != nil {
			return err
		}
	}
}

// fetch copies a file of the backup to a path.
func (b *Backup) fetch(ctx context.Context, f File, path string) error {
	return b.verified(ctx, f, func(r *verifying) error {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(file, r)
		return errors.Join(err, file.Close())
	})
}

func (b *Backup) decompressed(ctx context.Context, f File, use func(io.Reader) error) error {
	return b.verified(ctx, f, func(r *verifying) error {
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return err
		}
		defer z.Close()
		return use(&unpacked{z, r})
	})
}

// unpacked tells a file that cannot be unpacked from one that cannot be read.
type unpacked struct {
	z      io.Reader
	packed *verifying
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && u.packed.failed == nil {
		err = fmt.Errorf("%w: %s: %w", ErrDamaged, u.packed.want, err)
	}
	return n, err
}

// verified hands out a file whose end is only reached when it is what it was.
func (b *Backup) verified(ctx context.Context, f File, use func(*verifying) error) error {
	from, err := b.holding(f)
	if err != nil {
		return err
	}
	r, err := from.Get(ctx, f.Key)
	if errors.Is(err, blob.ErrNotFound) {
		return fmt.Errorf("%w: %s is missing", ErrDamaged, f)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Key, err)
	}
	defer r.Close()
	checked := &verifying{counting: counting{r: r, sum: sha256.New()}, want: f}
	if err := use(checked); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, checked) // what use left unread counts, too
	return err
}

// holding is the place of a file.
func (b *Backup) holding(f File) (blob.Store, error) {
	if f.In == "" {
		return b.from, nil
	}
	if b.others[f.In] == nil {
		other, err := b.open(f.In)
		if err != nil {
			return nil, fmt.Errorf("%w: it needs the backup in %s, which cannot be opened: %w", ErrDamaged, f.In, err)
		}
		b.others[f.In] = other
	}
	return b.others[f.In], nil
}

// String names the file, and where it lies.
func (f File) String() string {
	if f.In == "" {
		return f.Key
	}
	return f.Key + " of the backup in " + f.In
}

type verifying struct {
	counting
	want   File
	failed error // of reading, its end included when that is wrong
}

// Read fails at the end of a file that is not the one in the list.
func (v *verifying) Read(p []byte) (int, error) {
	n, err := v.counting.Read(p)
	if !errors.Is(err, io.EOF) {
		v.failed = err
		return n, err
	}
	if got := hex.EncodeToString(v.sum.Sum(nil)); got != v.want.SHA256 || v.want.Bytes >= 0 && v.bytes != v.want.Bytes {
		v.failed = fmt.Errorf("%w: %s has changed since it was written", ErrDamaged, v.want)
		return n, v.failed
	}
	return n, io.EOF
}
