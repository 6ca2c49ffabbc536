package otlp

import "strings"

// key names an attribute that some rule reads. A span holds one slot per key, so that rules look
// attributes up by number.
type key uint8

// unknown is the key of an attribute that no rule reads by its name.
const unknown key = 0

// group gathers attributes that share a prefix and are read together.
type group uint8

const (
	noGroup group = iota
	usageCounts
	tokenCounts
	requestParameters
	invocationParameters
	promptParts
	completionParts
	inputMessageParts
	outputMessageParts
	toolSchemas
)

// domain says whose metadata an attribute is; plain metadata is both the observation's and the trace's.
type domain uint8

const (
	ofObservation domain = 1 << iota
	ofTrace
	ofExperiment
	ofItem
)

// class is what is known about an attribute from its name alone.
type class struct {
	key      key
	sonde    bool // spelled sonde.
	domain   domain
	group    group
	name     string // in a domain or group: what follows the prefix
	consumed bool   // shown elsewhere, so not among the attributes in the metadata
	of       convention
}

// vocabulary is the names that one convention gives to attributes.
type vocabulary struct {
	of    convention
	scope string // the scope of its spans, when they are known by that alone

	words    []word
	prefixes []prefix
}

// word is a name that means something by itself.
type word struct {
	name string
	key  key
	fate fate
}

// prefix begins names whose rest is a name of its own.
type prefix struct {
	text   string
	group  group
	domain domain
	fate   fate
}

// fate says what becomes of an attribute besides what rules make of it.
type fate uint8

const (
	stays     fate = iota // also among the attributes in the metadata
	shown                 // shown elsewhere, so it leaves them
	apart                 // shown elsewhere, and not what its prefix says
	plainName             // stays, and is not what its prefix says
)

// dictionary finds names.
type dictionary struct {
	words    map[string]class
	prefixes []classPrefix
}

type classPrefix struct {
	text string
	class
}

// The two spellings of our own attributes are equal; sonde. wins where a span carries both.
const (
	langfusePrefix = "langfuse."
	sondePrefix    = "sonde."
)

var (
	ownNames     = newDictionary(ownVocabulary, experimentVocabulary)
	foreignNames = newDictionary(vocabularies...)
)

func newDictionary(all ...vocabulary) dictionary {
	d := dictionary{words: map[string]class{}}
	for _, v := range all {
		for _, p := range v.prefixes {
			d.prefixes = append(d.prefixes, classPrefix{p.text, class{
				domain: p.domain, group: p.group, consumed: p.fate == shown, of: v.of,
			}})
		}
		for _, w := range v.words {
			c := class{key: w.key, of: v.of, consumed: w.fate == shown || w.fate == apart}
			if w.fate == stays || w.fate == shown {
				c = v.withPrefix(w.name, c)
			}
			d.words[w.name] = c
		}
	}
	return d
}

// withPrefix adds what the prefix of a name says.
func (v vocabulary) withPrefix(name string, c class) class {
	for _, p := range v.prefixes {
		if rest, ok := strings.CutPrefix(name, p.text); ok && rest != "" {
			c.domain, c.group, c.name = p.domain, p.group, rest
			c.consumed = c.consumed || p.fate == shown
			break
		}
	}
	return c
}

// find returns what is known about a name. Of several prefixes the first counts.
func (d *dictionary) find(name string) class {
	if c, ok := d.words[name]; ok {
		return c
	}
	for i := range d.prefixes {
		if rest, ok := strings.CutPrefix(name, d.prefixes[i].text); ok && rest != "" {
			c := d.prefixes[i].class
			c.name = rest
			return c
		}
	}
	return class{}
}

// classify recognizes an attribute by its name.
func classify(name string) class {
	if rest, ok := strings.CutPrefix(name, langfusePrefix); ok {
		return ownNames.find(rest)
	}
	if rest, ok := strings.CutPrefix(name, sondePrefix); ok {
		c := ownNames.find(rest)
		c.sonde = true
		return c
	}
	return foreignNames.find(name)
}
