package otlp

import (
	"cmp"
	"errors"
	"slices"

	"github.com/sondehq/sonde/internal/fault"
)

// Request is a decoded OTLP trace request whose spans were checked one by one.
type Request struct {
	body     payload
	spans    int
	total    int   // spans in body, rejected ones included
	rejected []int // positions among total, ascending
	private  bool  // the client wrote our private fields
	trusted  bool  // body was written by the JSON translator
	rejects  rejections
}

var errFraming = errors.New("the messages around the spans are broken")

// ParseProtobuf checks a protobuf ExportTraceServiceRequest. It fails only for a body whose spans
// cannot even be told apart; see Rejected for spans that cannot be used. The request keeps body,
// which must not change any more.
func ParseProtobuf(body []byte) (*Request, error) {
	r := &Request{body: payload{data: body}}
	if !r.check() {
		return nil, fault.New(fault.Invalid, "Failed to parse OTel Protobuf Trace").Because(errFraming)
	}
	return r, nil
}

// ParseJSON translates an OTLP/JSON body to protobuf and checks it like ParseProtobuf. It fails
// only for a body that is no JSON object or has no list of resource spans where one belongs.
func ParseJSON(body []byte) (*Request, error) {
	t := translator{in: scanner{text: string(body)}, out: make([]byte, 0, len(body)*3/4)}
	if err := t.request(); err != nil {
		return nil, fault.New(fault.Invalid, "Failed to parse OTel JSON Trace").Because(err)
	}
	r := &Request{body: payload{data: t.out}, trusted: true, rejects: t.rejects}
	r.rejects.again()
	if !r.check() {
		return nil, fault.New(fault.Internal, "translate OTLP/JSON").Because(errFraming)
	}
	return r, nil
}

// Spans returns how many spans can be used.
func (r *Request) Spans() int { return r.spans }

// Rejected returns how many spans cannot be used and why, grouped by reason and scope. The
// message is bounded and safe to show to the client; it is empty when the count is 0.
func (r *Request) Rejected() (count int, message string) {
	return r.rejects.count, r.rejects.message()
}

// Rejections names the spans that cannot be used, by position, at most MaxRejections.
func (r *Request) Rejections() []Rejection {
	list := slices.Clone(r.rejects.spans)
	slices.SortFunc(list, func(a, b Rejection) int { return cmp.Compare(a.Item, b.Item) })
	return list
}

// check walks over the whole body and reports whether its framing is sound.
func (r *Request) check() bool {
	c := r.body.fields(r.body.whole())
	for c.next() {
		if c.tag == tagResourceSpans && !r.checkResourceSpans(c.content) {
			return false
		}
	}
	return !c.bad
}

// checkResourceSpans looks at the resource first, wherever it stands: a resource that cannot be
// read spoils its spans.
func (r *Request) checkResourceSpans(m message) bool {
	problem := ""
	c := r.body.fields(m)
	for c.next() {
		if c.tag == tagResource {
			problem = firstProblem(problem, checkCarrier(&r.body, c.content, "resource", tagResourceAttribute))
		}
	}
	if c.bad {
		return false
	}
	c = r.body.fields(m)
	for c.next() {
		if c.tag == tagScopeSpans && !r.checkScopeSpans(c.content, problem) {
			return false
		}
	}
	return true
}

func (r *Request) checkScopeSpans(m message, problem string) bool {
	scope := ""
	c := r.body.fields(m)
	for c.next() {
		if c.tag == tagScope {
			problem = firstProblem(problem, checkCarrier(&r.body, c.content, "scope", tagScopeAttribute))
			scope = scopeName(&r.body, c.content)
		}
	}
	if c.bad {
		return false
	}
	c = r.body.fields(m)
	for c.next() {
		if c.tag == tagSpan {
			r.checkSpan(c.content, problem, scope)
		}
	}
	return true
}

func (r *Request) checkSpan(m message, problem, scope string) {
	if problem == "" {
		var private bool
		problem, private = checkSpan(&r.body, m, r.trusted)
		r.private = r.private || private
	}
	item := r.rejects.position()
	if problem == "" {
		r.spans++
	} else {
		r.rejected = append(r.rejected, r.total)
		r.rejects.group(problem, scope, 1)
		trace, span := r.body.ids(m, r.trusted)
		r.rejects.name(Rejection{Item: item, TraceID: trace, SpanID: span, Reason: problem})
	}
	r.total++
}

// scopeName reads the name of a scope for messages.
func scopeName(p *payload, m message) string {
	name := ""
	c := p.fields(m)
	for c.next() {
		if c.tag == tagScopeName {
			name = string(p.bytes(c.content))
		}
	}
	return name
}

// firstProblem returns the first problem of two.
func firstProblem(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
