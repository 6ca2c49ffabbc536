// Package backup writes everything a server keeps to one place and brings it back.
//
// A backup is a set of blobs: a copy of the log, archives of the trace store, a copy of the metadata, the blobs
// themselves, a list of all of them with checksums, and last a manifest. docs/formats/backup.md describes them.
//
// The order makes it consistent while the server goes on working. The log comes first, so that what is
// acknowledged and not stored yet is in its copy, and everything else is in the store by the time that is copied;
// replaying the log over the store is idempotent. Then whatever refers to something is copied before that: rows
// before media, log before the bodies that lie beside it. Things are made in the opposite order, so a copy never
// refers to what it does not have, unless that was deleted meanwhile.
package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/tracestore"
)

// The keys of a backup.
const (
	manifestKey = "manifest.json"
	filesKey    = "files.jsonl.zst"
	logKey      = "log.zst"
	metadataKey = "metadata.jsonl.zst"
	deletesKey  = "deletes.jsonl.zst"
	storeKeys   = "store/"
	blobKeys    = "blobs/"
	secretKeys  = "secrets/"
	answersKey  = "answers.jsonl.zst"
)

// format is the version of all this. A program reads those up to its own. A backup that holds nothing which the first
// version did not know has that one, so that older programs restore it.
const (
	firstFormat = 1
	format      = 2
)

// Manifest says what a backup is. It is written last: without it there is no backup.
type Manifest struct {
	Format     int       `json:"format"`
	Version    string    `json:"version"` // of the program that made it
	StartedAt  time.Time `json:"started_at"`
	FinishedAt time.Time `json:"finished_at"`
	// Partitions is how many the log has.
	Partitions int `json:"partitions,omitempty"`
	// DeletesOnly means that nothing but the list of deletes is there.
	DeletesOnly bool `json:"deletes_only,omitempty"`
	// WithoutStore means that the trace store is backed up by its own means.
	WithoutStore bool `json:"without_store,omitempty"`
	// Needs are the places of other backups, relative to this one, that hold files of it.
	Needs []string `json:"needs,omitempty"`
	Files int      `json:"files"`
	Bytes int64    `json:"bytes"`
	// Written is how many of the bytes lie in this backup itself; the others lie in those that it needs.
	Written int64  `json:"written"`
	List    string `json:"list_sha256"` // of the list of files
}

// File is a line of the list of files.
type File struct {
	Key    string `json:"key"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// In is the place of the backup that holds it, relative to this one; empty: this one.
	In string `json:"in,omitempty"`
	// State tells an archive of the trace store from later ones of the same name; empty: nobody can tell.
	State string `json:"state,omitempty"`
}

// deleted is a line of the list of deletes.
type deleted struct {
	Project string `json:"project"`
	Kind    string `json:"kind"`
	ID      string `json:"id"`
	Version uint64 `json:"version"`
}

// Progress is how far a backup or a restore came.
type Progress struct {
	Step  string `json:"step"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
}

// Sources is what a backup copies. Each promises that what was acknowledged before is in its copy.
type Sources struct {
	Version string
	Log     interface {
		CopyTo(ctx context.Context, w io.Writer) error
		Partitions() int
	}
	Store   Store
	Deletes Deletes
	// Stage is where the engine of the store writes archives, one at a time.
	Stage    string
	Metadata interface {
		CopyTo(ctx context.Context, w io.Writer) error
	}
	Blobs Blobs
	// Secrets are files that lie beside the data, by their names; usually none are taken along.
	Secrets map[string]string
	// Base is an earlier backup whose files are not written again where they are the same still; nil: all are written.
	Base *Base
	// Answers asks the running server everything; nil: what it answers is not taken along.
	Answers func(ctx context.Context, each func(Answer) error) error
}

// Blobs is a store of blobs that can list them.
type Blobs interface {
	blob.Store
	List(ctx context.Context, dir string, each func(key string) error) error
}

// Store is the trace store as a source.
type Store interface {
	CopyTo(ctx context.Context, stage string, has func(name, state string) bool, take func(tracestore.Archive) error) error
}

