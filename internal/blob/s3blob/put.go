package s3blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/minio/minio-go/v7"
)

// A blob up to the size of a first part is one request. A longer one is an upload of parts, of which
// one is in memory at a time; 10,000 of them, which is what S3 takes, are 570 GiB.
const (
	firstParts    = 1000
	firstPartSize = 8 << 20
	laterPartSize = 64 << 20
	abortWithin   = 10 * time.Second
)

func partSize(number int) int64 {
	if number <= firstParts {
		return firstPartSize
	}
	return laterPartSize
}

// Put sends the blob in one request or as an upload that is completed at the end.
func (s *Store) Put(ctx context.Context, key string, r io.Reader) error {
	object, err := s.object(key)
	if err != nil {
		return err
	}
	r = &until{ctx, r}
	var part bytes.Buffer
	last, err := nextPart(&part, r, 1)
	switch {
	case err != nil:
	case last:
		_, err = s.core.Client.PutObject(ctx, s.bucket, object, bytes.NewReader(part.Bytes()), int64(part.Len()),
			minio.PutObjectOptions{DisableMultipart: true})
	default:
		err = s.upload(ctx, object, &part, r)
	}
	if err != nil {
		return fmt.Errorf("put blob %s: %w", key, err)
	}
	return nil
}

// nextPart fills part from r and reports whether r is at its end.
func nextPart(part *bytes.Buffer, r io.Reader, number int) (last bool, err error) {
	part.Reset()
	_, err = io.CopyN(part, r, partSize(number))
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return false, err
}

// upload sends part and then the rest of r. An upload that is not completed is given up, also when
// ctx has ended.
func (s *Store) upload(ctx context.Context, object string, part *bytes.Buffer, r io.Reader) (err error) {
	id, err := s.core.NewMultipartUpload(ctx, s.bucket, object, minio.PutObjectOptions{})
	if err != nil {
		return fmt.Errorf("begin the upload: %w", err)
	}
	defer func() {
		if err == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortWithin)
		defer cancel()
		if abort := s.core.AbortMultipartUpload(ctx, s.bucket, object, id); abort != nil {
			err = errors.Join(err, fmt.Errorf("give up the upload: %w", abort))
		}
	}()
	var parts []minio.CompletePart
	for last := false; ; {
		number := len(parts) + 1
		sent, err := s.core.PutObjectPart(ctx, s.bucket, object, id, number, bytes.NewReader(part.Bytes()), int64(part.Len()), minio.PutObjectPartOptions{})
		if err != nil {
			return fmt.Errorf("send part %d: %w", number, err)
		}
		parts = append(parts, minio.CompletePart{PartNumber: number, ETag: sent.ETag})
		if last {
			break
		}
		if last, err = nextPart(part, r, number+1); err != nil {
			return err
		}
		if last && part.Len() == 0 {
			break
		}
	}
	if _, err := s.core.CompleteMultipartUpload(ctx, s.bucket, object, id, parts, minio.PutObjectOptions{}); err != nil {
		return fmt.Errorf("complete the upload: %w", err)
	}
	return nil
}

// until is a reader that ends with ctx.
type until struct {
	ctx context.Context
	r   io.Reader
}

func (u *until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
