package api

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/media"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/query"
)

// mediaPath and contentPath are the address of a media and of its bytes.
const (
	mediaPath   = "/api/public/media/{mediaId}"
	contentPath = mediaPath + "/content"
)

// announcementJSON is the body of POST /api/public/media. Clients send null for what they leave out.
type announcementJSON struct {
	TraceID       string `json:"traceId"`
	ObservationID string `json:"observationId"`
	DatasetID     string `json:"datasetId"`
	DatasetItemID string `json:"datasetItemId"`
	ContentType   string `json:"contentType"`
	ContentLength int64  `json:"contentLength"`
	SHA256Hash    string `json:"sha256Hash"`
	Field         string `json:"field"`
}

type announcedJSON struct {
	MediaID   string  `json:"mediaId"`
	UploadURL *string `json:"uploadUrl"` // null: the project has it
}

// announceMedia serves POST /api/public/media.
func (s *server) announceMedia(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var in announcementJSON
	if err := s.readMediaBody(w, r, &in); err != nil {
		return err
	}
	out, err := s.Media.Announce(r.Context(), caller.Project.ID, media.Announcement{
		ContentType: in.ContentType, Length: in.ContentLength, SHA256: in.SHA256Hash,
		Link: metastore.MediaLink{
			TraceID: in.TraceID, ObservationID: in.ObservationID,
			DatasetID: in.DatasetID, DatasetItemID: in.DatasetItemID, Field: in.Field,
		},
	})
	if err != nil {
		return err
	}
	answer := announcedJSON{MediaID: out.ID}
	if out.Ticket != "" {
		address := s.contentURL(r, out.ID, out.Ticket)
		answer.UploadURL = &address
	}
	writeJSON(w, http.StatusCreated, answer)
	return nil
}

// uploadReportJSON is the body of PATCH /api/public/media/{mediaId}.
type uploadReportJSON struct {
	UploadedAt       *string  `json:"uploadedAt"`
	UploadHTTPStatus *int     `json:"uploadHttpStatus"`
	UploadHTTPError  string   `json:"uploadHttpError"`
	UploadTimeMs     *float64 `json:"uploadTimeMs"`
}

// reportMedia serves PATCH /api/public/media/{mediaId}. Uploads come to this server, so it knows
// better than the report what became of them: a report of failure is for our log only.
func (s *server) reportMedia(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var in uploadReportJSON
	if err := s.readMediaBody(w, r, &in); err != nil {
		return err
	}
	if in.UploadedAt == nil {
		return fault.Invalidf("uploadedAt", "must be given")
	}
	if _, err := query.ParseTime(*in.UploadedAt); err != nil {
		return fault.Invalidf("uploadedAt", "must be an ISO 8601 date-time with a zone")
	}
	if in.UploadHTTPStatus == nil {
		return fault.Invalidf("uploadHttpStatus", "must be given")
	}
	id := r.PathValue("mediaId")
	if err := s.Media.Registered(r.Context(), caller.Project.ID, id); err != nil {
		return err
	}
	if status := *in.UploadHTTPStatus; status != http.StatusOK && status != http.StatusCreated {
		s.Log.LogAttrs(r.Context(), slog.LevelWarn, "a client could not upload media", slog.String("project", caller.Project.ID),
			slog.String("media", id), slog.Int("status", status))
	}
	writeJSON(w, http.StatusOK, errorBody{Message: "OK"})
	return nil
}

type mediaJSON struct {
	MediaID       string `json:"mediaId"`
	ContentType   string `json:"contentType"`
	ContentLength int64  `json:"contentLength"`
	UploadedAt    string `json:"uploadedAt"`
	URL           string `json:"url"`
	URLExpiry     string `json:"urlExpiry"`
}

// media serves GET /api/public/media/{mediaId}.
func (s *server) media(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	found, err := s.Media.Find(r.Context(), caller.Project.ID, r.PathValue("mediaId"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, mediaJSON{
		MediaID: found.ID, ContentType: found.ContentType, ContentLength: found.Length, UploadedAt: stamp(found.UploadedAt),
		URL: s.contentURL(r, found.ID, found.Ticket), URLExpiry: stamp(found.Expires),
	})
	return nil
}

// contentURL is where the caller can send or get bytes.
func (s *server) contentURL(r *http.Request, id, ticket string) string {
	return s.baseURL(r) + "/api/public/media/" + id + "/content?" + url.Values{ticketParam: {ticket}}.Encode()
}

// baseURL is what addresses of ours begin with. Without a configured address it is the one that the
// caller has just used: unlike the one we listen on, it is known to reach us.
func (s *server) baseURL(r *http.Request) string {
	if s.PublicURL != "" {
		return s.PublicURL
	}
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host + s.BasePath
}

// readMediaBody decodes a JSON body and names the member that does not fit.
func (s *server) readMediaBody(w http.ResponseWriter, r *http.Request, into any) error {
	return s.bodies.read(w, r, func(body []byte) error {
		err := json.Unmarshal(body, into)
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return fault.Invalidf(wrong.Field, "must not be a %s", wrong.Value)
		}
		if err != nil {
			return fault.New(fault.Invalid, "The body is not a JSON object").Because(err)
		}
		return nil
	})
}
