package otlptest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// LongMetadata returns the paths whose values an answer cuts unless they are expanded.
func (r Row) LongMetadata() []string {
	const shown = 200
	var out []string
	metadata, _ := r["metadata"].(map[string]any)
	for path, v := range metadata {
		text, ok := v.(string)
		if !ok {
			b, _ := json.Marshal(v)
			text = string(b)
		}
		if utf8.RuneCountInString(text) > shown {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// Diff lists the fields in which a row is not as wanted. Fields that are not in want do not count.
func Diff(want, got Row) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if d := diffField(k, want[k], got); d != "" {
			out = append(out, fmt.Sprintf("%s (-want +got):\n%s", k, d))
		}
	}
	return out
}

func diffField(k string, want any, got Row) string {
	switch k {
	case "metadata":
		if leaves, ok := want.([]any); ok {
			return cmp.Diff(leaves, typedLeaves(got, leaves))
		}
		return cmp.Diff(want, clientOnly(got["metadata"]))
	case "metadataFlat":
		return cmp.Diff(pairs(want, anyLeaf), pairs(got["metadataFlat"], anyLeaf))
	case "metadataBuckets":
		return cmp.Diff(pairs(want, ownLeaf), pairs(got["metadataFlat"], ownLeaf))
	case "inputBeforeTools":
		return diffBeforeTools(want, got["input"])
	case "shownTraceName":
		return cmp.Diff(normal(want), normal(shownTraceName(got)))
	case "experimentMetadataTexts", "experimentItemMetadataTexts":
		return cmp.Diff(want, texts(got[strings.TrimSuffix(k, "Texts")]))
	case "providedUsageDetails", "providedCostDetails":
		return diffProvided(want, got[strings.ToLower(k[8:9])+k[9:]])
	}
	value, known := got[k]
	if !known {
		return "no such field"
	}
	return cmp.Diff(normal(want), normal(value))
}

// diffProvided leaves out the total that the server adds.
func diffProvided(want, got any) string {
	details, _ := got.(map[string]any)
	details = maps.Clone(details)
	given, _ := want.(map[string]any)
	if given["total"] == nil {
		delete(details, "total")
	}
	return cmp.Diff(normal(want), normal(details), stored)
}

// stored makes numbers equal that are stored alike: with twelve places.
var stored = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })

// typedLeaves gives the leaves that a case names, in its notation: name, value, sometimes the type.
func typedLeaves(got Row, want []any) []any {
	var out []any
	byPath, _ := got["metadata"].(map[string]any)
	flat, _ := got["metadataFlat"].([]any)
	for _, w := range want {
		leaf := w.([]any)
		for _, e := range flat {
			entry := e.([]any)
			if entry[0] != leaf[0] {
				continue
			}
			g := []any{entry[0], byPath[entry[0].(string)]}
			if len(leaf) == 3 {
				g = append(g, entry[2])
			}
			out = append(out, g)
		}
	}
	return out
}

// inBucket reports whether the server added a leaf.
func inBucket(name string) bool {
	return strings.HasPrefix(name, "attributes.") || strings.HasPrefix(name, "resourceAttributes.") || strings.HasPrefix(name, "scope.")
}

// clientOnly is the metadata a client set.
func clientOnly(metadata any) map[string]any {
	out := map[string]any{}
	all, _ := metadata.(map[string]any)
	for name, v := range all {
		if !inBucket(name) {
			out[name] = v
		}
	}
	return out
}

func anyLeaf(string) bool { return true }

// ownLeaf tells leaves that the server adds, without those of the resource, which the recorded rows
// leave out.
func ownLeaf(name string) bool {
	return inBucket(name) && !strings.HasPrefix(name, "resourceAttributes.")
}

// pairs gives names and texts of leaves in their order.
func pairs(flat any, which func(name string) bool) [][2]string {
	var out [][2]string
	leaves, _ := flat.([]any)
	for _, l := range leaves {
		leaf := l.([]any)
		if name := leaf[0].(string); which(name) {
			out = append(out, [2]string{name, leaf[1].(string)})
		}
	}
	return out
}

// diffBeforeTools compares an input without the tools that were moved into it.
func diffBeforeTools(want, got any) string {
	input := normal(got)
	if parts, ok := input.(map[string]any); ok && parts["messages"] != nil && len(parts) == 2 {
		if tools, _ := parts["tools"].([]any); len(tools) > 0 {
			input = parts["messages"]
		}
	}
	return cmp.Diff(normal(want), input)
}

// shownTraceName is what a reader sees: logical roots lend their name.
func shownTraceName(got Row) any {
	if got["traceName"] == "" && got["isRootObservation"] == true {
		return got["name"]
	}
	return got["traceName"]
}

// texts gives values as the reference stores them.
func texts(metadata any) map[string]any {
	out := map[string]any{}
	all, _ := metadata.(map[string]any)
	for name, v := range all {
		if _, ok := v.(string); !ok {
			b, _ := json.Marshal(v)
			v = string(b)
		}
		out[name] = v
	}
	return out
}

// Empty reports whether a golden value says that there is nothing.
func Empty(v any) bool { return normal(v) == nil }

// normal makes the ways of saying nothing equal, and JSON text equal to its meaning.
func normal(v any) any {
	switch x := v.(type) {
	case string:
		var parsed any
		if err := json.Unmarshal([]byte(x), &parsed); err == nil {
			return parsed
		}
		if x == "" || x == "<unset>" {
			return nil
		}
	case map[string]any:
		if len(x) == 0 {
			return nil
		}
	case []any:
		if len(x) == 0 {
			return nil
		}
	}
	return v
}
