package metastore

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// Media is what is known about one content of a project. Its bytes are a blob.
type Media struct {
	ProjectID   string
	ID          string // made from SHA256, see package media
	SHA256      [sha256.Size]byte
	ContentType string
	Length      int64
	// UploadedAt is when the bytes were stored and found to be what SHA256 says; zero before.
	UploadedAt time.Time
}

// MediaLink says where a media is used: in a field of an observation or trace, or of a dataset
// item. What it points to need not exist, now or ever.
type MediaLink struct {
	ProjectID     string
	MediaID       string
	TraceID       string
	ObservationID string // empty: of the trace itself
	DatasetID     string
	DatasetItemID string
	Field         string
}

// MediaStore keeps what is known about media. A media belongs to one project; another project
// with the same content has a media of its own.
type MediaStore interface {
	// PutMedia stores media and links in one transaction. A media that is there already stays as
	// it is, unless the new one has its bytes: then it takes its content type, and its upload time
	// where it had none. A link that is there already is the same link. ErrNotFound when a project,
	// or the media of a link, does not exist: then nothing is stored.
	PutMedia(ctx context.Context, media []Media, links []MediaLink) error
	// Media returns one media, uploaded or not. ErrNotFound.
	Media(ctx context.Context, projectID, id string) (Media, error)
	// MediaLinks returns where a media is used, in no particular order, at most limit of them.
	MediaLinks(ctx context.Context, projectID, mediaID string, limit int) ([]MediaLink, error)
}

// MaxLinkText is the greatest length of an id in a link, in bytes: all of them, with a project of
// MaxText, are one key of an index.
const MaxLinkText = 256

// CheckMedia refuses with fault.Invalid a media that cannot be stored.
func CheckMedia(m Media) error {
	if m.Length < 0 {
		return fault.Invalidf("content length", "must not be negative")
	}
	return first(
		CheckID("project id", m.ProjectID),
		checkLinkText("media id", m.ID, true),
		checkText("content type", m.ContentType),
	)
}

// CheckMediaLink refuses with fault.Invalid a link that cannot be stored.
func CheckMediaLink(l MediaLink) error {
	return first(
		CheckID("project id", l.ProjectID),
		checkLinkText("media id", l.MediaID, true),
		checkLinkText("traceId", l.TraceID, false),
		checkLinkText("observationId", l.ObservationID, false),
		checkLinkText("datasetId", l.DatasetID, false),
		checkLinkText("datasetItemId", l.DatasetItemID, false),
		checkLinkText("field", l.Field, true),
	)
}

func checkLinkText(field, text string, required bool) error {
	switch {
	case required && text == "":
		return fault.Invalidf(field, "must not be empty")
	case len(text) > MaxLinkText:
		return fault.Invalidf(field, "must not be longer than %d bytes", MaxLinkText)
	}
	return checkText(field, text)
}