// Deletes shows everything that was deleted as a whole.
type Deletes interface {
	EachTombstone(ctx context.Context, each func(tracestore.Tombstone) error) error
}

// Make writes a backup to a place that has none. Progress is told between files.
func Make(ctx context.Context, from Sources, to blob.Store, tell func(Progress)) (Manifest, error) {
	m, err := newMaking(ctx, from, to, tell)
	if err != nil {
		return Manifest{}, err
	}
	defer m.close()
	m.manifest.Partitions, m.manifest.WithoutStore = from.Log.Partitions(), from.Store == nil
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"answers", m.answersBefore},
		{"log", func(ctx context.Context) error { return m.compressed(ctx, logKey, from.Log.CopyTo) }},
		{"store", m.store},
		{"deletes", m.deletes},
		{"metadata", func(ctx context.Context) error { return m.compressed(ctx, metadataKey, from.Metadata.CopyTo) }},
		{"blobs", m.blobs},
		{"secrets", m.secrets},
		{"answers", m.answersAfter},
	} {
		m.progress.Step = step.name
		m.tell()
		if err := step.do(ctx); err != nil {
			return Manifest{}, fmt.Errorf("back up %s: %w", step.name, err)
		}
	}
	return m.finish(ctx)
}

// MakeDeletes writes only the list of what was deleted as a whole: small, and so made often. A restore of an
// older backup applies it.
func MakeDeletes(ctx context.Context, from Sources, to blob.Store, tell func(Progress)) (Manifest, error) {
	m, err := newMaking(ctx, from, to, tell)
	if err != nil {
		return Manifest{}, err
	}
	defer m.close()
	m.manifest.DeletesOnly, m.progress.Step = true, "deletes"
	if err := m.deletes(ctx); err != nil {
		return Manifest{}, fmt.Errorf("back up deletes: %w", err)
	}
	return m.finish(ctx)
}

// making is a backup under way.
type making struct {
	from     Sources
	to       blob.Store
	report   func(Progress)
	manifest Manifest
	progress Progress
	list     *os.File // lines of files, until all are known
	known    map[string]File
	before   map[question]Answer // what was answered before anything was copied
}

