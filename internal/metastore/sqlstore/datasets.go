package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const datasetColumns = `project_id, id, name, description, metadata, input_schema, expected_output_schema, created_at, updated_at, item_writes`

// CreateDataset implements metastore.Datasets.
func (s *Store) CreateDataset(ctx context.Context, d model.Dataset) error {
	if err := metastore.CheckDataset(d); err != nil {
		return err
	}
	// Counted before the write, so some writes at once may go past the bound; reads have their own.
	count, err := s.countDatasets(ctx, d.ProjectID)
	if err != nil {
		return err
	}
	if count >= metastore.MaxDatasets {
		return metastore.TooManyDatasets()
	}
	_, err = s.db.ExecContext(ctx, `
		INSERT INTO datasets (`+datasetColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)`,
		d.ProjectID, d.ID, d.Name, d.Description, d.Metadata, d.InputSchema, d.ExpectedOutputSchema,
		d.CreatedAt.UnixMicro(), d.UpdatedAt.UnixMicro())
	return translate("create dataset", err)
}

func (s *Store) countDatasets(ctx context.Context, projectID string) (count int, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM datasets WHERE project_id = $1`, projectID).Scan(&count)
	return count, translate("count datasets", err)
}

// UpdateDataset implements metastore.Datasets.
func (s *Store) UpdateDataset(ctx context.Context, d, was model.Dataset, itemsCount bool) error {
	if err := metastore.CheckDataset(d); err != nil {
		return err
	}
	writes := int64(-1)
	if itemsCount {
		writes = was.ItemWrites
	}
	done, err := s.db.ExecContext(ctx, `
		UPDATE datasets SET description = $3, metadata = $4, input_schema = $5, expected_output_schema = $6, updated_at = $7
		WHERE project_id = $1 AND id = $2 AND updated_at = $8 AND (CAST($9 AS bigint) < 0 OR item_writes = CAST($9 AS bigint))`,
		d.ProjectID, d.ID, d.Description, d.Metadata, d.InputSchema, d.ExpectedOutputSchema, d.UpdatedAt.UnixMicro(),
		was.UpdatedAt.UnixMicro(), writes)
	return affected("update dataset", done, err)
}

// Dataset implements metastore.Datasets.
func (s *Store) Dataset(ctx context.Context, projectID, name string) (model.Dataset, error) {
	if err := metastore.CheckID("name", name); err != nil {
		return model.Dataset{}, err
	}
	d, err := scanDataset(s.db.QueryRowContext(ctx,
		`SELECT `+datasetColumns+` FROM datasets WHERE project_id = $1 AND name = $2`, projectID, name))
	return d, translate("read dataset", err)
}

// DatasetByID implements metastore.Datasets.
func (s *Store) DatasetByID(ctx context.Context, projectID, id string) (model.Dataset, error) {
	if err := metastore.CheckID("id", id); err != nil {
		return model.Dataset{}, err
	}
	d, err := scanDataset(s.db.QueryRowContext(ctx,
		`SELECT `+datasetColumns+` FROM datasets WHERE project_id = $1 AND id = $2`, projectID, id))
	return d, translate("read dataset", err)
}

// Datasets implements metastore.Datasets.
func (s *Store) Datasets(ctx context.Context, projectID string, offset, limit int) (list []model.Dataset, count int, err error) {
	if count, err = s.countDatasets(ctx, projectID); err != nil {
		return nil, 0, err
	}
	rows, err := s.db.QueryContext(ctx,
		`SELECT `+datasetColumns+` FROM datasets WHERE project_id = $1 ORDER BY created_at DESC, id LIMIT $2 OFFSET $3`,
		projectID, limit, offset)
	if err != nil {
		return nil, 0, translate("read datasets", err)
	}
	defer rows.Close()
	for rows.Next() {
		d, err := scanDataset(rows)
		if err != nil {
			return nil, 0, translate("read datasets", err)
		}
		list = append(list, d)
	}
	return list, count, translate("read datasets", rows.Err())
}

