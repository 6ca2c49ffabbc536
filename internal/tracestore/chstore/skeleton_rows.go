package chstore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// skeletonSelection is what a skeleton reads of a row: of types and levels their place in the lists of all. Other texts
// travel plain: the library would make a string of every value of a dictionary, for every row.
var skeletonSelection = "span_id, parent_span_id, start_time, end_time, completion_start_time, " +
	placeIn("type", model.Types, model.Span) + " AS of_type, " + placeIn("level", model.Levels, model.Default) + " AS of_level," +
	" CAST(name, 'String') AS of_name, CAST(model, 'String') AS of_model, input_tokens, output_tokens, total_tokens, total_cost, status_message != '' AS has_status, app_root, version, deleted"

// placeIn is the place of a column's value in a list; one that is not there counts as the other one.
func placeIn[T ~string](column string, list []T, other T) string {
	names, places := make([]string, len(list)), make([]string, len(list))
	for i, value := range list {
		names[i], places[i] = "'"+string(value)+"'", strconv.Itoa(i)
	}
	return fmt.Sprintf("CAST(transform(CAST(%s, 'String'), [%s], [%s], %d), 'UInt8')",
		column, strings.Join(names, ", "), strings.Join(places, ", "), slices.Index(list, other))
}

// skeletonBlock is one block of it, in that order.
type skeletonBlock struct {
	id, parent, name, model proto.ColStr
	start, end, completion  proto.ColDateTime64
	input, output, version  proto.ColUInt64
	total                   *proto.ColNullable[uint64]
	cost                    *proto.ColNullable[proto.Decimal64]
	typ, level, status      proto.ColUInt8
	appRoot, deleted        proto.ColBool
}

func newSkeletonBlock() *skeletonBlock {
	b := &skeletonBlock{total: proto.NewColNullable[uint64](new(proto.ColUInt64)), cost: proto.NewColNullable[proto.Decimal64](new(money))}
	for _, at := range []*proto.ColDateTime64{&b.start, &b.end, &b.completion} {
		at.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	}
	return b
}

func (b *skeletonBlock) results() proto.Results {
	return proto.Results{
		{Name: "span_id", Data: &b.id},
		{Name: "parent_span_id", Data: &b.parent},
		{Name: "start_time", Data: &b.start},
		{Name: "end_time", Data: &b.end},
		{Name: "completion_start_time", Data: &b.completion},
		{Name: "of_type", Data: &b.typ},
		{Name: "of_level", Data: &b.level},
		{Name: "of_name", Data: &b.name},
		{Name: "of_model", Data: &b.model},
		{Name: "input_tokens", Data: &b.input},
		{Name: "output_tokens", Data: &b.output},
		{Name: "total_tokens", Data: b.total},
		{Name: "total_cost", Data: b.cost},
		{Name: "has_status", Data: &b.status},
		{Name: "app_root", Data: &b.appRoot},
		{Name: "version", Data: &b.version},
		{Name: "deleted", Data: &b.deleted},
	}
}

// chunkRows is how many rows are allocated at once: a trace grows without being copied.
const chunkRows = 4096

// skeletonChunk holds rows as columns, 85 bytes each. Texts are numbers of interners, times are in microseconds.
type skeletonChunk struct {
	id, parent, name, model [chunkRows]int32
	start, end, completion  [chunkRows]int64 // 0: none
	input, output, total    [chunkRows]uint64
	cost                    [chunkRows]int64 // in units of 10^-costDigits
	typ, level, flags       [chunkRows]uint8 // types and levels by their place in the lists of all
}

const (
	hasTotal uint8 = 1 << iota
	hasCost
	hasStatus
	isAppRoot
)

// The ids that every skeleton numbers first.
const (
	traceRow int32 = iota // the id of the row that stands for the trace
	noID
)

// skeletonRows are the rows of a trace, folded while they come in.
type skeletonRows struct {
	traceID            string
	ids, names, models *interner
	chunks             []*skeletonChunk
	count              int
	// The row behind the last is open until another key comes: newer versions replace it.
	open, deleted bool
	version       uint64
	root          rootOf
}

