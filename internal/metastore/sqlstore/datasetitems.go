package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// PutItem implements metastore.DatasetItems.
func (s *Store) PutItem(ctx context.Context, i model.DatasetItem, was, changed time.Time) error {
	return s.PutItems(ctx, []metastore.NewVersion{{Item: i, Was: was}}, changed)
}

// PutItems implements metastore.DatasetItems. The write of the dataset comes first: it makes writers of one
// dataset wait for each other before either holds an item.
func (s *Store) PutItems(ctx context.Context, versions []metastore.NewVersion, changed time.Time) error {
	if err := metastore.CheckVersions(versions); err != nil || len(versions) == 0 {
		return err
	}
	return s.inTransaction(ctx, "store dataset items", func(tx *sql.Tx) error {
		one := versions[0].Item
		done, err := tx.ExecContext(ctx,
			`UPDATE datasets SET item_writes = item_writes + $4 WHERE project_id = $1 AND id = $2 AND updated_at = $3`,
			one.ProjectID, one.DatasetID, changed.UnixMicro(), len(versions))
		if err := oneRow(done, err); err != nil {
			return err
		}
		for _, v := range versions {
			if err := putVersion(ctx, tx, v); err != nil {
				return err
			}
		}
		return nil
	})
}

func putVersion(ctx context.Context, tx *sql.Tx, v metastore.NewVersion) error {
	i := v.Item
	if !v.Was.IsZero() {
		done, err := tx.ExecContext(ctx,
			`UPDATE dataset_items SET valid_to = $4 WHERE project_id = $1 AND id = $2 AND valid_from = $3 AND valid_to IS NULL`,
			i.ProjectID, i.ID, v.Was.UnixMicro(), i.ValidFrom.UnixMicro())
		if err := oneRow(done, err); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO dataset_items (project_id, id, dataset_id, valid_from, deleted, status, input, expected_output,
			metadata, source_trace_id, source_observation_id, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		i.ProjectID, i.ID, i.DatasetID, i.ValidFrom.UnixMicro(), i.Deleted, string(i.Status), i.Input, i.ExpectedOutput,
		i.Metadata, i.SourceTraceID, i.SourceObservationID, i.CreatedAt.UnixMicro())
	return err
}

const (
	wholeTexts = `i.input, i.expected_output, i.metadata`
	cutTexts   = `substr(i.input, 1, $4), substr(i.expected_output, 1, $4), substr(i.metadata, 1, $4)`
)

func selectItem(texts, condition string) string {
	return `
	SELECT i.project_id, i.id, i.dataset_id, d.name, i.valid_from, i.valid_to, i.deleted, i.status, ` + texts + `,
		i.source_trace_id, i.source_observation_id, i.created_at
	FROM dataset_items i JOIN datasets d ON d.project_id = i.project_id AND d.id = i.dataset_id
	WHERE i.project_id = $1 AND i.id = $2 AND ` + condition
}

// Item implements metastore.DatasetItems.
func (s *Store) Item(ctx context.Context, projectID, id string) (model.DatasetItem, error) {
	if err := metastore.CheckID("id", id); err != nil {
		return model.DatasetItem{}, err
	}
	i, err := scanItem(s.db.QueryRowContext(ctx, selectItem(wholeTexts, `i.valid_to IS NULL`), projectID, id))
	return i, translate("read dataset item", err)
}

// condition is the text and the values of what a query asks for.
func condition(q metastore.ItemQuery) (string, []any) {
	text, values := []string{"project_id = $1", "NOT deleted"}, []any{q.ProjectID}
	add := func(format string, value any) {
		values = append(values, value)
		text = append(text, strings.ReplaceAll(format, "?", fmt.Sprintf("$%d", len(values))))
	}
	switch {
	case q.AllVersions:
	case q.At.IsZero():
		text = append(text, "valid_to IS NULL")
	default:
		add("valid_from <= ? AND (valid_to IS NULL OR valid_to > ?)", q.At.UnixMicro())
	}
	switch {
	case q.Archived:
		add("status = ?", string(model.ItemArchived))
	case !q.AnyStatus:
		add("status = ?", string(model.ItemActive))
	}
	if len(q.Search) > 0 {
		text = append(text, searched(q.Search, &values))
	}
	for _, c := range []struct{ column, value string }{
		{"dataset_id", q.DatasetID},
		{"id", q.ItemID},
		{"source_trace_id", q.SourceTraceID},
		{"source_observation_id", q.SourceObservationID},
	} {
		if c.value != "" {
			add(c.column+" = ?", c.value)
		}
	}
	return strings.Join(text, " AND "), values
}

// literal takes the meaning from what is special in a pattern of LIKE.
var literal = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// searched is true for an item that holds one of the spellings.
func searched(spellings []string, values *[]any) string {
	var either []string
	for _, spelling := range spellings {
		*values = append(*values, "%"+literal.Replace(spelling)+"%")
		for _, column := range []string{"id", "input", "expected_output", "metadata"} {
			either = append(either, fmt.Sprintf(`lower(%s) LIKE lower($%d) ESCAPE '\'`, column, len(*values)))
		}
	}
	return "(" + strings.Join(either, " OR ") + ")"
}

// CountItems implements metastore.DatasetItems.
func (s *Store) CountItems(ctx context.Context, q metastore.ItemQuery) (count int, err error) {
	if err := metastore.CheckItemQuery(q); err != nil {
		return 0, err
	}
	where, values := condition(q)
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM dataset_items WHERE `+where, values...).Scan(&count)
	return count, translate("count dataset items", err)
}

// itemKey names one version of an item.
type itemKey struct {
	id   string
	from int64
}

func (s *Store) itemKeys(ctx context.Context, q metastore.ItemQuery) (keys []itemKey, err error) {
	if err := metastore.CheckItemQuery(q); err != nil {
		return nil, err
	}
	where, values := condition(q)
	text := fmt.Sprintf(`SELECT id, valid_from FROM dataset_items WHERE %s ORDER BY valid_from DESC, id LIMIT $%d OFFSET $%d`,
		where, len(values)+1, len(values)+2)
	rows, err := s.db.QueryContext(ctx, text, append(values, min(q.Limit, metastore.MaxItemsAtOnce), q.Offset)...)
	if err != nil {
		return nil, translate("list dataset items", err)
	}
	defer rows.Close()
	for rows.Next() {
		var k itemKey
		if err := rows.Scan(&k.id, &k.from); err != nil {
			return nil, translate("list dataset items", err)
		}
		keys = append(keys, k)
	}
	return keys, translate("list dataset items", rows.Err())
}

// ItemIDs implements metastore.DatasetItems.
func (s *Store) ItemIDs(ctx context.Context, q metastore.ItemQuery) (ids []string, err error) {
	keys, err := s.itemKeys(ctx, q)
	for _, k := range keys {
		ids = append(ids, k.id)
	}
	return ids, err
}

// EachItem implements metastore.DatasetItems. No statement is open while visit works: SQLite has one
// connection, and visit may wait for a client.
func (s *Store) EachItem(ctx context.Context, q metastore.ItemQuery, visit func(model.DatasetItem) error) error {
	keys, err := s.itemKeys(ctx, q)
	if err != nil {
		return err
	}
	statement, bound := selectItem(wholeTexts, `i.valid_from = $3`), []any{}
	if q.Cut > 0 {
		statement, bound = selectItem(cutTexts, `i.valid_from = $3`), []any{q.Cut}
	}
	for _, k := range keys {
		i, err := scanItem(s.db.QueryRowContext(ctx, statement, append([]any{q.ProjectID, k.id, k.from}, bound...)...))
		switch {
		case errors.Is(err, sql.ErrNoRows): // it went with its project
			continue
		case err != nil:
			return translate("read dataset item", err)
		}
		if err := visit(i); err != nil {
			return err
		}
	}
	return nil
}

// ItemTimes implements metastore.DatasetItems.
func (s *Store) ItemTimes(ctx context.Context, projectID, datasetID string, limit int) (list []model.ItemTime, err error) {
	if err := metastore.CheckID("dataset id", datasetID); err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, `
		SELECT valid_from, count(*), sum(CASE WHEN deleted THEN 1 ELSE 0 END) FROM dataset_items
		WHERE project_id = $1 AND dataset_id = $2 GROUP BY valid_from ORDER BY valid_from DESC LIMIT $3`,
		projectID, datasetID, min(limit, metastore.MaxItemTimes))
	if err != nil {
		return nil, translate("read times of dataset items", err)
	}
	defer rows.Close()
	for rows.Next() {
		var (
			at             int64
			count, deleted int
		)
		if err := rows.Scan(&at, &count, &deleted); err != nil {
			return nil, translate("read times of dataset items", err)
		}
		list = append(list, model.ItemTime{At: time.UnixMicro(at).UTC(), Written: count - deleted, Deleted: deleted})
	}
	return list, translate("read times of dataset items", rows.Err())
}

func scanItem(row scanner) (model.DatasetItem, error) {
	var (
		i             model.DatasetItem
		status        string
		from, created int64
		to            sql.NullInt64
	)
	err := row.Scan(&i.ProjectID, &i.ID, &i.DatasetID, &i.DatasetName, &from, &to, &i.Deleted, &status, &i.Input, &i.ExpectedOutput,
		&i.Metadata, &i.SourceTraceID, &i.SourceObservationID, &created)
	if err != nil {
		return model.DatasetItem{}, err
	}
	i.Status = model.ItemStatus(status)
	i.ValidFrom, i.ValidTo, i.CreatedAt = time.UnixMicro(from).UTC(), moment(to), time.UnixMicro(created).UTC()
	return i, nil
}