// DatasetSummaries implements metastore.Datasets. They are sorted here: engines order texts differently.
func (s *Store) DatasetSummaries(ctx context.Context, projectID string) (list []model.DatasetSummary, err error) {
	rows, err := s.db.QueryContext(ctx, `
		SELECT d.id, d.name, substr(d.description, 1, $2), d.input_schema <> '', d.expected_output_schema <> '', d.created_at, d.updated_at,
			coalesce(c.active, 0), coalesce(c.archived, 0), c.changed
		FROM datasets d LEFT JOIN (
			SELECT dataset_id, sum(CASE WHEN status = $3 THEN 0 ELSE 1 END) AS active, sum(CASE WHEN status = $3 THEN 1 ELSE 0 END) AS archived,
				max(valid_from) AS changed
			FROM dataset_items WHERE project_id = $1 AND valid_to IS NULL AND NOT deleted GROUP BY dataset_id
		) c ON c.dataset_id = d.id
		WHERE d.project_id = $1 LIMIT $4`,
		projectID, model.SummaryText, string(model.ItemArchived), metastore.MaxDatasets)
	if err != nil {
		return nil, translate("summarize datasets", err)
	}
	defer rows.Close()
	for rows.Next() {
		var (
			d                model.DatasetSummary
			created, updated int64
			changed          sql.NullInt64
		)
		if err := rows.Scan(&d.ID, &d.Name, &d.Description, &d.HasInputSchema, &d.HasExpectedOutputSchema, &created, &updated, &d.Active, &d.Archived, &changed); err != nil {
			return nil, translate("summarize datasets", err)
		}
		d.CreatedAt, d.UpdatedAt, d.ItemsChanged = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC(), moment(changed)
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b model.DatasetSummary) int { return cmp.Compare(a.Name, b.Name) })
	return list, translate("summarize datasets", rows.Err())
}

func scanDataset(row scanner) (model.Dataset, error) {
	var (
		d                model.Dataset
		created, updated int64
	)
	err := row.Scan(&d.ProjectID, &d.ID, &d.Name, &d.Description, &d.Metadata, &d.InputSchema, &d.ExpectedOutputSchema,
		&created, &updated, &d.ItemWrites)
	if err != nil {
		return model.Dataset{}, err
	}
	d.CreatedAt, d.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return d, nil
}

// PutRunItem implements metastore.RunItems.
func (s *Store) PutRunItem(ctx context.Context, r model.RunItem) error {
	if err := metastore.CheckRunItem(r); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, `
		INSERT INTO dataset_run_items (`+runItemColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (project_id, id) DO NOTHING`,
		r.ProjectID, r.ID, r.DatasetID, r.RunName, r.Description, r.Metadata, r.ItemID, r.ItemVersion.UnixMicro(),
		r.TraceID, r.ObservationID, r.CreatedAt.UnixMicro(), micros(r.Due))
	return translate("store run item", err)
}

const runItemColumns = `project_id, id, dataset_id, run_name, description, metadata, item_id, item_version, trace_id, observation_id, created_at, due_at`

// DueRunItems implements metastore.RunItems.
func (s *Store) DueRunItems(ctx context.Context, now time.Time, limit int) (list []model.RunItem, err error) {
	ours, values := s.workable("project_id", 3)
	rows, err := s.db.QueryContext(ctx,
		`SELECT `+runItemColumns+` FROM dataset_run_items WHERE due_at <= $1 AND`+ours+`ORDER BY due_at, project_id, id LIMIT $2`,
		append([]any{now.UnixMicro(), min(limit, metastore.MaxRunsDue)}, values...)...)
	if err != nil {
		return nil, translate("read run items", err)
	}
	defer rows.Close()
	for rows.Next() {
		var (
			r                     model.RunItem
			version, created, due int64
		)
		err := rows.Scan(&r.ProjectID, &r.ID, &r.DatasetID, &r.RunName, &r.Description, &r.Metadata, &r.ItemID, &version,
			&r.TraceID, &r.ObservationID, &created, &due)
		if err != nil {
			return nil, translate("read run items", err)
		}
		r.ItemVersion, r.CreatedAt, r.Due = time.UnixMicro(version).UTC(), time.UnixMicro(created).UTC(), time.UnixMicro(due).UTC()
		list = append(list, r)
	}
	return list, translate("read run items", rows.Err())
}

// RescheduleRunItem implements metastore.RunItems.
func (s *Store) RescheduleRunItem(ctx context.Context, r model.RunItem) error {
	_, err := s.db.ExecContext(ctx, `UPDATE dataset_run_items SET due_at = $3 WHERE project_id = $1 AND id = $2`,
		r.ProjectID, r.ID, micros(r.Due))
	if err != nil {
		return translate(fmt.Sprintf("reschedule run item %s", r.ID), err)
	}
	return nil
}