// rootOf is the key of the row that speaks for the trace, see rootPlace. It may be the one that stands for the trace.
type rootOf struct {
	there, isRoot bool
	id            string
	start         int64
}

func newSkeletonRows(traceID string) *skeletonRows {
	s := &skeletonRows{traceID: traceID, ids: newInterner(), names: newInterner(), models: newInterner()}
	s.ids.number([]byte(model.TraceRowID(traceID)))
	s.ids.number(nil)
	return s
}

// at finds row r.
func (s *skeletonRows) at(r int) (*skeletonChunk, int) { return s.chunks[r/chunkRows], r % chunkRows }

// add takes row i of a block.
func (s *skeletonRows) add(b *skeletonBlock, i int) {
	id, start := s.ids.number(b.id.RowBytes(i)), int64(b.start.Data[i])
	if s.open {
		c, k := s.at(s.count)
		if same := c.id[k] == id && c.start[k] == start; same && b.version.Row(i) <= s.version {
			return
		} else if !same {
			s.settle()
		}
	}
	if s.count == len(s.chunks)*chunkRows {
		s.chunks = append(s.chunks, new(skeletonChunk))
	}
	s.open, s.version, s.deleted = true, b.version.Row(i), b.deleted.Row(i)
	c, k := s.at(s.count)
	c.id[k], c.parent[k], c.start[k] = id, s.ids.number(b.parent.RowBytes(i)), start
	c.end[k], c.completion[k] = int64(b.end.Data[i]), int64(b.completion.Data[i])
	c.typ[k], c.level[k] = b.typ.Row(i), b.level.Row(i)
	c.name[k], c.model[k] = s.names.number(b.name.RowBytes(i)), tracestore.NoRow
	if name := b.model.RowBytes(i); len(name) > 0 {
		c.model[k] = s.models.number(name)
	}
	total, cost := b.total.Row(i), b.cost.Row(i)
	c.input[k], c.output[k], c.total[k], c.cost[k] = b.input.Row(i), b.output.Row(i), total.Value, int64(cost.Value)
	c.flags[k] = flagsOf(total.Set, cost.Set, b.status.Row(i) != 0, b.appRoot.Row(i))
}

func flagsOf(flags ...bool) (bits uint8) {
	for i, set := range flags {
		if set {
			bits |= 1 << i
		}
	}
	return bits
}

// settle ends the open row: no newer version of it can come.
func (s *skeletonRows) settle() {
	if !s.open {
		return
	}
	s.open = false
	if s.deleted {
		return
	}
	c, k := s.at(s.count)
	if isRoot := c.parent[k] == noID || c.flags[k]&isAppRoot != 0; !s.root.there || isRoot && !s.root.isRoot {
		s.root = rootOf{true, isRoot, s.ids.texts[c.id[k]], c.start[k]}
	}
	if c.id[k] != traceRow {
		s.count++
	}
}

// row is row r as a tree shows it, without its parent.
func (s *skeletonRows) row(r int, traceStart int64) tracestore.SkeletonRow {
	c, k := s.at(r)
	has := func(flag uint8) bool { return c.flags[k]&flag != 0 }
	row := tracestore.SkeletonRow{
		ID: s.ids.texts[c.id[k]], Name: int(c.name[k]), Model: int(c.model[k]),
		Type: model.Types[c.typ[k]], Level: model.Levels[c.level[k]],
		Start: micro(c.start[k] - traceStart), Duration: sinceStart(c.start[k], c.end[k]), FirstToken: sinceStart(c.start[k], c.completion[k]),
		Tokens:           model.Tokens{Input: c.input[k], Output: c.output[k], Total: c.total[k], HasTotal: has(hasTotal)},
		HasStatusMessage: has(hasStatus), AppRoot: has(isAppRoot),
	}
	if has(hasCost) {
		row.Cost = decimal.NewNullDecimal(decimal.New(c.cost[k], -costDigits))
	}
	return row
}
