package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"
)

// cutAt is how much of a metadata value the newer read shows of keys that were not asked for, in characters.
const cutAt = 200

// The bounds of a request for whole metadata.
const (
	maxHeld      = 50
	maxHeldBytes = 16 << 20
	maxKeyBytes  = 4 << 10
)

// cutMetadata finds rows whose metadata the source shows cut, and asks for the whole.
type cutMetadata struct {
	held  []observation
	bytes int
}

func (c *cutMetadata) begin() { c.held, c.bytes = nil, 0 }

// isCut reports whether any value may be cut: it is exactly as long as what is left of longer ones.
func (*cutMetadata) isCut(o *observation) bool { return len(cutKeys(o)) > 0 }

func cutKeys(o *observation) (keys []string) {
	var given map[string]json.RawMessage
	if len(o.Metadata) < cutAt || json.Unmarshal(o.Metadata, &given) != nil {
		return nil
	}
	for name, raw := range given {
		var value string
		if json.Unmarshal(raw, &value) == nil && utf8.RuneCountInString(value) == cutAt && !strings.Contains(name, ",") {
			keys = append(keys, name)
		}
	}
	return keys
}

// keep holds a row back until there are enough to ask for together.
func (c *cutMetadata) keep(o observation, enough func([]observation) error) error {
	c.held = append(c.held, o)
	if c.bytes += len(o.Input) + len(o.Output) + len(o.Metadata); len(c.held) < maxHeld && c.bytes < maxHeldBytes {
		return nil
	}
	held := c.held
	c.begin()
	return enough(held)
}

// fill asks for the whole metadata of rows, as many keys at a time as an address holds.
func (c *cutMetadata) fill(ctx context.Context, source *client, held []observation) error {
	at := map[string]*observation{}
	var ids, keys []string
	known := map[string]bool{}
	first, last := held[0].StartTime, held[0].StartTime
	for i := range held {
		o := &held[i]
		at[o.TraceID+"/"+o.ID] = o
		ids = append(ids, o.ID)
		first, last = min(first, o.StartTime), max(last, o.StartTime)
		for _, key := range cutKeys(o) {
			if !known[key] {
				known[key] = true
				keys = append(keys, key)
			}
		}
	}
	for len(keys) > 0 {
		some := keys[:fitting(keys, maxKeyBytes)]
		keys = keys[len(some):]
		query, err := byID(ids, first, last)
		if err != nil {
			return err
		}
		query.Set("fields", "core,metadata")
		query.Set("expandMetadata", strings.Join(some, ","))
		err = source.stream(ctx, newerObservations.path, query, func(body io.Reader) error {
			_, err := readPage(body, func(raw json.RawMessage) error {
				var o observation
				if err := json.Unmarshal(raw, &o); err != nil {
					return fmt.Errorf("the source answers with metadata that cannot be read: %w", err)
				}
				return fillKeys(at[o.TraceID+"/"+o.ID], o.Metadata, some)
			})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fillKeys puts whole values in the place of cut ones.
func fillKeys(o *observation, whole json.RawMessage, keys []string) error {
	if o == nil {
		return nil
	}
	var have, given map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(o.Metadata, &have), json.Unmarshal(whole, &given)); err != nil {
		return fmt.Errorf("the source answers with metadata that cannot be read: %w", err)
	}
	for _, key := range keys {
		if value, ok := given[key]; ok {
			have[key] = value
		}
	}
	text, err := encode(have)
	o.Metadata = text
	return err
}

// fitting is how many of the texts have room in a part of an address; one always has.
func fitting(texts []string, room int) int {
	used := 0
	for i, text := range texts {
		if used += len(url.QueryEscape(text)) + 3; used > room && i > 0 {
			return i
		}
	}
	return len(texts)
}

// byID asks the newer read for rows with some ids, between two start times.
func byID(ids []string, first, last string) (url.Values, error) {
	filter, err := encode([]any{map[string]any{"type": "stringOptions", "column": "id", "operator": "any of", "value": ids}})
	if err != nil {
		return nil, err
	}
	from, to, err := around(first, last)
	if err != nil {
		return nil, err
	}
	return url.Values{"filter": {string(filter)}, "fromStartTime": {from}, "toStartTime": {to}, "limit": {"1000"}}, nil
}
