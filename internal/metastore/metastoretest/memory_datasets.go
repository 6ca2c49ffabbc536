package metastoretest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// datasetMemory is what Memory keeps of datasets.
type datasetMemory struct {
	datasets []model.Dataset
	items    []model.DatasetItem // all versions
	runItems []model.RunItem
}

// CreateDataset implements metastore.Datasets.
func (m *Memory) CreateDataset(ctx context.Context, d model.Dataset) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckDataset(d)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.projects[d.ProjectID]; !known {
		return metastore.ErrNotFound
	}
	count := 0
	for _, other := range m.datasets.datasets {
		if other.ProjectID != d.ProjectID {
			continue
		}
		if other.ID == d.ID || other.Name == d.Name {
			return metastore.ErrExists
		}
		count++
	}
	if count >= metastore.MaxDatasets {
		return metastore.TooManyDatasets()
	}
	d.CreatedAt, d.UpdatedAt, d.ItemWrites = microsecond(d.CreatedAt), microsecond(d.UpdatedAt), 0
	m.datasets.datasets = append(m.datasets.datasets, d)
	return nil
}

// UpdateDataset implements metastore.Datasets.
func (m *Memory) UpdateDataset(ctx context.Context, d, was model.Dataset, itemsCount bool) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckDataset(d)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.dataset(func(o *model.Dataset) bool { return o.ProjectID == d.ProjectID && o.ID == d.ID })
	if old == nil || !old.UpdatedAt.Equal(microsecond(was.UpdatedAt)) || (itemsCount && old.ItemWrites != was.ItemWrites) {
		return metastore.ErrNotFound
	}
	old.Description, old.Metadata, old.InputSchema, old.ExpectedOutputSchema = d.Description, d.Metadata, d.InputSchema, d.ExpectedOutputSchema
	old.UpdatedAt = microsecond(d.UpdatedAt)
	return nil
}

// dataset is the one that is looked for, nil when there is none.
func (m *Memory) dataset(is func(*model.Dataset) bool) *model.Dataset {
	for i := range m.datasets.datasets {
		if is(&m.datasets.datasets[i]) {
			return &m.datasets.datasets[i]
		}
	}
	return nil
}

// Dataset implements metastore.Datasets.
func (m *Memory) Dataset(ctx context.Context, projectID, name string) (model.Dataset, error) {
	return m.readDataset(ctx, metastore.CheckID("name", name), func(d *model.Dataset) bool { return d.ProjectID == projectID && d.Name == name })
}

// DatasetByID implements metastore.Datasets.
func (m *Memory) DatasetByID(ctx context.Context, projectID, id string) (model.Dataset, error) {
	return m.readDataset(ctx, metastore.CheckID("id", id), func(d *model.Dataset) bool { return d.ProjectID == projectID && d.ID == id })
}

