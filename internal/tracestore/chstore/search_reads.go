package chstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// payloadKey names a row within a project.
type payloadKey struct {
	trace string
	start int64 // microseconds
	span  string
}

func payloadKeyOf(o *model.Observation) payloadKey {
	return payloadKey{o.TraceID, o.StartTime.UnixMicro(), o.ID}
}

// found are payloads by key.
type found struct {
	keys     []payloadKey          // in the order they were read; versions of one key may follow each other
	versions map[payloadKey]uint64 // the highest that was read of each
}

// directRead lets the engine answer from the text index without a look at the texts, which its filter
// for the first rows of an order would need.
const directRead = " SETTINGS use_top_k_dynamic_filtering = 0"

// candidates are the next keys, in the order of pages, with a payload that meets the clause, be it the
// newest or not. Of the versions of a key the highest comes first: the last key may be cut off in the
// middle of its versions.
func (w *search) candidates(ctx context.Context, p params, clause string, floor time.Time, size int) (found, error) {
	where, err := w.whereSame(&p)
	if err != nil {
		return found{}, err
	}
	where += w.at.sql(&p)
	if !floor.IsZero() {
		where += " AND start_time >= " + p.micros(floor.UnixMicro())
	}
	return w.payloadVersions(ctx, p, nil, fmt.Sprintf("version AS v FROM payloads WHERE %s AND %s ORDER BY %s, version DESC LIMIT %d", where, clause, pageOrder, size)+directRead)
}

// whereSame renders the conditions that hold for all versions of a row. It goes for payloads and for the spine.
func (w *search) whereSame(p *params) (string, error) {
	r := conditions{params: p, project: "project_id = " + p.text(w.q.ProjectID), hidden: w.dead.bind(p)}
	return r.within(w.same).all(w.same)
}

// keyed restricts a read to the keys that travel with it.
const keyed = "(trace_id, start_time, span_id) IN (SELECT trace_id, start_time, span_id FROM wanted)"

// payloadVersions reads keys and versions of payloads; what is selected as v is the version. Wanted, if
// any, travel as a table of their own.
func (s *Store) payloadVersions(ctx context.Context, p params, wanted []payloadKey, selection string) (found, error) {
	got := newPayloads()
	names, results := resultOf(got.keyColumns)
	list := found{versions: map[payloadKey]uint64{}}
	q := ch.Query{
		Body:       "SELECT " + names + ", " + selection,
		Parameters: p.list,
		Result:     append(results, proto.ResultColumn{Name: "v", Data: &got.version}),
		OnResult: func(context.Context, proto.Block) error {
			for i := range got.traceID.Rows() {
				k := got.key(i)
				list.keys = append(list.keys, k)
				list.versions[k] = max(list.versions[k], got.version.Row(i))
			}
			return nil
		},
	}
	if wanted != nil {
		q.ExternalTable, q.ExternalData = "wanted", inputOf(keyTable(wanted).columns)
	}
	err := s.reads.do(ctx, q)
	return list, err
}

// keyTable makes keys a table that travels with a statement.
func keyTable(list []payloadKey) *keys {
	table := newKeys()
	for _, k := range list {
		table.traceID.Append(k.trace)
		table.start.AppendRaw(proto.DateTime64(k.start))
		table.spanID.Append(k.span)
	}
	return table
}

// rowsUnder reads the rows under the keys that meet the conditions on the spine, in the order of pages.
func (w *search) rowsUnder(ctx context.Context, list []payloadKey) ([]*model.Observation, error) {
	if len(list) == 0 {
		return nil, nil
	}
	q := w.q
	q.Where = w.rest
	return w.verify(ctx, keyTable(list), q, w.dead)
}

// keep adds the rows whose text meets the conditions. Of each key met has the highest version of a
// payload that does. The text of a row is its newest payload, which is that of its own version unless
// the row was amended.
func (w *search) keep(ctx context.Context, rows []*model.Observation, met map[payloadKey]uint64) error {
	var doubtful []payloadKey
	for _, o := range rows {
		if version, ok := met[payloadKeyOf(o)]; ok && version != o.Version {
			doubtful = append(doubtful, payloadKeyOf(o))
		}
	}
	newest, err := w.newestPayloads(ctx, doubtful)
	if err != nil {
		return err
	}
	for _, o := range rows {
		k := payloadKeyOf(o)
		if version, ok := met[k]; ok && (version == o.Version || version == newest.versions[k]) {
			w.rows = append(w.rows, o)
		}
	}
	return nil
}

func keysOf(rows []*model.Observation) []payloadKey {
	keys := make([]payloadKey, len(rows))
	for i, o := range rows {
		keys[i] = payloadKeyOf(o)
	}
	return keys
}

// meeting tests the payloads under the keys.
func (w *search) meeting(ctx context.Context, keys []payloadKey) (found, error) {
	if len(keys) == 0 {
		return found{}, nil
	}
	var p params
	test, err := newTextTest(&p, w.texts)
	if err != nil {
		return found{}, err
	}
	project := "project_id = " + p.text(w.q.ProjectID)
	return w.payloadVersions(ctx, p, keys, "version AS v FROM payloads WHERE "+project+" AND "+keyed+" AND "+test.exact)
}

// newestPayloads finds the highest version of the payloads under the keys.
func (w *search) newestPayloads(ctx context.Context, keys []payloadKey) (found, error) {
	if len(keys) == 0 {
		return found{}, nil
	}
	var p params
	project := "project_id = " + p.text(w.q.ProjectID)
	return w.payloadVersions(ctx, p, keys, "max(version) AS v FROM payloads WHERE "+project+" AND "+keyed+" GROUP BY trace_id, start_time, span_id")
}

// newest is when the newest row started that the walk could come across, zero if there is none.
func (w *search) newest(ctx context.Context) (time.Time, error) {
	var p params
	where, err := w.whereSame(&p)
	if err != nil {
		return time.Time{}, err
	}
	var start proto.ColDateTime64
	var at time.Time
	err = w.reads.do(ctx, ch.Query{
		Body:       "SELECT start_time FROM observations WHERE " + where + " ORDER BY start_time DESC LIMIT 1",
		Parameters: p.list,
		Result:     proto.Results{{Name: "start_time", Data: &start}},
		OnResult: func(context.Context, proto.Block) error {
			if start.Rows() > 0 {
				at = start.Row(0)
			}
			return nil
		},
	})
	return at, err
}

// countTexts renders the condition that the newest payload of a row meets conditions on texts. Conditions of rest
// that all versions of a row meet, or none, bound which payloads are looked at.
func countTexts(p *params, projectID string, texts, rest []filter.Condition) (string, error) {
	test, err := newTextTest(p, texts)
	if err != nil {
		return "", err
	}
	var same []filter.Condition
	for _, c := range rest {
		if onlyIdentity([]filter.Condition{c}) {
			same = append(same, c)
		}
	}
	where, err := where(p, projectID, same)
	if err != nil {
		return "", err
	}
	return "(trace_id, start_time, span_id) IN (SELECT trace_id, start_time, span_id FROM payloads FINAL WHERE " +
		strings.Join([]string{where, test.exact}, " AND ") + ")", nil
}
