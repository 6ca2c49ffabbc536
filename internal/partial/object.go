package partial

import (
	"bytes"
	"encoding/json"
	"slices"
)

// object builds a JSON object whose members keep the order in which they were added.
type object struct {
	names  []string
	values map[string]json.RawMessage
}

// add sets a member; a member that is there keeps its place.
func (o *object) add(name string, value json.RawMessage) {
	if o.values == nil {
		o.values = map[string]json.RawMessage{}
	}
	if _, there := o.values[name]; !there {
		o.names = append(o.names, name)
	}
	o.values[name] = value
}

// addAll adds the members of a JSON object, but for some.
func (o *object) addAll(raw json.RawMessage, without ...string) {
	eachMember(raw, func(name string, value json.RawMessage) {
		if !slices.Contains(without, name) {
			o.add(name, value)
		}
	})
}

func (o *object) json() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quote(name))
		b.WriteByte(':')
		b.Write(o.values[name])
	}
	b.WriteByte('}')
	return b.Bytes()
}

// join makes a JSON list.
func join(list []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, element := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(element)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// quote is text as JSON.
func quote(text string) json.RawMessage {
	quoted, err := encode(text)
	if err != nil {
		return json.RawMessage(`""`) // text always encodes
	}
	return bytes.TrimSuffix(quoted, []byte("\n"))
}

// eachMember visits the members of a JSON object in their order.
func eachMember(raw json.RawMessage, visit func(name string, value json.RawMessage)) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return
		}
		key, _ := name.(string)
		visit(key, value)
	}
}
