package otlp

import (
	"strconv"
	"strings"

	"github.com/sondehq/sonde/internal/model"
)

// The parts of a row's metadata that the server adds to the client's.
const (
	attributesBucket = "attributes"
	resourceBucket   = "resourceAttributes"
	scopeBucket      = "scope"
)

// metadataBuilder collects the metadata of one row.
//
// A row's metadata is an object with these keys in this order: attributes (what no rule consumed,
// for scopes other than the SDKs'), resourceAttributes, scope, then the client's keys of the
// observation, then those of the trace. A later key replaces an earlier one in its place. The
// object is stored as leaves under dotted paths; of leaves with the same path the first counts.
type metadataBuilder struct {
	keys     []metadataKey // the client's
	keyNames names

	leaves []model.MetadataEntry
	nested bool // some leaf lies below an object, so paths may meet
	path   []byte
	paths  names

	bucket      []int // attributes that go to the attributes bucket
	bucketNames names
}

// metadataKey is one key of the client's metadata with the value that won.
type metadataKey struct {
	name   string
	form   valueForm
	domain domain
	rank   rank
	text   string
	value  *value
}

// valueForm says where the value of a key is.
type valueForm uint8

const (
	gone    valueForm = iota // handled already
	encoded                  // in text, which may be JSON
	parsed                   // in text, which is JSON
	native                   // in value
)

// rank decides between values of one key in one domain: the higher wins, among equals the later.
type rank uint8

const (
	bare     rank = iota // spread from one attribute that holds the whole object
	plain                // langfuse.metadata.<key>, ai.telemetry.metadata.<key>
	specific             // langfuse.trace.metadata.<key>, langfuse.observation.metadata.<key>
)

// sondeRank is added for the spelling that wins.
const sondeRank = 3

func (m *mapper) setMetadata(o *model.Observation) {
	b := &m.metadata
	b.reset()
	m.clientKeys(ofObservation, observationMetadata)
	m.clientKeys(ofTrace, traceMetadata)
	m.setTools(o)

	met := m.buckets()
	own := len(b.leaves)
	b.nested = false
	for i := range b.keys {
		met = met || inBucket(b.keys[i].name)
		m.flattenKey(&b.keys[i])
	}
	switch {
	case met:
		b.leaves = b.firstOnly(0)
	case b.nested:
		b.leaves = b.firstOnly(own)
	}
	if len(b.leaves) > 0 {
		o.Metadata = append(make([]model.MetadataEntry, 0, len(b.leaves)), b.leaves...)
	}
}

func (b *metadataBuilder) reset() {
	b.keys = b.keys[:0]
	b.keyNames.reset()
	b.leaves = b.leaves[:0]
	b.nested = false
}

// buckets adds the leaves of the server's parts and reports whether a client's key replaced one.
func (m *mapper) buckets() (replaced bool) {
	b := &m.metadata
	if m.replaced(attributesBucket) {
		replaced = true
	} else if !m.scope.sdk {
		b.leaves = m.carrierMetadata(b.leaves, attributesBucket+".", m.span.attributes.list)
	}
	if m.replaced(resourceBucket) {
		replaced = true
	} else {
		b.leaves = append(b.leaves, m.resource.metadata...)
	}
	if m.replaced(scopeBucket) {
		replaced = true
	} else {
		b.leaves = append(b.leaves, m.scope.metadata...)
	}
	return replaced
}

// replaced handles a client's key that is spelled like a bucket: it takes the bucket's place.
func (m *mapper) replaced(bucket string) bool {
	b := &m.metadata
	i := b.keyNames.find(bucket)
	if i < 0 {
		return false
	}
	m.flattenKey(&b.keys[i])
	b.keys[i].form = gone
	return true
}

// inBucket reports whether a name may be the path of a leaf in a bucket.
func inBucket(name string) bool {
	return strings.HasPrefix(name, attributesBucket+".") ||
		strings.HasPrefix(name, resourceBucket+".") || strings.HasPrefix(name, scopeBucket+".")
}

// clientKeys collects the client's keys of one domain.
func (m *mapper) clientKeys(d domain, whole key) {
	a := &m.span.attributes
	if !a.has(whole) && d&(ofObservation|ofTrace) != 0 {
		whole = plainMetadata
	}
	if a.has(whole) {
		m.spread(a.get(whole), d)
	}
	for _, i := range a.metadata {
		attribute := &a.list[i]
		if attribute.class.domain&d == 0 {
			continue
		}
		k := m.metadata.put(attribute.class.name, d, attribute.rank(d))
		if k == nil {
			continue
		}
		switch v := &attribute.value; {
		case v.kind == stringValue && d&(ofObservation|ofTrace) != 0:
			k.form, k.text = encoded, v.text
		default:
			k.form, k.value = native, v
		}
	}
}

