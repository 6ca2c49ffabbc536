package importer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
)

// record is a row as it is compared: a digest for each field, of a form in which equal rows are equal on both sides.
type record struct {
	ID   string `json:"id"`   // of the row in the target
	Name string `json:"name"` // the id that people know
	At   string `json:"at"`
	// Long are metadata keys whose values the target shows only when it is asked for them.
	Long   []string          `json:"long,omitempty"`
	Fields map[string]string `json:"fields"`
}

// sampled is a record that is kept until the end.
type sampled struct {
	record
	Rank string `json:"rank"`
}

// sampleSize is how many rows of a kind are kept for the comparison at the end.
const sampleSize = 100

// take keeps a record if it is one of the sample: of all ids those with the lowest digests, so that a resumed import has the
// same sample as one that was never interrupted.
func (s *Step) take(r record) {
	rank := digest(r.ID)
	if n := len(s.Sample); n == sampleSize && s.Sample[n-1].Rank <= rank {
		return
	}
	at, found := slices.BinarySearchFunc(s.Sample, rank, func(have sampled, rank string) int { return cmp.Compare(have.Rank, rank) })
	if found {
		s.Sample[at].record = r
		return
	}
	s.Sample = slices.Insert(s.Sample, at, sampled{r, rank})
	s.Sample = s.Sample[:min(len(s.Sample), sampleSize)]
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// set notes fields; an empty one is none.
func (r *record) set(fields map[string]string) {
	if r.Fields == nil {
		r.Fields = map[string]string{}
	}
	for name, value := range fields {
		if value != "" {
			r.Fields[name] = digest(value)
		}
	}
}

// differences names the fields that are not the same.
func (r *record) differences(other *record) []string {
	var names []string
	for name, value := range r.Fields {
		if other.Fields[name] != value {
			names = append(names, name)
		}
	}
	for name := range other.Fields {
		if _, ok := r.Fields[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// recordOf makes the record of an observation. What rows say of their trace counts where both sides show it.
func recordOf(o *observation, ofTrace bool) record {
	r := record{ID: o.ID, Name: o.ID, At: instant(o.StartTime)}
	metadata := map[string]string{}
	r.Long = flatten("", wholeMetadata(o.Metadata), metadata)
	r.set(map[string]string{
		"traceId": o.TraceID, "type": o.Type, "name": o.Name, "startTime": instant(o.StartTime), "endTime": instant(o.EndTime),
		"completionStartTime": instant(o.CompletionStartTime), "level": cmp.Or(o.Level, "DEFAULT"), "statusMessage": o.StatusMessage,
		"version": o.Version, "environment": model.NormalEnvironment(o.Environment), "parentObservationId": o.parent(),
		"input": text(o.Input), "output": text(o.Output), "metadata": pairs(metadata), "model": o.model(),
		"modelParameters": parameters(o.ModelParameters), "prompt": prompt(o), "usage": usagePairs(o.usage()), "cost": costPairs(o.costs()),
	})
	if ofTrace {
		r.set(map[string]string{
			"userId": o.UserID, "sessionId": o.SessionID, "release": o.Release, "traceName": o.TraceName, "tags": tagList(o.Tags),
			"public": flag(o.Public), "isRootObservation": flag(o.IsRootObservation),
		})
	}
	return r
}

// recordOfTrace makes the record of the row that stands for a trace in the target.
func recordOfTrace(t *trace) record {
	r := record{ID: traceRowPrefix + t.ID, Name: t.ID, At: instant(t.Timestamp)}
	metadata := map[string]string{}
	r.Long = flatten("", wholeMetadata(t.Metadata), metadata)
	r.set(map[string]string{
		"timestamp": instant(t.Timestamp), "name": t.Name, "userId": t.UserID, "sessionId": t.SessionID, "release": t.Release, "version": t.Version,
		"environment": model.NormalEnvironment(t.Environment), "public": flag(t.Public), "bookmarked": flag(t.Bookmarked), "tags": tagList(t.Tags),
		"input": text(t.Input), "output": text(t.Output), "metadata": pairs(metadata),
	})
	return r
}

// instant is a time to the millisecond, which is what both sides keep.
func instant(at string) string {
	t, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return at
	}
	return stamp(t.Truncate(time.Millisecond))
}

// around are bounds that times of rows lie between.
func around(first, last string) (from, to string, err error) {
	begin, err := time.Parse(time.RFC3339Nano, first)
	if err != nil {
		return "", "", fmt.Errorf("the source has a time that is none: %w", err)
	}
	end, err := time.Parse(time.RFC3339Nano, last)
	if err != nil {
		return "", "", fmt.Errorf("the source has a time that is none: %w", err)
	}
	return stamp(begin.Truncate(time.Millisecond)), stamp(end.Add(time.Millisecond)), nil
}

func flag(b bool) string {
	if b {
		return "true"
	}
	return ""
}

func tagList(tags []string) string {
	tags = slices.Compact(slices.Sorted(slices.Values(tags)))
	return strings.Join(tags, "\n")
}

// prompt is the link to a prompt; rows of the two plainest types have none.
func prompt(o *observation) string {
	if o.PromptName == "" || o.PromptVersion == "" {
		return ""
	}
	return o.PromptName + " " + o.PromptVersion.String()
}

func parameters(raw json.RawMessage) string {
	if s := text(object(raw)); s != "{}" {
		return s
	}
	return ""
}

// wholeMetadata is metadata as an object: other values have a name in the target.
func wholeMetadata(raw json.RawMessage) json.RawMessage {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 || string(trimmed) == "null" || trimmed[0] == '{' {
		return trimmed
	}
	return json.RawMessage(`{"metadata":` + string(trimmed) + `}`)
}

// flatten brings metadata to dotted names, as the target shows it, and returns the names of long values.
func flatten(path string, raw json.RawMessage, into map[string]string) (long []string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := bytes.TrimSpace(members[name])
		at := name
		if path != "" {
			at = path + "." + name
		}
		if len(value) > 0 && value[0] == '{' {
			long = append(long, flatten(at, value, into)...)
			continue
		}
		if _, taken := into[at]; taken {
			continue
		}
		into[at] = canonical(value)
		if len(value) > cutAt/2 { // of the text without its escapes there may be more
			long = append(long, at)
		}
	}
	return long
}

// canonical is JSON in one spelling of texts.
func canonical(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil && string(raw) != "null" {
		return "text " + s
	}
	return text(raw)
}

func pairs(m map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "%q=%q\n", name, m[name])
	}
	return b.String()
}

// usagePairs are the units with a total, which the target adds.
func usagePairs(counts map[string]uint64) string {
	if len(counts) == 0 {
		return ""
	}
	all, texts := uint64(0), map[string]string{}
	for name, n := range counts {
		texts[name] = strconv.FormatUint(n, 10)
		all += n
	}
	if _, ok := counts[totalKey]; !ok {
		texts[totalKey] = strconv.FormatUint(all, 10)
	}
	return pairs(texts)
}

// costPairs are the amounts with a total. Nothing and a total of zero are the same: the source showed no cost.
func costPairs(amounts map[string]decimal.Decimal) string {
	texts := map[string]string{}
	for name, amount := range amounts {
		texts[name] = amount.String()
	}
	if len(amounts) > 0 {
		texts[totalKey] = total(amounts).String()
	}
	if len(texts) == 1 && texts[totalKey] == "0" {
		return ""
	}
	return pairs(texts)
}
