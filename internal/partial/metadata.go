package partial

import (
	"encoding/json"

	"github.com/sondehq/sonde/internal/model"
)

// Limits on taking metadata apart, as for spans: an object beyond them stays one leaf of JSON.
const (
	maxDepth     = 32
	maxPathBytes = 256
	maxLeaves    = 10000
)

// wholeKey is where metadata that is no object goes.
const wholeKey = "metadata"

// Metadata takes JSON apart into the entries that rows hold.
func Metadata(raw json.RawMessage) []model.MetadataEntry {
	var t tree
	t.add(raw)
	return t.entries()
}

// node is a value of metadata: an object that can be merged into, or the JSON text of a leaf.
type node struct {
	names   []string // in the order of first appearance
	members map[string]*node
	leaf    json.RawMessage
}

// tree merges the metadata of several events.
type tree struct {
	root   node
	leaves int
}

// add merges the metadata of a later event: objects member by member, other values replace. A
// null replaces nothing.
func (t *tree) add(raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	if raw[0] != '{' {
		t.member(&t.root, wholeKey, raw, 1, 0)
		return
	}
	t.merge(&t.root, raw, 0, 0)
}

func (t *tree) merge(n *node, object json.RawMessage, depth, path int) {
	eachMember(object, func(name string, value json.RawMessage) {
		t.member(n, name, value, depth+1, path+len(name)+1)
	})
}

func (t *tree) member(parent *node, name string, raw json.RawMessage, depth, path int) {
	n := parent.members[name]
	if n == nil {
		n = &node{}
		if parent.members == nil {
			parent.members = map[string]*node{}
		}
		parent.members[name], parent.names = n, append(parent.names, name)
		t.leaves++
	} else if raw[0] == 'n' {
		return
	}
	if raw[0] == '{' && depth <= maxDepth && path <= maxPathBytes && t.leaves <= maxLeaves {
		n.leaf = nil
		t.merge(n, raw, depth, path)
		return
	}
	*n = node{leaf: raw}
}

// entries are the leaves under their dotted paths; of leaves with the same path the first counts.
func (t *tree) entries() []model.MetadataEntry {
	var list []model.MetadataEntry
	seen := map[string]bool{}
	t.root.walk("", func(path string, leaf json.RawMessage) {
		if !seen[path] {
			seen[path] = true
			list = append(list, entry(path, leaf))
		}
	})
	return list
}

func (n *node) walk(path string, visit func(string, json.RawMessage)) {
	for _, name := range n.names {
		child, at := n.members[name], name
		if path != "" {
			at = path + "." + name
		}
		if child.leaf != nil {
			visit(at, child.leaf)
			continue
		}
		child.walk(at, visit)
	}
}

func entry(path string, raw json.RawMessage) model.MetadataEntry {
	e := model.MetadataEntry{Name: path, Value: rowText(raw)}
	switch raw[0] {
	case '"':
		e.Type = model.MetadataString
	case 't', 'f':
		e.Type = model.MetadataBool
	case 'n':
		e.Type = model.MetadataNull
	case '[', '{':
		e.Type = model.MetadataJSON
	default:
		e.Type = model.MetadataNumber
	}
	return e
}