// rank of a metadata attribute in one of its domains.
func (a *attribute) rank(d domain) rank {
	r := specific
	if a.class.domain != d {
		r = plain
	}
	if a.class.sonde {
		r += sondeRank
	}
	return r
}

// put returns the place for the value of a key, nil when the value that is there wins.
func (b *metadataBuilder) put(name string, d domain, r rank) *metadataKey {
	i := b.keyNames.find(name)
	if i < 0 {
		i = len(b.keys)
		b.keyNames.add(name)
		b.keys = append(b.keys, metadataKey{name: name})
	}
	k := &b.keys[i]
	if k.domain == d && r < k.rank {
		return nil
	}
	k.domain, k.rank = d, r
	return k
}

// spread makes keys of one value that holds all metadata: the members of an object, the elements
// of an array by position. A scalar gets the key "metadata"; text that is no JSON is dropped.
func (m *mapper) spread(v value, d domain) {
	switch v.kind {
	case listValue, arrayValue:
		m.spreadNative(v, d)
	case stringValue:
		m.spreadText(v.text, d)
	default:
		m.metadata.putNative("metadata", d, v)
	}
}

// putNative adds a key that was part of a native value.
func (b *metadataBuilder) putNative(name string, d domain, v value) {
	if k := b.put(name, d, bare); k != nil {
		k.form, k.value = native, &v
	}
}

// putParsed adds a key that was part of JSON text.
func (b *metadataBuilder) putParsed(name string, d domain, text string) {
	if k := b.put(name, d, bare); k != nil {
		k.form, k.text = parsed, text
	}
}

func (m *mapper) spreadNative(v value, d domain) {
	c := m.p.fields(v.at)
	for i := 0; c.next(); {
		if c.tag != tagElement {
			continue
		}
		var element value
		if v.kind == listValue {
			name := m.p.string(m.p.keyValue(c.content, &element))
			m.metadata.putNative(name, d, element)
			continue
		}
		m.p.value(c.content, &element)
		m.metadata.putNative(strconv.Itoa(i), d, element)
		i++
	}
}

func (m *mapper) spreadText(text string, d domain) {
	s := scanner{text: text}
	begin := s.space()
	if !s.skip(0) || !s.atEnd() || begin == 'n' {
		return
	}
	if begin != '{' && begin != '[' {
		m.metadata.putParsed("metadata", d, text)
		return
	}
	s = scanner{text: text}
	s.space()
	end := begin + 2 // of [ and {
	more, _ := s.open(begin, end)
	for i := 0; more; i++ {
		if begin == '[' {
			element, _ := s.element()
			m.metadata.putParsed(strconv.Itoa(i), d, element)
		} else {
			raw, escaped, member, _ := s.member()
			m.metadata.putParsed(m.unescaped(raw, escaped), d, member)
		}
		more, _ = s.more(end)
	}
}

// carrierMetadata appends the leaves of attributes under a prefix. An attribute that comes twice
// has its last value in its first place.
func (m *mapper) carrierMetadata(dst []model.MetadataEntry, prefix string, list []attribute) []model.MetadataEntry {
	b := &m.metadata
	b.bucket = b.bucket[:0]
	b.bucketNames.reset()
	for i := range list {
		if (list[i].class.consumed || list[i].moved) && prefix == attributesBucket+"." {
			continue
		}
		if at := b.bucketNames.find(list[i].name); at >= 0 {
			b.bucket[at] = i
			continue
		}
		b.bucketNames.add(list[i].name)
		b.bucket = append(b.bucket, i)
	}
	kept := b.leaves
	b.leaves, b.nested = dst, false
	for _, i := range b.bucket {
		m.flattenNative(m.arena.join(prefix, list[i].name), list[i].value)
	}
	if b.nested {
		b.leaves = b.firstOnly(0)
	}
	dst, b.leaves = b.leaves, kept
	return dst
}

// firstOnly returns the leaves with only the first of every path, looking from a position on.
// Paths without a dot are unique already.
func (b *metadataBuilder) firstOnly(from int) []model.MetadataEntry {
	b.paths.reset()
	kept := from
	for i := from; i < len(b.leaves); i++ {
		if name := b.leaves[i].Name; strings.IndexByte(name, '.') >= 0 {
			if b.paths.find(name) >= 0 {
				continue
			}
			b.paths.add(name)
		}
		if kept != i {
			b.leaves[kept] = b.leaves[i]
		}
		kept++
	}
	return b.leaves[:kept]
}
