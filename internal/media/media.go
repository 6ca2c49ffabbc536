// Package media keeps the images, sounds and documents of observations: it hands out addresses to
// upload to, verifies what arrives, gives it back, and takes data URIs out of spans.
//
// Promises: bytes are stored only when their length and hash are the announced ones. A media
// belongs to one project: no other can read it, nor learn from any answer that it exists. What a
// span refers to may arrive before the span or after it, or never.
package media

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/seal"
)

// idLength is how much of the hash's text makes the id. Clients compute the same id and refuse
// another.
const idLength = 22

// ID names content by its hash.
func ID(hash [sha256.Size]byte) string {
	return base64.URLEncoding.EncodeToString(hash[:])[:idLength]
}

// blobKey is where a project's content lies. The project is hashed because its id may be any text
// of any length; the key has it so that projects with the same content have a blob each.
func blobKey(projectID string, hash [sha256.Size]byte) string {
	project := sha256.Sum256([]byte(projectID))
	return "media/" + hex.EncodeToString(project[:]) + "/" + hex.EncodeToString(hash[:])
}

// Config is what the service needs.
type Config struct {
	Blobs  blob.Store
	Store  metastore.MediaStore
	Secret []byte // seals addresses; the same on all nodes
	// MaxLength is the greatest length of one content in bytes.
	MaxLength int64
	// Room fails while no new bytes can be taken; nil: there is always room.
	Room func() error
}

// Service keeps media.
type Service struct {
	config             Config
	uploads, downloads seal.Sealer
}

// New makes a service.
func New(config Config) *Service {
	if config.Room == nil {
		config.Room = func() error { return nil }
	}
	return &Service{
		config:  config,
		uploads: seal.New(config.Secret, "media-upload"), downloads: seal.New(config.Secret, "media-download"),
	}
}

// Announcement is what a client says about content that it is going to upload.
type Announcement struct {
	ContentType string
	Length      int64
	SHA256      string // in base64
	// Link is where the content is used; its project and media are filled in.
	Link metastore.MediaLink
}

// Announced is the answer: the id of the content, and a ticket to upload it with, empty when the
// project has it already.
type Announced struct {
	ID     string
	Ticket string
}

// Announce registers content and where it is used. Announcing the same again is the same.
func (s *Service) Announce(ctx context.Context, projectID string, in Announcement) (Announced, error) {
	hash, err := s.check(in)
	if err != nil {
		return Announced{}, err
	}
	m := metastore.Media{ProjectID: projectID, ID: ID(hash), SHA256: hash, ContentType: in.ContentType, Length: in.Length}
	link := in.Link
	link.ProjectID, link.MediaID = projectID, m.ID
	if err := s.config.Store.PutMedia(ctx, []metastore.Media{m}, []metastore.MediaLink{link}); err != nil {
		return Announced{}, fmt.Errorf("announce media: %w", err)
	}
	known, err := s.config.Store.Media(ctx, projectID, m.ID)
	if err != nil {
		return Announced{}, fmt.Errorf("announce media: %w", err)
	}
	if !known.UploadedAt.IsZero() && known.ContentType == m.ContentType {
		return Announced{ID: m.ID}, nil
	}
	if err := s.config.Room(); err != nil {
		return Announced{}, err
	}
	return Announced{ID: m.ID, Ticket: s.uploadTicket(m, time.Now())}, nil
}

// check returns the hash of an announcement, or every field that cannot be used.
func (s *Service) check(in Announcement) (hash [sha256.Size]byte, err error) {
	var errs []error
	if !knownType(in.ContentType) {
		errs = append(errs, fault.Invalidf("contentType", "is not one of the content types that are taken").
			Hint("send a plain type such as image/png, application/pdf or application/octet-stream, without parameters"))
	}
	switch {
	case in.Length < 1:
		errs = append(errs, fault.Invalidf("contentLength", "must be at least 1"))
	case in.Length > s.config.MaxLength:
		errs = append(errs, fault.Invalidf("contentLength", "must be at most %d", s.config.MaxLength).
			Hint("send less, or raise media-max-length in the server's configuration"))
	}
	raw, decoding := base64.StdEncoding.Strict().DecodeString(in.SHA256)
	if decoding != nil || len(raw) != sha256.Size {
		errs = append(errs, fault.Invalidf("sha256Hash", "must be the SHA-256 of the content as 44 characters of base64"))
	}
	errs = append(errs, checkLink(in.Link))
	copy(hash[:], raw)
	return hash, errors.Join(errs...)
}

