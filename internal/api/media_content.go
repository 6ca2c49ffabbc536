package api

import (
	"encoding/hex"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/media"
)

// ticketParam is the query parameter that opens an address to its bearer.
const ticketParam = "ticket"

type uploadedJSON struct {
	MediaID string `json:"mediaId"`
}

// uploadMedia serves PUT /api/public/media/{mediaId}/content. The ticket is the credential.
func (s *server) uploadMedia(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return refusal{
			http.StatusUnsupportedMediaType, "UnsupportedMediaTypeError",
			fmt.Sprintf("Content-Encoding %q is not supported; send the bytes as they are", coding),
		}
	}
	contentType := r.Header.Get("Content-Type")
	if essence, _, err := mime.ParseMediaType(contentType); err == nil {
		contentType = essence
	}
	in := media.Upload{
		ID: r.PathValue("mediaId"), Ticket: r.URL.Query().Get(ticketParam), ContentType: contentType,
		Length: r.ContentLength, Checksum: r.Header.Get("X-Amz-Checksum-Sha256"), Body: r.Body,
	}
	project, err := s.Media.Upload(r.Context(), in)
	infoOf(r).project = project
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, uploadedJSON{in.ID})
	return nil
}

// mediaContent serves GET /api/public/media/{mediaId}/content, to the bearer of a ticket or of the
// project's key.
func (s *server) mediaContent(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	id := r.PathValue("mediaId")
	project, sharing, err := s.downloader(r, id)
	if err != nil {
		return err
	}
	infoOf(r).project = project
	content, err := s.Media.Open(r.Context(), project, id)
	if err != nil {
		return err
	}
	defer content.Close()
	contentHeaders(w.Header(), content, sharing)
	http.ServeContent(w, r, "", content.UploadedAt, content)
	return nil
}

// downloader says for which project the caller may read, and which pages may embed what it gets: a
// browser may send a key on its own, so pages of other origins must not use what that opens.
func (s *server) downloader(r *http.Request, id string) (project, sharing string, err error) {
	if query := r.URL.Query(); query.Has(ticketParam) {
		project, err = s.Media.Downloader(query.Get(ticketParam), id)
		return project, "cross-origin", err
	}
	caller, err := s.authenticate(r, route{method: http.MethodGet})
	return caller.Project.ID, "same-origin", err
}

// contentHeaders see to it that a browser never runs the content: it has the type that was
// announced, in a sandbox that loads and runs nothing, and is a download unless it is an image, a
// sound or a video.
func contentHeaders(h http.Header, content media.Content, sharing string) {
	disposition := "attachment"
	if media.Inline(content.ContentType) {
		disposition = "inline"
	}
	contentType := content.ContentType
	if strings.HasPrefix(contentType, "text/") {
		contentType += "; charset=utf-8"
	}
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": media.FileName(content.ID, content.ContentType)}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", sharing)
	h.Set("ETag", `"`+hex.EncodeToString(content.SHA256[:])+`"`)
	h.Set("Cache-Control", "private, max-age=3600")
}
