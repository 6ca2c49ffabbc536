package query

import "strings"

// Groups is a set of field groups of an observation.
type Groups uint16

// The field groups of the contract. Core is in every answer.
const (
	Core Groups = 1 << iota
	Basic
	Time
	IO
	Metadata
	Model
	Usage
	Prompt
	Metrics
	TraceContext
)

// inheriting are the groups with fields that a row may take from its trace.
const inheriting = Basic | TraceContext

// detailed are the groups whose fields a brief read leaves out, and those that do not go with one.
const detailed = IO | Metadata | Model | Usage | Prompt

// DefaultGroups are returned when a request names none.
const DefaultGroups = Core | Basic

var groupNames = map[string]Groups{
	"core": Core, "basic": Basic, "time": Time, "io": IO, "metadata": Metadata,
	"model": Model, "usage": Usage, "prompt": Prompt, "metrics": Metrics, "trace_context": TraceContext,
}

// Has reports whether all of want are in the set.
func (g Groups) Has(want Groups) bool { return g&want == want }

// ParseGroups reads a comma-separated list of group names. An unknown name adds nothing:
// clients of other versions may know more groups than we do. An empty list means DefaultGroups.
func ParseGroups(list string) Groups {
	names := SplitList(list)
	if len(names) == 0 {
		return DefaultGroups
	}
	groups := Core
	for _, name := range names {
		groups |= groupNames[name]
	}
	return groups
}

// SplitList splits a comma-separated list, trims its members and drops empty ones.
func SplitList(list string) []string {
	var members []string
	for member := range strings.SplitSeq(list, ",") {
		if member = strings.TrimSpace(member); member != "" {
			members = append(members, member)
		}
	}
	return members
}
