package usage

import "strings"

// Count is a span attribute about usage: its name without the prefix of its convention
// (gen_ai.usage., llm.token_count.), and its number.
type Count struct {
	Name  string
	Value float64
}

// maxCounts bounds the attributes of one span that are read as usage.
const maxCounts = maxMembers

// sources lists, per stored key, the attributes that mean it. The first that is there counts, even
// when it is zero.
var sources = []struct {
	key   string
	names []string
}{
	{input, []string{"prompt_tokens", "input_tokens", "prompt"}},
	{output, []string{"completion_tokens", "output_tokens", "completion"}},
	{total, []string{"total_tokens", total}},
	{cached, []string{
		"cache_read.input_tokens", "cache_read_input_tokens", "cache_read_tokens", "details.cache_read_tokens",
		"details.cache_read_input_tokens", "prompt_details.cache_read", cached,
	}},
	{cacheWrite, []string{
		"cache_creation.input_tokens", "cache_creation_input_tokens", "cache_write_tokens", "details.cache_write_tokens",
		"details.cache_creation_input_tokens", "prompt_details.cache_write", cacheWrite,
	}},
	{inputAudio, []string{"prompt_details.audio"}},
	{reasoning, []string{
		"reasoning.output_tokens", "completion_details.reasoning", "reasoning_tokens", "details.reasoning_tokens",
	}},
	{outputAudio, []string{"completion_details.audio"}},
}

// place is where an attribute stands in sources.
type place struct{ key, rank int8 }

var places = func() map[string]place {
	m := make(map[string]place)
	for k, source := range sources {
		for rank, name := range source.names {
			m[name] = place{key: int8(k), rank: int8(rank)}
		}
	}
	return m
}()

// FromCounts reads usage from span attributes that follow a convention. By both conventions input
// contains what was cached, and output contains reasoning. Attributes of no known name are kept
// under it, cost is not usage, and what is no count is dropped. The result has a total; it is nil
// when there is no count, or more attributes than any convention has (256).
func FromCounts(counts []Count) map[string]uint64 {
	if len(counts) == 0 || len(counts) > maxCounts {
		return nil
	}
	d := make(map[string]uint64, fewKeys)
	var ranks [16]int8 // of what was found for each key, counted from 1
	for _, c := range counts {
		n, ok := whole(c.Value)
		if !ok {
			continue
		}
		at, known := places[c.Name]
		if !known {
			keepOther(d, c.Name, n)
			continue
		}
		if best := ranks[at.key]; best == 0 || at.rank < best-1 {
			ranks[at.key] = at.rank + 1
			d[sources[at.key].key] = n
		}
	}
	settle(d)
	return withTotal(d)
}

func keepOther(d map[string]uint64, name string, n uint64) {
	name = strings.TrimPrefix(name, "details.")
	if name == "" || name == "cost" || strings.HasPrefix(name, "cost.") || len(name) > maxKeyBytes {
		return
	}
	if name == input || name == output {
		if _, has := d[name]; has {
			return
		}
	}
	d[kept(name)] = n
}

// settle takes the parts out of input and output.
func settle(d map[string]uint64) {
	out, hasOut := d[output]
	if n := d[reasoning]; hasOut {
		parts := plus(n, d[outputAudio])
		if all, ok := d[total]; ok && n > 0 && all == plus(plus(d[input], out), n) {
			parts -= n // the total shows that reasoning is not part of the output
		}
		d[output] = less(out, parts)
	}
	if in, ok := d[input]; ok {
		d[input] = less(in, plus(plus(d[cached], d[cacheWrite]), d[inputAudio]))
	}
}
