package chstore

import "github.com/sondehq/sonde/internal/tracestore"

// skeletonTree is how rows hang together. Rows are known by their number in order of start time and id; two numbers
// behind the last row stand for the synthetic root and for what all rows without a parent hang on.
type skeletonTree struct {
	synthetic, top int32
	parent         []int32
	first, next    []int32 // the first child of a row, and its next sibling
	order          []int32 // the rows in pre-order
	place          []int32 // of each row in order
	roots          int     // children of top, but for the synthetic root
	detached       int     // children of the synthetic root
	depth          int
}

// unresolved stands for a parent that has not been looked for.
const unresolved int32 = -1

func newSkeletonTree(rows *skeletonRows) *skeletonTree {
	n := int32(rows.count)
	t := &skeletonTree{synthetic: n, top: n + 1, parent: rows.parents(n, n+1)}
	t.breakCircles()
	t.link()
	t.walk()
	return t
}

// parents finds the row that each row hangs on.
func (s *skeletonRows) parents(synthetic, top int32) []int32 {
	rowOf := make([]int32, len(s.ids.texts)) // by id, the first row with it
	for i := range rowOf {
		rowOf[i] = unresolved
	}
	for r := s.count - 1; r >= 0; r-- {
		c, k := s.at(r)
		rowOf[c.id[k]] = int32(r)
	}
	parent := make([]int32, s.count, s.count+1)
	for r := range parent {
		c, k := s.at(r)
		found := rowOf[c.parent[k]]
		switch {
		case c.parent[k] == noID || c.parent[k] == traceRow:
			parent[r] = top
		case found != unresolved:
			parent[r] = found
		case c.flags[k]&isAppRoot != 0:
			parent[r] = top
		default:
			parent[r] = synthetic
		}
	}
	return append(parent, top)
}

// breakCircles detaches the first row of every circle. It goes up from every row as far as nobody has been before.
func (t *skeletonTree) breakCircles() {
	seen := make([]int32, t.synthetic) // by whom, counted from 1
	for r := range t.synthetic {
		at := r
		for at < t.synthetic && seen[at] == 0 {
			seen[at] = r + 1
			at = t.parent[at]
		}
		if at >= t.synthetic || seen[at] != r+1 {
			continue
		}
		least := at
		for member := t.parent[at]; member != at; member = t.parent[member] {
			least = min(least, member)
		}
		t.parent[least] = t.synthetic
	}
}

// link makes lists of children. Going down, each list is in order of start time and id.
func (t *skeletonTree) link() {
	nodes := int(t.top) + 1
	t.first, t.next = make([]int32, nodes), make([]int32, nodes)
	for i := range nodes {
		t.first[i], t.next[i] = tracestore.NoRow, tracestore.NoRow
	}
	for r := t.synthetic - 1; r >= 0; r-- {
		switch up := t.parent[r]; up {
		case t.top:
			t.roots++
		case t.synthetic:
			t.detached++
		}
	}
	from := t.synthetic - 1
	if t.detached > 0 { // the synthetic root is the last child of top
		from = t.synthetic
	}
	for r := from; r >= 0; r-- {
		up := t.parent[r]
		t.next[r], t.first[up] = t.first[up], r
	}
}

// walk numbers the rows in pre-order. However deep they are, it needs no stack.
func (t *skeletonTree) walk() {
	t.order = make([]int32, 0, t.top)
	t.place = make([]int32, t.top+1)
	t.place[t.top] = tracestore.NoRow
	depth := 1
	for at := t.first[t.top]; at >= 0; {
		t.place[at] = int32(len(t.order))
		t.order = append(t.order, at)
		t.depth = max(t.depth, depth)
		if t.first[at] >= 0 {
			at = t.first[at]
			depth++
			continue
		}
		for at != t.top && t.next[at] < 0 {
			at = t.parent[at]
			depth--
		}
		if at == t.top {
			return
		}
		at = t.next[at]
	}
}