func newMaking(ctx context.Context, from Sources, to blob.Store, tell func(Progress)) (*making, error) {
	old, err := to.Get(ctx, manifestKey)
	if err == nil {
		return nil, errors.Join(errors.New("there is a backup already: choose another place"), old.Close())
	}
	if !errors.Is(err, blob.ErrNotFound) {
		return nil, fmt.Errorf("look at the place for the backup: %w", err)
	}
	list, err := os.CreateTemp("", "sonde-backup-")
	if err != nil {
		return nil, fmt.Errorf("make a list of files: %w", err)
	}
	m := &making{
		from: from, to: to, report: tell, list: list,
		manifest: Manifest{Format: firstFormat, Version: from.Version, StartedAt: now()},
	}
	if from.Base != nil {
		m.known, err = from.Base.files(ctx)
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

func (m *making) close() { _ = errors.Join(m.list.Close(), os.Remove(m.list.Name())) } // of no use to anybody now

func (m *making) tell() { m.report(m.progress) }

// put stores a blob and lists it.
func (m *making) put(ctx context.Context, key, state string, r io.Reader) error {
	file, err := put(ctx, m.to, key, r)
	if err != nil {
		return err
	}
	file.State = state
	m.manifest.Written += file.Bytes
	return m.add(file)
}

// add lists a file.
func (m *making) add(file File) error {
	if err := json.NewEncoder(m.list).Encode(file); err != nil {
		return fmt.Errorf("list %s: %w", file.Key, err)
	}
	if file.In != "" && !slices.Contains(m.manifest.Needs, file.In) {
		m.manifest.Needs, m.manifest.Format = append(m.manifest.Needs, file.In), format
	}
	m.progress.Files++
	m.progress.Bytes += file.Bytes
	m.tell()
	return nil
}

func put(ctx context.Context, to blob.Store, key string, r io.Reader) (File, error) {
	counted := &counting{r: r, sum: sha256.New()}
	if err := to.Put(ctx, key, counted); err != nil {
		return File{}, fmt.Errorf("write %s: %w", key, err)
	}
	return File{Key: key, Bytes: counted.bytes, SHA256: hex.EncodeToString(counted.sum.Sum(nil))}, nil
}

// counting knows what went through it.
type counting struct {
	r     io.Reader
	sum   hash.Hash
	bytes int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.sum.Write(p[:n])
	c.bytes += int64(n)
	return n, err
}

// compressed stores what write yields.
func (m *making) compressed(ctx context.Context, key string, write func(context.Context, io.Writer) error) error {
	r, w := io.Pipe()
	written := make(chan struct{})
	go func() {
		defer close(written)
		w.CloseWithError(compress(w, func(w io.Writer) error { return write(ctx, w) }))
	}()
	err := m.put(ctx, key, "", r)
	_ = r.Close() // ends a writer whose reader gave up
	<-written
	return err
}

func compress(w io.Writer, write func(io.Writer) error) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	return errors.Join(write(z), z.Close())
}

func (m *making) store(ctx context.Context) error {
	if m.from.Store == nil {
		return nil
	}
	has := func(name, state string) bool {
		old, ok := m.known[storeKeys+name]
		return ok && old.State == state
	}
	return m.from.Store.CopyTo(ctx, m.from.Stage, has, func(archive tracestore.Archive) error {
		if archive.File == "" {
			return m.add(m.known[storeKeys+archive.Name])
		}
		return m.file(ctx, storeKeys+archive.Name, archive.State, archive.File)
	})
}

func (m *making) file(ctx context.Context, key, state, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(m.put(ctx, key, state, f), f.Close())
}

func (m *making) deletes(ctx context.Context) error {
	if m.from.Deletes == nil {
		return nil
	}
	return m.compressed(ctx, deletesKey, func(ctx context.Context, w io.Writer) error {
		lines := json.NewEncoder(w)
		return m.from.Deletes.EachTombstone(ctx, func(t tracestore.Tombstone) error {
			return lines.Encode(deleted{t.ProjectID, string(t.Kind), t.ID, t.Version})
		})
	})
}

func (m *making) blobs(ctx context.Context) error {
	return m.from.Blobs.List(ctx, "", func(key string) error {
		if old, ok := m.known[blobKeys+key]; ok { // the bytes under a key never change
			return m.add(old)
		}
		r, err := m.from.Blobs.Get(ctx, key)
		if errors.Is(err, blob.ErrNotFound) {
			return nil // deleted meanwhile
		}
		if err != nil {
			return err
		}
		return errors.Join(m.put(ctx, blobKeys+key, "", r), r.Close())
	})
}

func (m *making) secrets(ctx context.Context) error {
	for name, path := range m.from.Secrets {
		if err := m.file(ctx, secretKeys+name, "", path); err != nil {
			return err
		}
	}
	return nil
}

// finish stores the list, then the manifest.
func (m *making) finish(ctx context.Context) (Manifest, error) {
	if _, err := m.list.Seek(0, io.SeekStart); err != nil {
		return Manifest{}, fmt.Errorf("read the list of files: %w", err)
	}
	m.manifest.Files, m.manifest.Bytes = m.progress.Files, m.progress.Bytes
	r, w := io.Pipe()
	go func() {
		w.CloseWithError(compress(w, func(w io.Writer) error { _, err := io.Copy(w, m.list); return err }))
	}()
	file, err := put(ctx, m.to, filesKey, r)
	if err != nil {
		_ = r.Close() // ends the writer
		return Manifest{}, err
	}
	m.manifest.List, m.manifest.FinishedAt = file.SHA256, now()
	text, err := json.MarshalIndent(m.manifest, "", "  ")
	if err != nil {
		return Manifest{}, fmt.Errorf("write the manifest: %w", err)
	}
	if _, err := put(ctx, m.to, manifestKey, bytes.NewReader(text)); err != nil {
		return Manifest{}, err
	}
	m.progress.Step = "done"
	m.tell()
	return m.manifest, nil
}
