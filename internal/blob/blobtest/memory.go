package blobtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sondehq/sonde/internal/blob"
)

// Memory is a store that forgets everything with the process. Its zero value is empty.
type Memory struct {
	mu    sync.Mutex
	blobs map[string][]byte
}

var _ blob.Store = (*Memory)(nil)

// Put stores what r yields.
func (m *Memory) Put(ctx context.Context, key string, r io.Reader) error {
	if err := blob.CheckKey(key); err != nil {
		return err
	}
	data, err := io.ReadAll(r)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("put blob %s: %w", key, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blobs == nil {
		m.blobs = map[string][]byte{}
	}
	m.blobs[key] = data
	return nil
}

// Get returns the bytes under key.
func (m *Memory) Get(_ context.Context, key string) (io.ReadSeekCloser, error) {
	if err := blob.CheckKey(key); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.blobs[key]
	if !ok {
		return nil, fmt.Errorf("get blob %s: %w", key, blob.ErrNotFound)
	}
	return reader{bytes.NewReader(data)}, nil
}

// reader is a bytes.Reader that can be closed.
type reader struct{ *bytes.Reader }

// Close does nothing.
func (reader) Close() error { return nil }

// Delete removes key.
func (m *Memory) Delete(_ context.Context, key string) error {
	if err := blob.CheckKey(key); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.blobs, key)
	return nil
}

// List calls each with the keys below dir.
func (m *Memory) List(ctx context.Context, dir string, each func(key string) error) error {
	if dir != "" {
		if err := blob.CheckKey(dir); err != nil {
			return err
		}
		dir += "/"
	}
	m.mu.Lock()
	keys := slices.Sorted(maps.Keys(m.blobs))
	m.mu.Unlock()
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("list blobs: %w", err)
		}
		if !strings.HasPrefix(key, dir) {
			continue
		}
		if err := each(key); err != nil {
			return err
		}
	}
	return nil
}

// Len is how many blobs there are.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.blobs)
}
