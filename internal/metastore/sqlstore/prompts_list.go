package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// ListPrompts implements metastore.Prompts. Between its statements others may write: a name whose versions
// are gone by then is left out.
func (s *Store) ListPrompts(ctx context.Context, projectID string, q metastore.PromptQuery) ([]metastore.PromptSummary, int, error) {
	w := promptWhere{args: []any{projectID}}
	for _, condition := range q.Conditions {
		if err := w.add(condition); err != nil {
			return nil, 0, err
		}
	}
	matching := `v.project_id = $1` + w.sql.String()
	const versions = ` FROM prompt_versions v JOIN prompts p ON p.project_id = v.project_id AND p.name = v.name WHERE `
	var total int
	if err := s.db.QueryRowContext(ctx, `SELECT count(DISTINCT v.name)`+versions+matching, w.args...).Scan(&total); err != nil {
		return nil, 0, translate("count prompts", err)
	}
	named := promptWhere{args: slices.Clone(w.args)} // the next statement must not have its further values
	list, err := s.promptNames(ctx, `
		SELECT p.name, p.type, (SELECT string_agg(t.tag, `+named.arg(metastore.TagSeparator)+` ORDER BY t.position) FROM prompt_tags t WHERE t.project_id = p.project_id AND t.name = p.name)
		FROM prompts p
		WHERE p.project_id = $1 AND EXISTS (SELECT 1 FROM prompt_versions v WHERE v.name = p.name AND `+matching+`)
		ORDER BY p.name_order LIMIT `+named.arg(q.Limit)+` OFFSET `+named.arg(q.Offset), named.args)
	if err != nil || len(list) == 0 {
		return nil, total, translate("list prompts", err)
	}
	names := make([]string, len(list))
	for i := range list {
		names[i] = w.arg(list[i].Name)
	}
	page := matching + ` AND v.name IN (` + strings.Join(names, ", ") + `)`
	err = s.promptVersions(ctx, list, `
		SELECT v.name, v.version, v.updated_at, (SELECT string_agg(l.label, ',' ORDER BY l.position) FROM prompt_labels l
			WHERE l.project_id = v.project_id AND l.name = v.name AND l.version = v.version)`+versions+page+` ORDER BY v.name, v.version`, w.args)
	if err != nil {
		return nil, 0, translate("list prompts", err)
	}
	list = slices.DeleteFunc(list, func(p metastore.PromptSummary) bool { return len(p.Versions) == 0 })
	return list, total, translate("list prompts", s.lastConfigs(ctx, projectID, list))
}

func (s *Store) promptNames(ctx context.Context, query string, args []any) (list []metastore.PromptSummary, err error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var (
			p    metastore.PromptSummary
			kind string
			tags sql.NullString
		)
		if err := rows.Scan(&p.Name, &kind, &tags); err != nil {
			return nil, err
		}
		p.Type, p.Tags = model.PromptType(kind), splitTags(tags)
		list = append(list, p)
	}
	return list, rows.Err()
}

// promptVersions fills in what the selected versions have.
func (s *Store) promptVersions(ctx context.Context, list []metastore.PromptSummary, query string, args []any) error {
	byName := map[string]*metastore.PromptSummary{}
	for i := range list {
		byName[list[i].Name] = &list[i]
	}
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var (
			name    string
			version int
			updated int64
			labels  sql.NullString
		)
		if err := rows.Scan(&name, &version, &updated, &labels); err != nil {
			return err
		}
		p := byName[name]
		p.Versions = append(p.Versions, version)
		if at := time.UnixMicro(updated).UTC(); at.After(p.UpdatedAt) {
			p.UpdatedAt = at
		}
		if labels.Valid {
			p.Labels = append(p.Labels, strings.Split(labels.String, ",")...)
		}
	}
	for i := range list {
		slices.Sort(list[i].Labels)
	}
	return rows.Err()
}

