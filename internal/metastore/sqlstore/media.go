package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
)

// PutMedia implements metastore.Store.
func (s *Store) PutMedia(ctx context.Context, media []metastore.Media, links []metastore.MediaLink) error {
	for _, m := range media {
		if err := metastore.CheckMedia(m); err != nil {
			return err
		}
	}
	for _, l := range links {
		if err := metastore.CheckMediaLink(l); err != nil {
			return err
		}
	}
	// One order for all nodes: two that put the same media never wait for each other in a circle.
	media, links = slices.Clone(media), slices.Clone(links)
	slices.SortFunc(media, func(a, b metastore.Media) int {
		return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(links, compareLinks)
	return s.inTransaction(ctx, "put media", func(tx *sql.Tx) error {
		for _, m := range media {
			if err := putMedia(ctx, tx, m); err != nil {
				return err
			}
		}
		for _, l := range links {
			if err := putLink(ctx, tx, l); err != nil {
				return err
			}
		}
		return nil
	})
}

func compareLinks(a, b metastore.MediaLink) int {
	return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.MediaID, b.MediaID),
		cmp.Compare(a.TraceID, b.TraceID), cmp.Compare(a.ObservationID, b.ObservationID),
		cmp.Compare(a.DatasetID, b.DatasetID), cmp.Compare(a.DatasetItemID, b.DatasetItemID), cmp.Compare(a.Field, b.Field))
}

func putMedia(ctx context.Context, on execer, m metastore.Media) error {
	_, err := on.ExecContext(ctx, `
		INSERT INTO media (project_id, id, sha256, content_type, content_length, created_at, uploaded_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (project_id, id) DO UPDATE SET
		    content_type = excluded.content_type,
		    uploaded_at  = COALESCE(media.uploaded_at, excluded.uploaded_at)
		WHERE excluded.uploaded_at IS NOT NULL`,
		m.ProjectID, m.ID, m.SHA256[:], m.ContentType, m.Length, time.Now().UnixMicro(), micros(m.UploadedAt))
	return err
}

func putLink(ctx context.Context, on execer, l metastore.MediaLink) error {
	_, err := on.ExecContext(ctx, `
		INSERT INTO media_links (project_id, media_id, trace_id, observation_id, dataset_id, dataset_item_id, field, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT DO NOTHING`,
		l.ProjectID, l.MediaID, l.TraceID, l.ObservationID, l.DatasetID, l.DatasetItemID, l.Field, time.Now().UnixMicro())
	return err
}

// Media implements metastore.Store.
func (s *Store) Media(ctx context.Context, projectID, id string) (metastore.Media, error) {
	m := metastore.Media{ProjectID: projectID, ID: id}
	if metastore.CheckMedia(m) != nil {
		return metastore.Media{}, translate("read media", sql.ErrNoRows) // nothing can have such an id
	}
	var (
		hash     []byte
		uploaded sql.NullInt64
	)
	err := s.db.QueryRowContext(ctx, `
		SELECT sha256, content_type, content_length, uploaded_at FROM media WHERE project_id = $1 AND id = $2`,
		projectID, id).Scan(&hash, &m.ContentType, &m.Length, &uploaded)
	if err != nil {
		return metastore.Media{}, translate("read media", err)
	}
	copy(m.SHA256[:], hash)
	m.UploadedAt = moment(uploaded)
	return m, nil
}

// MediaLinks implements metastore.Store.
func (s *Store) MediaLinks(ctx context.Context, projectID, mediaID string, limit int) ([]metastore.MediaLink, error) {
	rows, err := s.db.QueryContext(ctx, `
		SELECT trace_id, observation_id, dataset_id, dataset_item_id, field FROM media_links
		WHERE project_id = $1 AND media_id = $2 LIMIT $3`, projectID, mediaID, limit)
	if err != nil {
		return nil, translate("read media links", err)
	}
	defer rows.Close()
	var links []metastore.MediaLink
	for rows.Next() {
		l := metastore.MediaLink{ProjectID: projectID, MediaID: mediaID}
		if err := rows.Scan(&l.TraceID, &l.ObservationID, &l.DatasetID, &l.DatasetItemID, &l.Field); err != nil {
			return nil, translate("read media links", err)
		}
		links = append(links, l)
	}
	return links, translate("read media links", rows.Err())
}
