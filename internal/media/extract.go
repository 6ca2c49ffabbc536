package media

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Extractor takes content in base64 out of rows and leaves references to it.
//
// Its blob is durable and its metadata is stored before a row refers to it. Doing the same rows
// again gives the same rows. Content of an unknown type, of broken base64, deeper in JSON than ten
// levels, or beyond the bounds per row and per call stays where it is.
type Extractor struct {
	blobs     blob.Store
	store     metastore.MediaStore
	maxLength int64
	logger    *slog.Logger
}

// NewExtractor makes an extractor of content of at most maxLength bytes.
func NewExtractor(blobs blob.Store, store metastore.MediaStore, maxLength int64, logger *slog.Logger) *Extractor {
	return &Extractor{blobs: blobs, store: store, maxLength: maxLength, logger: logger}
}

const (
	// maxPerCall bounds how many contents one call stores: each is a file that must reach the disk.
	maxPerCall = 256
	// putsAtOnce are blobs under way together: disks write several in little more than the time of one.
	putsAtOnce = 8
)

// content is one distinct content of a project.
type content struct {
	media   metastore.Media
	encoded string
}

// contentKey tells contents apart.
type contentKey struct{ project, id string }

// haul is everything found in the rows of one call.
type haul struct {
	contents map[contentKey]*content
	links    map[metastore.MediaLink]bool
	edits    map[*string][]edit
}

// edit replaces a part of a text.
type edit struct {
	start, end int
	text       string
}

// Apply replaces content by references, in place. An error means that blobs or metadata cannot be
// stored now; the rows are then half done and must be made anew.
func (x *Extractor) Apply(ctx context.Context, rows []*model.Observation) error {
	h := x.gather(rows)
	if len(h.contents) == 0 {
		return nil
	}
	err := x.keep(ctx, h)
	if err != nil && ctx.Err() == nil && !fault.Is(err, fault.Unavailable) {
		// A project that is gone, say. Trying again would not help, and other rows wait: the content
		// stays where it is.
		x.logger.WarnContext(ctx, "content of spans cannot become media", "contents", len(h.contents), "error", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("take media out of rows: %w", err)
	}
	for text, edits := range h.edits {
		*text = applied(*text, edits)
	}
	return nil
}

// gather finds everything that can be taken out.
func (x *Extractor) gather(rows []*model.Observation) haul {
	var h haul
	for _, o := range rows {
		input, output, metadata := findInRow(o)
		if len(input)+len(output)+len(metadata) == 0 {
			continue
		}
		if h.contents == nil {
			h = haul{contents: map[contentKey]*content{}, links: map[metastore.MediaLink]bool{}, edits: map[*string][]edit{}}
		}
		x.collect(&h, o, FieldInput, input)
		x.collect(&h, o, FieldOutput, output)
		x.collect(&h, o, FieldMetadata, metadata)
	}
	return h
}

func (x *Extractor) collect(h *haul, o *model.Observation, field string, found []finding) {
	for _, f := range found {
		hash, length, err := digest(f.encoded)
		if err != nil || length == 0 || length > x.maxLength {
			continue
		}
		key := contentKey{o.ProjectID, ID(hash)}
		if h.contents[key] == nil {
			if len(h.contents) == maxPerCall {
				continue
			}
			h.contents[key] = &content{encoded: f.encoded, media: metastore.Media{
				ProjectID: o.ProjectID, ID: key.id, SHA256: hash, ContentType: f.mime, Length: length,
			}}
		}
		link := metastore.MediaLink{ProjectID: o.ProjectID, MediaID: key.id, TraceID: o.TraceID, ObservationID: o.ID, Field: field}
		if metastore.CheckMediaLink(link) == nil {
			h.links[link] = true
		}
		h.edits[f.in] = append(h.edits[f.in], edit{f.start, f.end, Reference(f.mime, key.id)})
	}
}

// Reference is the text that stands for content taken out of a span. Clients read it: its form is
// theirs.
func Reference(contentType, id string) string {
	return "@@@langfuseMedia:type=" + contentType + "|id=" + id + "|source=base64_data_uri@@@"
}

// decode streams the content of base64 that has been found.
func decode(encoded string) io.Reader {
	encoding := base64.StdEncoding
	if strings.ContainsAny(encoded, "-_") {
		encoding = base64.URLEncoding
	}
	return base64.NewDecoder(encoding.Strict(), strings.NewReader(encoded))
}

func digest(encoded string) (hash [sha256.Size]byte, length int64, err error) {
	sum := sha256.New()
	length, err = io.Copy(sum, decode(encoded))
	return [sha256.Size]byte(sum.Sum(nil)), length, err
}

// keep makes everything durable: blobs, then metadata.
func (x *Extractor) keep(ctx context.Context, h haul) error {
	var media []metastore.Media
	for _, c := range h.contents {
		known, err := x.store.Media(ctx, c.media.ProjectID, c.media.ID)
		if err != nil && !errors.Is(err, metastore.ErrNotFound) {
			return err
		}
		if err == nil && !known.UploadedAt.IsZero() {
			continue // its bytes are there, its type stays
		}
		c.media.UploadedAt = time.Now()
		media = append(media, c.media)
	}
	puts, putting := errgroup.WithContext(ctx)
	puts.SetLimit(putsAtOnce)
	for _, m := range media {
		c := h.contents[contentKey{m.ProjectID, m.ID}]
		puts.Go(func() error { return x.blobs.Put(putting, blobKey(m.ProjectID, m.SHA256), decode(c.encoded)) })
	}
	if err := puts.Wait(); err != nil {
		return fault.Unavailablef("blobs cannot be stored now").Because(err)
	}
	links := make([]metastore.MediaLink, 0, len(h.links))
	for link := range h.links {
		links = append(links, link)
	}
	return x.store.PutMedia(ctx, media, links)
}

// applied makes edits that do not overlap.
func applied(text string, edits []edit) string {
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out strings.Builder
	from := 0
	for _, e := range edits {
		if e.start < from {
			continue
		}
		out.WriteString(text[from:e.start])
		out.WriteString(e.text)
		from = e.end
	}
	out.WriteString(text[from:])
	return out.String()
}
