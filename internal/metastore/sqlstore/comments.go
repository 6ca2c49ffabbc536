package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const commentColumns = `project_id, id, object_type, object_id, content, author_user_id, created_at, updated_at`

// CreateComment implements metastore.Annotations.
func (s *Store) CreateComment(ctx context.Context, c model.Comment) error {
	if err := metastore.CheckComment(c); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, `
		INSERT INTO comments (`+commentColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		c.ProjectID, c.ID, string(c.ObjectType), c.ObjectID, c.Content, c.AuthorUserID, c.CreatedAt.UnixMicro(), c.UpdatedAt.UnixMicro())
	return translate("create comment", err)
}

// Comment implements metastore.Annotations.
func (s *Store) Comment(ctx context.Context, projectID, id string) (model.Comment, error) {
	if err := metastore.CheckID("commentId", id); err != nil {
		return model.Comment{}, err
	}
	row := s.db.QueryRowContext(ctx, `SELECT `+commentColumns+` FROM comments WHERE project_id = $1 AND id = $2`, projectID, id)
	c, err := scanComment(row)
	return c, translate("read comment", err)
}

// Comments implements metastore.Annotations.
func (s *Store) Comments(ctx context.Context, projectID string, q metastore.CommentQuery, part metastore.Range) ([]model.Comment, int, error) {
	if err := q.Check(); err != nil {
		return nil, 0, err
	}
	from := rowsIn("comments", projectID)
	from.and("object_type", string(q.ObjectType))
	from.and("object_id", q.ObjectID)
	from.and("author_user_id", q.AuthorUserID)
	return listRows(ctx, s.db, commentColumns, from, part, scanComment)
}

func scanComment(row scanner) (c model.Comment, err error) {
	var created, updated int64
	err = row.Scan(&c.ProjectID, &c.ID, &c.ObjectType, &c.ObjectID, &c.Content, &c.AuthorUserID, &created, &updated)
	c.CreatedAt, c.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return c, err
}

// rowsOf is a table with conditions: what is listed and what is counted.
type rowsOf struct {
	table string
	tests []string
	args  []any
}

func rowsIn(table, projectID string) *rowsOf {
	return &rowsOf{table: table, tests: []string{"project_id = $1"}, args: []any{projectID}}
}

// and adds a condition, unless the value is empty.
func (r *rowsOf) and(column, value string) {
	if value != "" {
		r.args = append(r.args, value)
		r.tests = append(r.tests, fmt.Sprintf("%s = $%d", column, len(r.args)))
	}
}

// listRows reads a part of what is there, the newest first, and counts it all.
func listRows[T any](ctx context.Context, db *sql.DB, columns string, from *rowsOf, part metastore.Range, scan func(scanner) (T, error)) (found []T, total int, err error) {
	text := ` FROM ` + from.table + ` WHERE ` + strings.Join(from.tests, " AND ")
	if err := db.QueryRowContext(ctx, `SELECT count(*)`+text, from.args...).Scan(&total); err != nil {
		return nil, 0, translate("count "+from.table, err)
	}
	n := len(from.args)
	rows, err := db.QueryContext(ctx, fmt.Sprintf(`SELECT %s%s ORDER BY created_at DESC, id LIMIT $%d OFFSET $%d`, columns, text, n+1, n+2),
		append(from.args, part.Limit, part.Offset)...)
	if err != nil {
		return nil, 0, translate("list "+from.table, err)
	}
	defer rows.Close()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, 0, translate("list "+from.table, err)
		}
		found = append(found, one)
	}
	return found, total, translate("list "+from.table, rows.Err())
}
