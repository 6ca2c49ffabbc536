package usage

import "strings"

// openAINames are the names of one of OpenAI's two shapes.
type openAINames struct {
	input, output               string
	inputDetails, outputDetails string
	// What others write instead of the details.
	inputOther, outputOther string
}

var (
	chatNames = openAINames{
		input: "prompt_tokens", output: "completion_tokens",
		inputDetails: "prompt_tokens_details", outputDetails: "completion_tokens_details",
		inputOther: "prompt_token_details", outputOther: "completion_token_details",
	}
	responsesNames = openAINames{
		input: "input_tokens", output: "output_tokens",
		inputDetails: "input_tokens_details", outputDetails: "output_tokens_details",
		inputOther: "input_token_details", outputOther: "output_token_details",
	}
)

// half is the input or the output of a report: the whole, and the parts that are named.
type half struct {
	whole    uint64
	reported bool
	parts    object // counts only
	sum      uint64
}

func newHalf(o object, name string, details object) half {
	h := half{}
	h.whole, h.reported = o.first(name)
	for i := range details {
		if n, ok := details[i].count(); ok {
			h.parts = append(h.parts, details[i])
			h.sum = plus(h.sum, n)
		}
	}
	return h
}

// openAI reads prompt and completion counts with their details. An object that follows OpenAI to
// the letter gets a key for each detail, zeros too. Others carry further keys, or details that
// overlap; see loose.
func openAI(o object, names *openAINames) map[string]uint64 {
	inDetails := o.object(names.inputDetails, names.inputOther)
	outDetails := o.object(names.outputDetails, names.outputOther)
	in, out := newHalf(o, names.input, inDetails), newHalf(o, names.output, outDetails)
	if !toTheLetter(o, names) || in.sum > in.whole || out.sum > out.whole || reasonsOutside(o, in, out, out.parts) {
		return loose(o, in, out, inDetails)
	}
	d := make(map[string]uint64, fewKeys)
	d[total], _ = o.first("total_tokens")
	d[input], d[output] = in.whole-in.sum, out.whole-out.sum
	addParts(d, "input_", in.parts)
	addParts(d, "output_", out.parts)
	return d
}

func addParts(d map[string]uint64, prefix string, parts object) {
	for i := range parts {
		if len(parts[i].name) <= maxKeyBytes {
			d[kept(prefix+parts[i].name)], _ = parts[i].count()
		}
	}
}

// toTheLetter reports whether o has the three counts and nothing that OpenAI does not send.
func toTheLetter(o object, names *openAINames) bool {
	counts := 0
	for i := range o {
		switch o[i].name {
		case names.input, names.output, "total_tokens":
			if !o[i].isCount() {
				return false
			}
			counts++
		case names.inputDetails, names.outputDetails:
		default:
			return false
		}
	}
	return counts == 3
}

// reasonsOutside reports whether the total shows that reasoning is not part of the output (xAI).
func reasonsOutside(o object, in, out half, outParts object) bool {
	n, _ := outParts.first("reasoning_tokens", "reasoning")
	whole, ok := o.first("total_tokens")
	return ok && n > 0 && whole == plus(plus(in.whole, out.whole), n)
}

// loose reads what imitates OpenAI. Text tokens overlap with the cached ones, so they are left out
// and the whole keeps what no other part takes; parts of zero and unknown keys are left out, too.
func loose(o object, in, out half, inDetails object) map[string]uint64 {
	d := make(map[string]uint64, fewKeys)
	looseInput(d, o, in, inDetails)
	outside := looseOutput(d, o, in, out)
	if n, ok := o.first("total_tokens"); ok {
		if outside {
			n = max(n, sum(d))
		}
		d[total] = n
	}
	return d
}

func looseInput(d map[string]uint64, o object, in half, details object) {
	looseParts(d, "input_", in.parts)
	if n, ok := o.first("prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens"); ok && n > 0 && d[cached] == 0 {
		d[cached] = n
	}
	if n, ok := o.first("cache_creation_input_tokens"); ok && n > 0 && d[cacheWrite] == 0 {
		d[cacheWrite] = n
	}
	splitCached(d, details.object("cached_tokens_details"))
	if in.reported {
		d[input] = less(in.whole, sum(d))
	}
}

// looseOutput reports whether there are tokens outside of both input and output.
func looseOutput(d map[string]uint64, o object, in, out half) (outside bool) {
	before := sum(d)
	looseParts(d, "output_", out.parts)
	inside := sum(d) - before
	if reasonsOutside(o, in, out, out.parts) {
		inside -= d[reasoning]
	}
	if n, ok := o.first("reasoning_tokens"); ok && n > 0 && d[reasoning] == 0 {
		d[reasoning] = n
		// Perplexity counts neither reasoning nor citations as completion.
		if outside = o.find("citation_tokens") != "" || n > out.whole; !outside {
			inside = plus(inside, n)
		}
	}
	if n, ok := o.first("citation_tokens"); ok && n > 0 {
		d[citations], outside = n, true
	}
	if out.reported {
		d[output] = less(out.whole, inside)
	}
	return outside
}

func looseParts(d map[string]uint64, prefix string, parts object) {
	for i := range parts {
		switch n, _ := parts[i].count(); {
		case n == 0, len(parts[i].name) > maxKeyBytes:
		case parts[i].name == "text_tokens", parts[i].name == "text":
		default:
			d[kept(prefix+parts[i].name)] = n
		}
	}
}

// splitCached moves cached tokens that are not text out of both kinds that contain them: all
// cached tokens, and all tokens of their modality.
func splitCached(d map[string]uint64, modalities object) {
	for i := range modalities {
		name, isTokens := strings.CutSuffix(modalities[i].name, "_tokens")
		n, _ := modalities[i].count()
		if !isTokens || name == "text" || n == 0 || len(name) > maxKeyBytes {
			continue
		}
		takeOut(d, cached, n)
		takeOut(d, "input_"+name+"_tokens", n)
		d[kept("input_cached_"+name+"_tokens")] = n
	}
}

// takeOut makes a part smaller when it is there.
func takeOut(d map[string]uint64, name string, n uint64) {
	if whole, ok := d[name]; ok {
		d[name] = less(whole, n)
	}
}
