package usage

import (
	"maps"
	"strings"
)

// put stores the count of the first of names that has one, under key.
func put(d map[string]uint64, key string, o object, names ...string) {
	if n, ok := o.first(names...); ok {
		d[key] = n
	}
}

// anthropic reads the usage of a message. Its input excludes what was read from and written to
// the cache, so nothing is taken out of it.
func anthropic(o object) map[string]uint64 {
	d := make(map[string]uint64, fewKeys)
	put(d, input, o, "input_tokens")
	put(d, output, o, "output_tokens")
	put(d, total, o, "total_tokens")
	put(d, cached, o, "cache_read_input_tokens")
	put(d, cacheWrite, o, "cache_creation_input_tokens")
	lifetimes := o.object("cache_creation")
	put(d, cacheWrite5m, lifetimes, "ephemeral_5m_input_tokens")
	put(d, cacheWrite1h, lifetimes, "ephemeral_1h_input_tokens")
	splitWrites(d)
	return d
}

// splitWrites leaves of all cache writes those whose lifetime is not known.
func splitWrites(d map[string]uint64) {
	short, hasShort := d[cacheWrite5m]
	long, hasLong := d[cacheWrite1h]
	if !hasShort && !hasLong {
		return
	}
	if split := plus(short, long); d[cacheWrite] > split {
		d[cacheWrite] -= split
	} else {
		delete(d, cacheWrite)
	}
}

// camel reads three shapes that share the names of their wholes. Bedrock Converse excludes cached
// tokens from the input, Genkit and the Vercel AI SDK include them; each has its own names for them.
func camel(o object) map[string]uint64 {
	d := make(map[string]uint64, fewKeys)
	put(d, cached, o, "cachedInputTokens", "cachedContentTokens")
	if n, ok := o.first("inputTokens"); ok {
		d[input] = less(n, d[cached])
	}
	put(d, cached, o, "cacheReadInputTokens")
	put(d, cacheWrite, o, "cacheWriteInputTokens")
	for _, write := range o.objects("cacheDetails") {
		switch write.find("ttl") {
		case `"5m"`:
			put(d, cacheWrite5m, write, "inputTokens")
		case `"1h"`:
			put(d, cacheWrite1h, write, "inputTokens")
		}
	}
	splitWrites(d)

	put(d, "output_reasoning", o, "thoughtsTokens")
	put(d, reasoning, o, "reasoningTokens")
	if n, ok := o.first("outputTokens"); ok {
		d[output] = less(n, plus(d["output_reasoning"], d[reasoning]))
	}
	put(d, total, o, "totalTokens")
	return d
}

// gemini reads usage metadata as the API (camelCase) and the Python SDK (snake_case) write it.
// The prompt contains cached tokens, but not those of tool use; candidates exclude thoughts.
func gemini(o object) map[string]uint64 {
	d := make(map[string]uint64, fewKeys)
	put(d, cached, o, "cachedContentTokenCount", "cached_content_token_count")
	modalities(d, "input_", o.objects("promptTokensDetails", "prompt_tokens_details"))
	for _, part := range o.objects("cacheTokensDetails", "cache_tokens_details") {
		name, n := modality(part)
		if name != "" && n > 0 {
			takeOut(d, cached, n)
			takeOut(d, "input_"+name, n)
			d["input_cached_"+name] = n
		}
	}
	if n, ok := o.first("promptTokenCount", "prompt_token_count"); ok {
		tools, _ := o.first("toolUsePromptTokenCount", "tool_use_prompt_token_count")
		d[input] = plus(less(n, sum(d)), tools)
	}

	out := make(map[string]uint64)
	modalities(out, "output_", o.objects("candidatesTokensDetails", "candidates_tokens_details"))
	if n, ok := o.first("candidatesTokenCount", "candidates_token_count"); ok {
		d[output] = less(n, sum(out))
	}
	maps.Copy(d, out)
	put(d, reasoning, o, "thoughtsTokenCount", "thoughts_token_count")
	put(d, total, o, "totalTokenCount", "total_token_count")
	return d
}

// modalities adds the parts that are not text.
func modalities(d map[string]uint64, prefix string, parts []object) {
	for _, part := range parts {
		if name, n := modality(part); name != "" && n > 0 {
			d[prefix+name] = plus(d[prefix+name], n)
		}
	}
}

// modality reads the kind of a part and its tokens; text, documents and unknown kinds have no name
// of their own and are billed as text.
func modality(part object) (name string, n uint64) {
	n, _ = part.first("tokenCount", "token_count")
	switch strings.ToUpper(strings.Trim(part.find("modality"), `"`)) {
	case "AUDIO":
		return "audio_tokens", n
	case "IMAGE":
		return "image_tokens", n
	case "VIDEO":
		return "video_tokens", n
	}
	return "", n
}

// cohere takes what is billed. The tokens next to it include the vendor's own prompt.
func cohere(o object) map[string]uint64 {
	billed := o.object("billed_units")
	for i := range billed {
		switch billed[i].name {
		case "input_tokens":
			billed[i].name = input
		case "output_tokens":
			billed[i].name = output
		}
	}
	return plain(billed)
}
