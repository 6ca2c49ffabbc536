package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
)

// tracesAtOnce bounds the values of one statement.
const tracesAtOnce = 500

// UnlinkTraces implements metastore.Store.
func (s *Store) UnlinkTraces(ctx context.Context, projectID string, traceIDs []string, before time.Time) error {
	for some := range slices.Chunk(traceIDs, tracesAtOnce) {
		args := []any{projectID, before.UnixMicro()}
		places := make([]string, len(some))
		for i, id := range some {
			args = append(args, id)
			places[i] = fmt.Sprintf("$%d", i+3)
		}
		err := s.unlink(ctx, `created_at < $2 AND trace_id IN (`+strings.Join(places, ", ")+`)`, args)
		if err != nil {
			return err
		}
	}
	return nil
}

// UnlinkProject implements metastore.Store.
func (s *Store) UnlinkProject(ctx context.Context, projectID string) error {
	return s.unlink(ctx, `true`, []any{projectID})
}

func (s *Store) unlink(ctx context.Context, which string, args []any) error {
	return s.inTransaction(ctx, "unlink media", func(tx *sql.Tx) error {
		lost, err := unlinked(ctx, tx, `DELETE FROM media_links WHERE project_id = $1 AND `+which+` RETURNING media_id`, args)
		if err != nil {
			return err
		}
		for _, id := range lost {
			_, err := tx.ExecContext(ctx, `
				UPDATE media SET uploaded_at = NULL WHERE project_id = $1 AND id = $2
				AND NOT EXISTS (SELECT 1 FROM media_links l WHERE l.project_id = $1 AND l.media_id = $2)`, args[0], id)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func unlinked(ctx context.Context, tx *sql.Tx, statement string, args []any) ([]string, error) {
	rows, err := tx.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids), rows.Err()
}

// unusedMedia are rows that nothing links to and whose bytes do not count.
const unusedMedia = `uploaded_at IS NULL AND NOT EXISTS
	(SELECT 1 FROM media_links l WHERE l.project_id = media.project_id AND l.media_id = media.id)`

// UnusedMedia implements metastore.Store.
func (s *Store) UnusedMedia(ctx context.Context, projectID string, limit int) ([]metastore.Media, error) {
	rows, err := s.db.QueryContext(ctx, `
		SELECT id, sha256, content_type, content_length FROM media WHERE project_id = $1 AND `+unusedMedia+` ORDER BY id LIMIT $2`, projectID, limit)
	if err != nil {
		return nil, translate("list unused media", err)
	}
	defer rows.Close()
	var list []metastore.Media
	for rows.Next() {
		m := metastore.Media{ProjectID: projectID}
		var hash []byte
		if err := rows.Scan(&m.ID, &hash, &m.ContentType, &m.Length); err != nil {
			return nil, translate("list unused media", err)
		}
		copy(m.SHA256[:], hash)
		list = append(list, m)
	}
	return list, translate("list unused media", rows.Err())
}

// DeleteUnusedMedia implements metastore.Store.
func (s *Store) DeleteUnusedMedia(ctx context.Context, projectID, id string) error {
	return s.inTransaction(ctx, "delete media", func(tx *sql.Tx) error {
		// Locks the row, and marks what was uploaded meanwhile.
		if _, err := tx.ExecContext(ctx, `UPDATE media SET uploaded_at = NULL WHERE project_id = $1 AND id = $2`, projectID, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM media WHERE project_id = $1 AND id = $2 AND `+unusedMedia, projectID, id)
		return err
	})
}

// Scrub implements metastore.Store. SQLite overwrites what is deleted (secure_delete), first in its journal: the
// journal is moved into the database and emptied.
func (s *Store) Scrub(ctx context.Context) error {
	if !s.sqlite {
		return nil
	}
	var busy, size, moved int
	err := s.db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &size, &moved)
	if err == nil && busy != 0 {
		return fault.Unavailablef("another program reads the metadata database").Hint("it is tried again")
	}
	return translate("empty the journal of the metadata database", err)
}