// lastConfigs reads the config of the highest version of each.
func (s *Store) lastConfigs(ctx context.Context, projectID string, list []metastore.PromptSummary) error {
	w := promptWhere{args: []any{projectID}}
	byName := map[string]*metastore.PromptSummary{}
	var wanted []string
	for i := range list {
		p := &list[i]
		byName[p.Name] = p
		wanted = append(wanted, "("+w.arg(p.Name)+", CAST("+w.arg(p.Versions[len(p.Versions)-1])+" AS bigint))")
	}
	rows, err := s.db.QueryContext(ctx, `
		SELECT v.name, v.config FROM prompt_versions v
		WHERE v.project_id = $1 AND (v.name, v.version) IN (VALUES `+strings.Join(wanted, ", ")+`)`, w.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	size := 0
	for rows.Next() {
		var name string
		var config []byte
		if err := rows.Scan(&name, &config); err != nil {
			return err
		}
		byName[name].LastConfig = config
		if size += len(config); size > metastore.MaxPromptPage {
			return metastore.PageTooLarge()
		}
	}
	return rows.Err()
}

// promptWhere collects conditions with their values, which are always bound.
type promptWhere struct {
	sql  strings.Builder
	args []any
}

// maxPromptArgs bounds the values of all conditions together; SQLite takes 32,766.
const maxPromptArgs = 20_000

func (w *promptWhere) arg(value any) string {
	w.args = append(w.args, value)
	return fmt.Sprintf("$%d", len(w.args))
}

func (w *promptWhere) list(values []string) string {
	args := make([]string, len(values))
	for i, value := range values {
		args[i] = w.arg(value)
	}
	return "(" + strings.Join(args, ", ") + ")"
}

// promptTexts are the columns that texts are compared with: as they are, and folded.
var promptTexts = map[filter.Column][2]string{
	filter.ID:   {"v.id", "v.id"}, // ours: lower case
	filter.Name: {"p.name", "p.name_folded"},
	filter.Type: {"p.type", "p.type"},
}

var comparisons = map[filter.Order]string{filter.Same: "=", filter.Above: ">", filter.Below: "<", filter.AtLeast: ">=", filter.AtMost: "<="}

func (w *promptWhere) add(condition filter.Condition) error {
	if err := metastore.CheckPromptCondition(condition); err != nil {
		return err
	}
	switch c := condition.(type) {
	case filter.OneOf:
		not := ""
		if c.Not {
			not = " NOT"
		}
		w.sql.WriteString(" AND " + promptTexts[c.Column][0] + not + " IN " + w.list(c.Values))
	case filter.Text:
		w.sql.WriteString(" AND " + w.like(promptTexts[c.Column][1], c.Op, c.Value))
	case filter.IsSet: // no name, id or type is empty
	case filter.Number:
		w.sql.WriteString(" AND CAST(v.version AS double precision) " + comparisons[c.Op] + " CAST(" + w.arg(c.Value) + " AS double precision)")
	case filter.Time:
		column := map[filter.Column]string{filter.CreatedAt: "v.created_at", filter.UpdatedAt: "v.updated_at"}[c.Column]
		w.sql.WriteString(" AND " + column + " " + comparisons[c.Op] + " " + w.arg(c.At.UnixMilli()*1000))
	case filter.List:
		w.lists(c)
	case filter.MetadataText:
		w.config(c.Key, true, func() string {
			if c.Op == filter.Equal {
				return " AND c.value = " + w.arg(c.Value)
			}
			return " AND " + w.like("c.folded", c.Op, c.Value)
		})
	case filter.MetadataSet:
		w.config(c.Key, c.Want, func() string { return "" })
	}
	if len(w.args) > maxPromptArgs {
		return fault.Invalidf("filter", "must not have more than %d values", maxPromptArgs)
	}
	return nil
}

func (w *promptWhere) like(column string, op filter.TextOp, value string) string {
	not, before, after := "", "%", "%"
	switch op {
	case filter.StartsWith:
		before = ""
	case filter.EndsWith:
		after = ""
	case filter.NotContains:
		not = " NOT"
	default: // anywhere
	}
	return column + not + ` LIKE ` + w.arg(metastore.LikePattern(before, value, after)) + ` ESCAPE '\'`
}

func (w *promptWhere) lists(c filter.List) {
	from := `prompt_labels x WHERE x.project_id = v.project_id AND x.name = v.name AND x.version = v.version AND x.label IN `
	if c.Column == filter.Tags {
		from = `prompt_tags x WHERE x.project_id = v.project_id AND x.name = v.name AND x.tag IN `
	}
	values := unique(c.Values)
	switch c.Op {
	case filter.AllOf:
		fmt.Fprintf(&w.sql, " AND (SELECT count(*) FROM %s%s) = %d", from, w.list(values), len(values))
	case filter.NoneOf:
		w.sql.WriteString(" AND NOT EXISTS (SELECT 1 FROM " + from + w.list(values) + ")")
	default:
		w.sql.WriteString(" AND EXISTS (SELECT 1 FROM " + from + w.list(values) + ")")
	}
}

func (w *promptWhere) config(key string, want bool, more func() string) {
	not := ""
	if !want {
		not = "NOT "
	}
	w.sql.WriteString(" AND " + not + `EXISTS (SELECT 1 FROM prompt_config c
		WHERE c.project_id = v.project_id AND c.name = v.name AND c.version = v.version AND c.key = ` + w.arg(key) + more() + ")")
}
