package media

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
)

// Upload is a request to store bytes.
type Upload struct {
	ID          string // in the address
	Ticket      string
	ContentType string
	Length      int64  // -1: not said
	Checksum    string // SHA-256 in base64 as the client says; empty: not said
	Body        io.Reader
}

// Upload streams an upload into the blobs, and returns its project. When it fails nothing is stored
// that was not stored before. Uploading the same again is the same.
func (s *Service) Upload(ctx context.Context, in Upload) (projectID string, err error) {
	t, err := admit(s.uploads, in.Ticket, in.ID, "announce the content again with POST /api/public/media")
	if err != nil {
		return "", err
	}
	if err := s.config.Room(); err != nil {
		return t.Project, err
	}
	if err := t.compare(in); err != nil {
		return t.Project, err
	}
	err = s.config.Blobs.Put(ctx, blobKey(t.Project, t.Hash), newVerifier(in.Body, t))
	if _, ok := errors.AsType[*fault.Fault](err); ok {
		return t.Project, err
	}
	if err != nil {
		return t.Project, fault.Unavailablef("media cannot be stored now").Because(err)
	}
	err = s.config.Store.PutMedia(ctx, []metastore.Media{{
		ProjectID: t.Project, ID: t.ID, SHA256: t.Hash, ContentType: t.Type, Length: t.Length, UploadedAt: time.Now(),
	}}, nil)
	if err != nil {
		return t.Project, fmt.Errorf("register upload: %w", err)
	}
	return t.Project, nil
}

// compare refuses an upload whose headers already say that it is another content.
func (t ticket) compare(in Upload) error {
	if in.ContentType != t.Type {
		return fault.New(fault.Invalid, "The upload has the content type %q, announced was %q", in.ContentType, t.Type)
	}
	if in.Length >= 0 && in.Length != t.Length {
		return fault.New(fault.Invalid, "The upload has %d bytes, announced were %d", in.Length, t.Length)
	}
	if in.Checksum != "" && in.Checksum != encodeHash(t.Hash[:]) {
		return t.otherHash(in.Checksum)
	}
	return nil
}

func (t ticket) otherHash(got string) error {
	return fault.New(fault.Invalid, "The upload has the SHA-256 %s, announced was %s", got, encodeHash(t.Hash[:]))
}

func encodeHash(sum []byte) string { return base64.StdEncoding.EncodeToString(sum) }

// verifier passes bytes on and ends with an error instead of io.EOF when they are not the announced
// ones; a blob store keeps nothing of a reader that fails.
type verifier struct {
	from io.Reader
	ticket
	seen int64
	sum  hash.Hash
}

func newVerifier(from io.Reader, t ticket) *verifier {
	return &verifier{from: from, ticket: t, sum: sha256.New()}
}

func (v *verifier) Read(p []byte) (int, error) {
	n, err := v.from.Read(p)
	v.seen += int64(n)
	v.sum.Write(p[:n])
	switch {
	case v.seen > v.Length:
		return n, fault.New(fault.Invalid, "The upload has more than the announced %d bytes", v.Length)
	case err == nil:
		return n, nil
	case !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return n, fault.New(fault.Invalid, "The upload broke off after %d of %d bytes", v.seen, v.Length).
			Hint("send it again").Because(err)
	case v.seen < v.Length:
		return n, fault.New(fault.Invalid, "The upload has %d bytes, announced were %d", v.seen, v.Length)
	}
	if got := v.sum.Sum(nil); [sha256.Size]byte(got) != v.Hash {
		return n, v.otherHash(encodeHash(got))
	}
	return n, io.EOF
}
