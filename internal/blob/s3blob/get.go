package s3blob

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/minio/minio-go/v7"

	"github.com/sondehq/sonde/internal/blob"
)

// Get opens the object. Reading goes on with the object as it was; seeking asks for a part of it
// again, on the condition that it is still the same, and fails when it is not.
func (s *Store) Get(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	object, err := s.object(key)
	if err != nil {
		return nil, err
	}
	body, info, _, err := s.core.GetObject(ctx, s.bucket, object, minio.GetObjectOptions{})
	if absent(err) {
		return nil, fmt.Errorf("get blob %s: %w", key, blob.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("get blob %s: %w", key, err)
	}
	return &reader{ctx: ctx, store: s, object: object, etag: info.ETag, size: info.Size, body: body}, nil
}

// reader reads one object. Seeking costs nothing until the next read, so that looking for the end
// and coming back, as HTTP servers do to learn the length, asks for nothing.
type reader struct {
	ctx    context.Context
	store  *Store
	object string
	etag   string
	size   int64

	offset int64 // where the next read is
	body   io.ReadCloser
	at     int64 // where body is
}

// Read reads on from the offset.
func (r *reader) Read(p []byte) (int, error) {
	if r.offset >= r.size {
		return 0, io.EOF
	}
	if r.body == nil || r.at != r.offset {
		if err := r.reopen(); err != nil {
			return 0, err
		}
	}
	n, err := r.body.Read(p)
	r.at += int64(n)
	r.offset = r.at
	if errors.Is(err, io.EOF) && r.offset < r.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (r *reader) reopen() error {
	if err := r.Close(); err != nil {
		return err
	}
	var options minio.GetObjectOptions
	if err := errors.Join(options.SetRange(r.offset, r.size-1), options.SetMatchETag(r.etag)); err != nil {
		return fmt.Errorf("seek in blob: %w", err)
	}
	body, _, _, err := r.store.core.GetObject(r.ctx, r.store.bucket, r.object, options)
	if err != nil {
		return fmt.Errorf("seek in blob: %w", err)
	}
	r.body, r.at = body, r.offset
	return nil
}

// Seek moves the offset.
func (r *reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += r.offset
	case io.SeekEnd:
		offset += r.size
	default:
		return 0, fmt.Errorf("seek in blob: no such origin %d", whence)
	}
	if offset < 0 {
		return 0, errors.New("seek in blob: before its start")
	}
	r.offset = offset
	return offset, nil
}

// Close lets go of the connection.
func (r *reader) Close() error {
	if r.body == nil {
		return nil
	}
	body := r.body
	r.body = nil
	return body.Close()
}
