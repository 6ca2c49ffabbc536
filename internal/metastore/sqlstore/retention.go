package sqlstore

import (
	"context"
	"time"
)

// TracesWithMedia implements metastore.Store.
func (s *Store) TracesWithMedia(ctx context.Context, projectID string, before time.Time, after string, limit int) ([]string, error) {
	rows, err := s.db.QueryContext(ctx, `
		SELECT DISTINCT trace_id FROM media_links
		WHERE project_id = $1 AND trace_id > $2 AND created_at < $3 ORDER BY trace_id LIMIT $4`,
		projectID, after, before.UnixMicro(), limit)
	if err != nil {
		return nil, translate("list traces with media", err)
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, translate("list traces with media", err)
		}
		ids = append(ids, id)
	}
	return ids, translate("list traces with media", rows.Err())
}
