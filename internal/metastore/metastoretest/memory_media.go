package metastoretest

import (
	"context"
	"maps"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
)

type mediaKey struct{ project, id string }

// PutMedia implements metastore.Store.
func (m *Memory) PutMedia(ctx context.Context, media []metastore.Media, links []metastore.MediaLink) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := checkMedia(media, links); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	after := maps.Clone(m.media)
	for _, one := range media {
		if _, known := m.projects[one.ProjectID]; !known {
			return metastore.ErrNotFound
		}
		key := mediaKey{one.ProjectID, one.ID}
		after[key] = merged(after, key, one)
	}
	for _, link := range links {
		if _, known := after[mediaKey{link.ProjectID, link.MediaID}]; !known {
			return metastore.ErrNotFound
		}
	}
	m.media = after
	for _, link := range links {
		if _, known := m.links[link]; !known {
			m.links[link] = time.Now()
		}
	}
	return nil
}

// merged is what a media becomes when another one is put over it.
func merged(known map[mediaKey]metastore.Media, key mediaKey, put metastore.Media) metastore.Media {
	if !put.UploadedAt.IsZero() {
		put.UploadedAt = microsecond(put.UploadedAt)
	}
	old, there := known[key]
	switch {
	case !there:
		return put
	case put.UploadedAt.IsZero():
		return old
	}
	old.ContentType = put.ContentType
	if old.UploadedAt.IsZero() {
		old.UploadedAt = put.UploadedAt
	}
	return old
}

func checkMedia(media []metastore.Media, links []metastore.MediaLink) error {
	for _, one := range media {
		if err := metastore.CheckMedia(one); err != nil {
			return err
		}
	}
	for _, link := range links {
		if err := metastore.CheckMediaLink(link); err != nil {
			return err
		}
	}
	return nil
}

// Media implements metastore.Store.
func (m *Memory) Media(ctx context.Context, projectID, id string) (metastore.Media, error) {
	if err := ctx.Err(); err != nil {
		return metastore.Media{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	found, known := m.media[mediaKey{projectID, id}]
	if !known {
		return metastore.Media{}, metastore.ErrNotFound
	}
	return found, nil
}

// MediaLinks implements metastore.Store.
func (m *Memory) MediaLinks(ctx context.Context, projectID, mediaID string, limit int) ([]metastore.MediaLink, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []metastore.MediaLink
	for link := range m.links {
		if link.ProjectID == projectID && link.MediaID == mediaID && len(found) < limit {
			found = append(found, link)
		}
	}
	return found, nil
}