func (m *Memory) readDataset(ctx context.Context, wrong error, is func(*model.Dataset) bool) (model.Dataset, error) {
	if err := cmp.Or(ctx.Err(), wrong); err != nil {
		return model.Dataset{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.dataset(is)
	if d == nil {
		return model.Dataset{}, metastore.ErrNotFound
	}
	return *d, nil
}

// Datasets implements metastore.Datasets.
func (m *Memory) Datasets(ctx context.Context, projectID string, offset, limit int) ([]model.Dataset, int, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var own []model.Dataset
	for _, d := range m.datasets.datasets {
		if d.ProjectID == projectID {
			own = append(own, d)
		}
	}
	slices.SortFunc(own, func(a, b model.Dataset) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return cut(own, offset, limit), len(own), nil
}

// PutItem implements metastore.DatasetItems.
func (m *Memory) PutItem(ctx context.Context, i model.DatasetItem, was, changed time.Time) error {
	return m.PutItems(ctx, []metastore.NewVersion{{Item: i, Was: was}}, changed)
}

// PutItems implements metastore.DatasetItems.
func (m *Memory) PutItems(ctx context.Context, versions []metastore.NewVersion, changed time.Time) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckVersions(versions)); err != nil || len(versions) == 0 {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	one := versions[0].Item
	d := m.dataset(func(d *model.Dataset) bool { return d.ProjectID == one.ProjectID && d.ID == one.DatasetID })
	if d == nil || !d.UpdatedAt.Equal(microsecond(changed)) {
		return metastore.ErrNotFound
	}
	for _, v := range versions {
		switch current := m.current(v.Item.ProjectID, v.Item.ID); {
		case v.Was.IsZero() && current != nil:
			return metastore.ErrExists
		case !v.Was.IsZero() && (current == nil || !current.ValidFrom.Equal(microsecond(v.Was))):
			return metastore.ErrNotFound
		}
	}
	for _, v := range versions {
		i := v.Item
		if current := m.current(i.ProjectID, i.ID); current != nil {
			current.ValidTo = microsecond(i.ValidFrom)
		}
		d.ItemWrites++
		i.CreatedAt, i.ValidFrom, i.ValidTo, i.DatasetName = microsecond(i.CreatedAt), microsecond(i.ValidFrom), time.Time{}, d.Name
		m.datasets.items = append(m.datasets.items, i)
	}
	return nil
}

func (m *Memory) current(projectID, id string) *model.DatasetItem {
	for n := range m.datasets.items {
		if i := &m.datasets.items[n]; i.ProjectID == projectID && i.ID == id && i.ValidTo.IsZero() {
			return i
		}
	}
	return nil
}

// Item implements metastore.DatasetItems.
func (m *Memory) Item(ctx context.Context, projectID, id string) (model.DatasetItem, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("id", id)); err != nil {
		return model.DatasetItem{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	current := m.current(projectID, id)
	if current == nil {
		return model.DatasetItem{}, metastore.ErrNotFound
	}
	return *current, nil
}

// matching lists the items of a query, all of them and in order.
func (m *Memory) matching(ctx context.Context, q metastore.ItemQuery) ([]model.DatasetItem, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckItemQuery(q)); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []model.DatasetItem
	for _, i := range m.datasets.items {
		if matches(i, q) {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b model.DatasetItem) int {
		return cmp.Or(b.ValidFrom.Compare(a.ValidFrom), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

func matches(i model.DatasetItem, q metastore.ItemQuery) bool {
	is := func(asked, has string) bool { return asked == "" || asked == has }
	valid := i.ValidTo.IsZero()
	if at := microsecond(q.At); !q.At.IsZero() {
		valid = !i.ValidFrom.After(at) && (i.ValidTo.IsZero() || i.ValidTo.After(at))
	}
	status := q.AnyStatus || i.Status == model.ItemActive
	if q.Archived {
		status = i.Status == model.ItemArchived
	}
	return i.ProjectID == q.ProjectID && !i.Deleted && (valid || q.AllVersions) && status && holds(i, q.Search) &&
		is(q.DatasetID, i.DatasetID) && is(q.ItemID, i.ID) &&
		is(q.SourceTraceID, i.SourceTraceID) && is(q.SourceObservationID, i.SourceObservationID)
}

func holds(i model.DatasetItem, spellings []string) bool {
	for _, spelling := range spellings {
		for _, text := range []string{i.ID, i.Input, i.ExpectedOutput, i.Metadata} {
			if strings.Contains(asciiLower(text), asciiLower(spelling)) {
				return true
			}
		}
	}
	return len(spellings) == 0
}

func asciiLower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// CountItems implements metastore.DatasetItems.
func (m *Memory) CountItems(ctx context.Context, q metastore.ItemQuery) (int, error) {
	list, err := m.matching(ctx, q)
	return len(list), err
}

// ItemIDs implements metastore.DatasetItems.
func (m *Memory) ItemIDs(ctx context.Context, q metastore.ItemQuery) (ids []string, err error) {
	err = m.EachItem(ctx, q, func(i model.DatasetItem) error {
		ids = append(ids, i.ID)
		return nil
	})
	return ids, err
}

// EachItem implements metastore.DatasetItems.
func (m *Memory) EachItem(ctx context.Context, q metastore.ItemQuery, visit func(model.DatasetItem) error) error {
	list, err := m.matching(ctx, q)
	for _, i := range cut(list, q.Offset, min(q.Limit, metastore.MaxItemsAtOnce)) {
		if q.Cut > 0 {
			i.Input, i.ExpectedOutput, i.Metadata = firstCharacters(i.Input, q.Cut), firstCharacters(i.ExpectedOutput, q.Cut), firstCharacters(i.Metadata, q.Cut)
		}
		if err := visit(i); err != nil {
			return err
		}
	}
	return err
}

func firstCharacters(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit])
	}
	return text
}

// ItemTimes implements metastore.DatasetItems.
func (m *Memory) ItemTimes(ctx context.Context, projectID, datasetID string, limit int) ([]model.ItemTime, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("dataset id", datasetID)); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	times := map[time.Time]model.ItemTime{}
	for _, i := range m.datasets.items {
		if i.ProjectID != projectID || i.DatasetID != datasetID {
			continue
		}
		at := times[i.ValidFrom]
		at.At = i.ValidFrom
		if i.Deleted {
			at.Deleted++
		} else {
			at.Written++
		}
		times[i.ValidFrom] = at
	}
	list := slices.SortedFunc(maps.Values(times), func(a, b model.ItemTime) int { return b.At.Compare(a.At) })
	return cut(list, 0, min(limit, metastore.MaxItemTimes)), nil
}

// DatasetSummaries implements metastore.Datasets.
func (m *Memory) DatasetSummaries(ctx context.Context, projectID string) (list []model.DatasetSummary, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.datasets.datasets {
		if d.ProjectID != projectID {
			continue
		}
		summary := model.DatasetSummary{
			ID: d.ID, Name: d.Name, Description: firstCharacters(d.Description, model.SummaryText), CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt,
			HasInputSchema: d.InputSchema != "", HasExpectedOutputSchema: d.ExpectedOutputSchema != "",
		}
		for _, i := range m.datasets.items {
			switch {
			case i.ProjectID != projectID || i.DatasetID != d.ID || i.Deleted || !i.ValidTo.IsZero():
				continue
			case i.Status == model.ItemArchived:
				summary.Archived++
			default:
				summary.Active++
			}
			if i.ValidFrom.After(summary.ItemsChanged) {
				summary.ItemsChanged = i.ValidFrom
			}
		}
		list = append(list, summary)
	}
	slices.SortFunc(list, func(a, b model.DatasetSummary) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// PutRunItem implements metastore.RunItems.
func (m *Memory) PutRunItem(ctx context.Context, r model.RunItem) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckRunItem(r)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.projects[r.ProjectID]; !known {
		return metastore.ErrNotFound
	}
	if m.runItem(r) != nil {
		return nil
	}
	r.ItemVersion, r.CreatedAt, r.Due = microsecond(r.ItemVersion), microsecond(r.CreatedAt), dueOf(r)
	m.datasets.runItems = append(m.datasets.runItems, r)
	return nil
}

func dueOf(r model.RunItem) time.Time {
	if r.Due.IsZero() {
		return time.Time{}
	}
	return microsecond(r.Due)
}

func (m *Memory) runItem(r model.RunItem) *model.RunItem {
	for i := range m.datasets.runItems {
		if known := &m.datasets.runItems[i]; known.ProjectID == r.ProjectID && known.ID == r.ID {
			return known
		}
	}
	return nil
}

// DueRunItems implements metastore.RunItems.
func (m *Memory) DueRunItems(ctx context.Context, now time.Time, limit int) ([]model.RunItem, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var due []model.RunItem
	for _, r := range m.datasets.runItems {
		if !r.Due.IsZero() && !r.Due.After(now) && m.workable(r.ProjectID) {
			due = append(due, r)
		}
	}
	slices.SortFunc(due, func(a, b model.RunItem) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.ID, b.ID))
	})
	return cut(due, 0, min(limit, metastore.MaxRunsDue)), nil
}

// RescheduleRunItem implements metastore.RunItems.
func (m *Memory) RescheduleRunItem(ctx context.Context, r model.RunItem) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.runItem(r); known != nil {
		known.Due = dueOf(r)
	}
	return nil
}
