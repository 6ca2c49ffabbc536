// Package dirblob keeps blobs as files below one directory.
//
// The blob a/b lies in the file a/b~. The tilde, which no key has, keeps the blobs a and a/b
// apart: one is a file, the other needs a directory of that name.
package dirblob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/sondehq/sonde/internal/blob"
)

// Store is a blob.Store on a directory.
type Store struct{ dir, suffix string }

var _ blob.Store = (*Store)(nil)

const (
	// tempDir holds blobs that are being written; what a crash leaves there is removed by New.
	// No key has a tilde, so no blob ever lies there.
	tempDir = "~incoming"
	// leftoverAge is how long a file there has not grown when nobody can still be writing it.
	leftoverAge = 24 * time.Hour

	suffix  = "~"
	dirMode = 0o700
)

// New opens a directory, making it where needed. Nodes may share one.
func New(dir string) (*Store, error) { return open(dir, suffix) }

// NewPlain is New for files that others read by their names: the blob a/b lies in the file a/b. Such a
// store cannot hold both the blobs a and a/b.
func NewPlain(dir string) (*Store, error) { return open(dir, "") }

func open(dir, suffix string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open blob directory: %w", err)
	}
	temp := filepath.Join(dir, tempDir)
	if err := os.MkdirAll(temp, dirMode); err != nil {
		return nil, fmt.Errorf("make blob directory: %w", err)
	}
	if err := clearLeftovers(temp); err != nil {
		return nil, fmt.Errorf("clear unfinished blobs: %w", err)
	}
	if err := errors.Join(syncDir(dir), syncDir(filepath.Dir(dir))); err != nil {
		return nil, fmt.Errorf("make blob directory: %w", err)
	}
	return &Store{dir, suffix}, nil
}

// clearLeftovers removes what crashes left, and nothing that another node is writing.
func clearLeftovers(temp string) error {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || time.Since(info.ModTime()) < leftoverAge {
			continue // just finished, or under way
		}
		if err := os.Remove(filepath.Join(temp, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Put writes to a temporary file, syncs it, and moves it to its place.
func (s *Store) Put(ctx context.Context, key string, r io.Reader) error {
	path, err := s.path(key)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Join(s.dir, tempDir), "blob-")
	if err != nil {
		return fmt.Errorf("put blob: %w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }() // gone already when all went well
	_, err = io.Copy(temp, readerFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return r.Read(p)
	}))
	if err == nil {
		err = temp.Sync()
	}
	if err := errors.Join(err, temp.Close()); err != nil {
		return fmt.Errorf("put blob: %w", err)
	}
	return s.publish(temp.Name(), path)
}

// publish renames and syncs every directory that a new name may have been added to.
func (s *Store) publish(temp, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return fmt.Errorf("put blob: %w", err)
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("put blob: %w", err)
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if err := syncDir(dir); err != nil {
			return fmt.Errorf("put blob: %w", err)
		}
		if dir == s.dir {
			return nil
		}
	}
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Get opens a blob.
func (s *Store) Get(_ context.Context, key string) (io.ReadSeekCloser, error) {
	path, err := s.path(key)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("get blob %s: %w", key, blob.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("get blob: %w", err)
	}
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return nil, errors.Join(fmt.Errorf("get blob %s: %w", key, cmp.Or(err, blob.ErrNotFound)), f.Close())
	}
	return f, nil
}

// Delete removes a blob, also from what a power failure could bring back.
func (s *Store) Delete(_ context.Context, key string) error {
	path, err := s.path(key)
	if err != nil {
		return err
	}
	err = os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("delete blob: %w", err)
	}
	return nil
}

// List walks the directory.
func (s *Store) List(ctx context.Context, dir string, each func(key string) error) error {
	root := s.dir
	if dir != "" {
		if err := blob.CheckKey(dir); err != nil {
			return err
		}
		root = filepath.Join(root, filepath.FromSlash(dir))
	}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // never was, or went meanwhile
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == tempDir:
			return fs.SkipDir
		case !entry.Type().IsRegular() || path == root || ctx.Err() != nil:
			return ctx.Err()
		}
		name, err := filepath.Rel(s.dir, path)
		if err != nil {
			return err
		}
		key, ours := strings.CutSuffix(filepath.ToSlash(name), s.suffix)
		if !ours || blob.CheckKey(key) != nil {
			return nil //nolint:nilerr // a file that is not ours
		}
		return each(key)
	})
	if err != nil {
		return fmt.Errorf("list blobs: %w", err)
	}
	return nil
}

func (s *Store) path(key string) (string, error) {
	if err := blob.CheckKey(key); err != nil {
		return "", err
	}
	return filepath.Join(s.dir, filepath.FromSlash(key)+s.suffix), nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