// Fields that hold media, of observations and of dataset items.
const (
	FieldInput          = "input"
	FieldOutput         = "output"
	FieldMetadata       = "metadata"
	FieldExpectedOutput = "expectedOutput"
)

func checkLink(l metastore.MediaLink) error {
	ofTrace, ofItem := l.TraceID != "" || l.ObservationID != "", l.DatasetID != "" || l.DatasetItemID != ""
	switch {
	case ofTrace && ofItem:
		return fault.Invalidf("traceId", "and datasetId must not both be given")
	case !ofTrace && !ofItem:
		return fault.Invalidf("traceId", "must be given, or datasetId and datasetItemId")
	case ofTrace && l.TraceID == "":
		return fault.Invalidf("traceId", "must be given with observationId")
	case ofItem && (l.DatasetID == "" || l.DatasetItemID == ""):
		return fault.Invalidf("datasetItemId", "and datasetId must be given together")
	}
	second := FieldOutput
	if ofItem {
		second = FieldExpectedOutput
	}
	if l.Field != FieldInput && l.Field != second && l.Field != FieldMetadata {
		return fault.Invalidf("field", "must be one of %s, %s, %s", FieldInput, second, FieldMetadata)
	}
	l.ProjectID, l.MediaID = "p", "m" // not the client's
	return metastore.CheckMediaLink(l)
}

// Registered fails with a fault of kind NotFound for an id that the project never announced.
func (s *Service) Registered(ctx context.Context, projectID, id string) error {
	_, err := s.config.Store.Media(ctx, projectID, id)
	return notFound(err)
}

// Found is a media that can be read, with a ticket to download it.
type Found struct {
	metastore.Media
	Ticket  string
	Expires time.Time
}

// Find returns a media whose bytes are there; a fault of kind NotFound before.
func (s *Service) Find(ctx context.Context, projectID, id string) (Found, error) {
	m, err := s.stored(ctx, projectID, id)
	if err != nil {
		return Found{}, err
	}
	expires := time.Now().Add(ticketLife).Truncate(time.Millisecond)
	return Found{Media: m, Ticket: s.downloadTicket(m, expires), Expires: expires}, nil
}

// Content is a media and its bytes.
type Content struct {
	metastore.Media
	io.ReadSeekCloser
}

// Open returns the bytes of a media of the project. The caller closes them.
func (s *Service) Open(ctx context.Context, projectID, id string) (Content, error) {
	m, err := s.stored(ctx, projectID, id)
	if err != nil {
		return Content{}, err
	}
	r, err := s.config.Blobs.Get(ctx, blobKey(projectID, m.SHA256))
	if errors.Is(err, blob.ErrNotFound) {
		return Content{}, fault.New(fault.NotFound, "The bytes of this media are gone").Because(err)
	}
	if err != nil {
		return Content{}, fault.Unavailablef("media cannot be read now").Because(err)
	}
	return Content{m, r}, nil
}

// Erase removes the bytes of a media. Whoever calls it made sure that nothing uses them.
func (s *Service) Erase(ctx context.Context, m metastore.Media) error {
	if err := s.config.Blobs.Delete(ctx, blobKey(m.ProjectID, m.SHA256)); err != nil {
		return fault.Unavailablef("media cannot be deleted now").Because(err)
	}
	return nil
}

func (s *Service) stored(ctx context.Context, projectID, id string) (metastore.Media, error) {
	m, err := s.config.Store.Media(ctx, projectID, id)
	if err == nil && m.UploadedAt.IsZero() {
		err = metastore.ErrNotFound
	}
	return m, notFound(err)
}

// notFound has one text for what does not exist, was not uploaded and belongs to somebody else.
func notFound(err error) error {
	if errors.Is(err, metastore.ErrNotFound) {
		return fault.New(fault.NotFound, "Media asset not found").Because(err)
	}
	if err != nil {
		return fmt.Errorf("find media: %w", err)
	}
	return nil
}
