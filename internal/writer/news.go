package writer

import (
	"slices"

	"github.com/sondehq/sonde/internal/model"
)

// News is told what became readable. It never waits.
type News interface {
	// Heard reports whether somebody listens to a project.
	Heard(projectID string) bool
	// Stored tells of rows, how many of them are roots, and the traces that changed.
	Stored(projectID string, rows, roots int, traceIDs []string)
}

// tracesTold is how many traces of a project are named for one batch: more than anybody is told.
const tracesTold = 200

// WithNews makes the writer tell what it stored, and returns it.
func (w *Writer) WithNews(news News) *Writer {
	w.news = news
	return w
}

// tally is what is told of one project; nil where nobody listens.
type tally struct {
	rows, roots int
	traces      []string
}

func (t *tally) trace(id string) {
	if id != "" && len(t.traces) < tracesTold && !slices.Contains(t.traces, id) {
		t.traces = append(t.traces, id)
	}
}

// tellRows tells of rows that are stored.
func (w *Writer) tellRows(rows []*model.Observation) {
	w.tell(len(rows), func(i int) string { return rows[i].ProjectID }, func(t *tally, i int) {
		if rows[i].Deleted {
			return
		}
		t.rows++
		if rows[i].Root() {
			t.roots++
		}
		t.trace(rows[i].TraceID)
	})
}

// tellScores tells of scores that are stored.
func (w *Writer) tellScores(scores []*model.Score) {
	w.tell(len(scores), func(i int) string { return scores[i].ProjectID }, func(t *tally, i int) { t.trace(scores[i].TraceID) })
}

func (w *Writer) tell(n int, project func(i int) string, count func(t *tally, i int)) {
	if w.news == nil {
		return
	}
	tallies := map[string]*tally{}
	for i := range n {
		id := project(i)
		t, known := tallies[id]
		if !known {
			if w.news.Heard(id) {
				t = &tally{}
			}
			tallies[id] = t
		}
		if t != nil {
			count(t, i)
		}
	}
	for id, t := range tallies {
		if t != nil {
			w.news.Stored(id, t.rows, t.roots, t.traces)
		}
	}
}
