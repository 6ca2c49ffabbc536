package chstore

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/model"
)

// Ranks of a fact: which row a trace takes a value from.
const (
	rankRoot     = 0
	rankRootName = 1 // the trace's name only: the root's own name, when no root carries a trace name
	rankOther    = 2
	rankNone     = math.MaxUint8
)

// fact is a value that a trace lends to its rows, with what decides between candidates.
// The least (rank, at, span, newer) wins.
type fact struct {
	rank  uint8
	at    int64
	span  string
	newer uint64
	value string
	list  []string
}

func (f *fact) offer(c fact) {
	if f.rank == rankNone || compareFacts(&c, f) < 0 {
		*f = c
	}
}

func compareFacts(a, b *fact) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.at, b.at), cmp.Compare(a.span, b.span), cmp.Compare(a.newer, b.newer))
}

// traceFacts is what one batch knows of one trace.
type traceFacts struct {
	projectID, traceID                string
	first, last                       int64
	user, session, name, rel, taglist fact
}

// gatherFacts folds the rows of a batch, but for tombstones, to one entry per trace.
func gatherFacts(rows []*model.Observation) []*traceFacts {
	type key struct{ project, trace string }
	byTrace := make(map[key]*traceFacts, len(rows)/8+1)
	var list []*traceFacts
	for _, o := range rows {
		if o.Deleted {
			continue
		}
		k := key{o.ProjectID, o.TraceID}
		t := byTrace[k]
		if t == nil {
			none := fact{rank: rankNone}
			t = &traceFacts{
				projectID: o.ProjectID, traceID: o.TraceID, first: math.MaxInt64, last: math.MinInt64,
				user: none, session: none, name: none, rel: none, taglist: none,
			}
			byTrace[k] = t
			list = append(list, t)
		}
		t.add(o)
	}
	return list
}

func (t *traceFacts) add(o *model.Observation) {
	at := o.StartTime.UnixMicro()
	t.first, t.last = min(t.first, at), max(t.last, at)
	c := fact{rank: rankOther, at: at, span: o.ID, newer: math.MaxUint64 - o.Version}
	if o.Root() {
		c.rank = rankRoot
	}
	offer := func(f *fact, value string) {
		if value != "" {
			c.value = value
			f.offer(c)
		}
	}
	offer(&t.user, o.UserID)
	offer(&t.session, o.SessionID)
	offer(&t.rel, o.Release)
	offer(&t.name, o.TraceName)
	c.value = ""
	if len(o.Tags) > 0 {
		c.list = o.Tags
		t.taglist.offer(c)
		c.list = nil
	}
	if o.Root() && o.TraceName == "" && o.Name != "" {
		c.rank, c.value = rankRootName, o.Name
		t.name.offer(c)
	}
}

// factColumn is a Tuple(rank, at, span, newer, value).
type factColumn struct {
	rank  proto.ColUInt8
	at    proto.ColDateTime64
	span  proto.ColStr
	newer proto.ColUInt64
	text  proto.ColStr
	list  *proto.ColArr[string]
	tuple proto.ColTuple
}

func newFactColumn(list bool) *factColumn {
	f := &factColumn{}
	f.at.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	f.tuple = proto.ColTuple{&f.rank, &f.at, &f.span, &f.newer}
	if list {
		f.list = new(proto.ColStr).Array()
		f.tuple = append(f.tuple, f.list)
		return f
	}
	f.tuple = append(f.tuple, &f.text)
	return f
}

func (c *factColumn) append(f fact) {
	c.rank.Append(f.rank)
	c.at.AppendRaw(proto.DateTime64(f.at))
	c.span.Append(f.span)
	c.newer.Append(f.newer)
	if c.list != nil {
		c.list.Append(f.list)
		return
	}
	c.text.Append(f.value)
}

// traces is one block of the table traces.
type traces struct {
	projectID                         *proto.ColLowCardinality[string]
	traceID                           proto.ColStr
	first, last                       proto.ColDateTime64
	user, session, name, rel, taglist *factColumn
}

func newTraces() *traces {
	t := &traces{
		projectID: lowCardinality(), user: newFactColumn(false), session: newFactColumn(false),
		name: newFactColumn(false), rel: newFactColumn(false), taglist: newFactColumn(true),
	}
	t.first.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	t.last.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	return t
}

func (t *traces) insertColumns() []namedColumn {
	return []namedColumn{
		{"project_id", t.projectID},
		{"trace_id", &t.traceID},
		{"first_start", typed{&t.first}},
		{"last_start", typed{&t.last}},
		{"user_id", typed{t.user.tuple}},
		{"session_id", typed{t.session.tuple}},
		{"name", typed{t.name.tuple}},
		{"release", typed{t.rel.tuple}},
		{"tags", typed{t.taglist.tuple}},
	}
}

// typed is a column that keeps its own type: the library would try to read it off the table's
// SimpleAggregateFunction and fail. The engine casts.
type typed struct{ proto.Column }

func (t *traces) append(f *traceFacts) {
	t.projectID.Append(f.projectID)
	t.traceID.Append(f.traceID)
	t.first.AppendRaw(proto.DateTime64(f.first))
	t.last.AppendRaw(proto.DateTime64(f.last))
	t.user.append(f.user)
	t.session.append(f.session)
	t.name.append(f.name)
	t.rel.append(f.rel)
	t.taglist.append(f.taglist)
}

// inherited is what a trace lends, as read back.
type inherited struct {
	userID, sessionID, name, release string
	tags                             []string
}

// lend fills what o lacks.
func (in inherited) lend(o *model.Observation) {
	o.UserID = cmp.Or(o.UserID, in.userID)
	o.SessionID = cmp.Or(o.SessionID, in.sessionID)
	o.TraceName = cmp.Or(o.TraceName, in.name)
	o.Release = cmp.Or(o.Release, in.release)
	if len(o.Tags) == 0 {
		o.Tags = slices.Clone(in.tags)
	}
}

// complete reports whether a row needs nothing of its trace.
func complete(o *model.Observation) bool {
	return o.UserID != "" && o.SessionID != "" && o.TraceName != "" && o.Release != "" && len(o.Tags) > 0
}
