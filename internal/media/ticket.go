package media

import (
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/seal"
)

// ticketLife is how long an address works.
const ticketLife = time.Hour

// A ticket is the part of an address that lets its bearer in: sealed, so that nobody can make one
// or change what it is for. An upload ticket names everything that the bytes must be; a download
// ticket names a media.
type ticket struct {
	Project string            `json:"p"`
	ID      string            `json:"i,omitempty"`
	Hash    [sha256.Size]byte `json:"-"`
	RawHash []byte            `json:"h,omitempty"`
	Length  int64             `json:"n,omitempty"`
	Type    string            `json:"t,omitempty"`
	Expires int64             `json:"e"` // milliseconds since 1970
}

func (s *Service) uploadTicket(m metastore.Media, now time.Time) string {
	return sealed(s.uploads, ticket{
		Project: m.ProjectID, RawHash: m.SHA256[:], Length: m.Length, Type: m.ContentType,
		Expires: now.Add(ticketLife).UnixMilli(),
	})
}

func (s *Service) downloadTicket(m metastore.Media, expires time.Time) string {
	return sealed(s.downloads, ticket{Project: m.ProjectID, ID: m.ID, Expires: expires.UnixMilli()})
}

func sealed(with seal.Sealer, t ticket) string {
	content, _ := json.Marshal(t) // texts, numbers and bytes cannot fail
	return with.Seal(content)
}

// admit opens a ticket for the media in whose address it came.
func admit(with seal.Sealer, text, id, advice string) (ticket, error) {
	refused := func(why string) error { return fault.New(fault.Forbidden, "%s", why).Hint(advice) }
	content, err := with.Open(text)
	if err != nil {
		return ticket{}, refused("This address was changed, or is none of this server")
	}
	var t ticket
	if err := json.Unmarshal(content, &t); err != nil {
		return ticket{}, refused("This address was changed, or is none of this server")
	}
	copy(t.Hash[:], t.RawHash)
	if t.ID == "" {
		t.ID = ID(t.Hash)
	}
	if t.ID != id {
		return ticket{}, refused("This address was changed, or is none of this server")
	}
	if time.Now().UnixMilli() >= t.Expires {
		return ticket{}, refused("This address has expired")
	}
	return t, nil
}

// Downloader returns the project that a download ticket for the media speaks for, or a fault of
// kind Forbidden.
func (s *Service) Downloader(text, id string) (projectID string, err error) {
	t, err := admit(s.downloads, text, id, "ask GET /api/public/media/{mediaId} for a new one")
	return t.Project, err
}
