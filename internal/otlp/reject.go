package otlp

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// MaxRejections bounds how many rejected spans a request names one by one.
const MaxRejections = 1000

const (
	maxRejectionGroups = 32
	maxRejectionBytes  = 1024
	maxScopeShown      = 64
)

// Rejection names one span that cannot be used.
type Rejection struct {
	Item            int    // position among the spans of the client's request, from 0
	TraceID, SpanID string // as far as they can be read
	Reason          string
}

// rejections counts spans that were left out, by reason and scope, and names the first of them.
type rejections struct {
	count   int
	groups  []rejection
	spans   []Rejection
	next    int   // position of the next span in the client's request
	earlier []int // of the second look: positions that the first one rejected, ascending
}

type rejection struct {
	reason, scope string
	count         int
}

// add rejects the next count spans.
func (r *rejections) add(reason, scope string, count int) {
	for range count {
		r.name(Rejection{Item: r.next, Reason: reason})
		r.next++
	}
	r.group(reason, scope, count)
}

// mark is a place among the spans of a request.
type mark struct{ next, named int }

func (r *rejections) mark() mark { return mark{r.next, len(r.spans)} }

// addSince rejects the spans since a mark that were not rejected before.
func (r *rejections) addSince(m mark, reason, scope string, count int) {
	r.group(reason, scope, count)
	if len(r.spans) >= MaxRejections {
		return
	}
	named := map[int]bool{}
	for _, s := range r.spans[m.named:] {
		named[s.Item] = true
	}
	for item := m.next; item < r.next; item++ {
		if !named[item] {
			r.name(Rejection{Item: item, Reason: reason})
		}
	}
}

func (r *rejections) name(span Rejection) {
	if len(r.spans) < MaxRejections {
		r.spans = append(r.spans, span)
	}
}

// again begins a second look at the spans that the first one left.
func (r *rejections) again() {
	slices.SortFunc(r.spans, func(a, b Rejection) int { return cmp.Compare(a.Item, b.Item) })
	r.next, r.earlier = 0, make([]int, len(r.spans))
	for i, s := range r.spans {
		r.earlier[i] = s.Item
	}
}

// position returns where the next span of the second look stood in the client's request.
func (r *rejections) position() int {
	for len(r.earlier) > 0 && r.earlier[0] == r.next {
		r.earlier = r.earlier[1:]
		r.next++
	}
	r.next++
	return r.next - 1
}

func (r *rejections) group(reason, scope string, count int) {
	r.count += count
	for i := range r.groups {
		if g := &r.groups[i]; g.reason == reason && g.scope == scope {
			g.count += count
			return
		}
	}
	if len(r.groups) < maxRejectionGroups {
		r.groups = append(r.groups, rejection{reason, scope, count})
	}
}

// message names the reasons, "traceId:absent ×3 (scope my-lib)", in about maxRejectionBytes.
func (r *rejections) message() string {
	var b strings.Builder
	named := 0
	for _, g := range r.groups {
		part := fmt.Sprintf("%s ×%d", g.reason, g.count)
		if g.scope != "" {
			part += " (scope " + shorten(g.scope) + ")"
		}
		if b.Len()+len(part) > maxRejectionBytes {
			break
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(part)
		named += g.count
	}
	if rest := r.count - named; rest > 0 {
		fmt.Fprintf(&b, "; and %d more", rest)
	}
	return b.String()
}

// shorten makes a client's text fit for a message: valid UTF-8 of bounded length.
func shorten(s string) string {
	if len(s) > maxScopeShown {
		s = s[:maxScopeShown] + "…"
	}
	return strings.ToValidUTF8(s, "")
}

// maxIDShown bounds the ids of a rejected span: what is wrong with one may be its length.
const maxIDShown = 64

// ids reads what can be read of a span's ids.
func (p *payload) ids(m message, trusted bool) (trace, span string) {
	s := p.rawIDs(m, trusted)
	return p.shownID(s.trace), p.shownID(s.span)
}

func (p *payload) rawIDs(m message, trusted bool) spanCheck {
	s := spanCheck{p: p}
	c := p.fields(m)
	for c.next() {
		switch {
		case c.tag == tagSpanTraceID || c.tag == tagSpanID:
			s.field(&c)
		case trusted && c.tag >= tagTextTraceID && c.tag <= tagTextParentID:
			s.textID(c.tag, c.content)
		}
	}
	return s
}

func (p *payload) shownID(i id) string {
	b := p.bytes(i.at)
	if i.text {
		return shorten(string(b))
	}
	return hex.EncodeToString(b[:min(len(b), maxIDShown/2)])
}
