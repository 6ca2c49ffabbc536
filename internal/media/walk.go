package media

import "strings"

// walker reads JSON without building it: it needs to know where texts lie, because everything that
// is not content stays as its client wrote it.
type walker struct {
	*finder
	in  *string
	pos int
}

// shapes finds content in objects of a JSON text. A text that is no JSON is read up to where it
// stops being so.
func (f *finder) shapes(in *string) {
	w := walker{finder: f, in: in}
	if c := w.next(); c == '{' || c == '[' {
		w.value("", 1)
	}
}

// next returns the next character that is no space, 0 at the end, without taking it.
func (w *walker) next() byte {
	for text := *w.in; w.pos < len(text); w.pos++ {
		switch text[w.pos] {
		case ' ', '\t', '\n', '\r':
		default:
			return text[w.pos]
		}
	}
	return 0
}

// value takes a value that stands under a key; false when the text is broken.
func (w *walker) value(under string, depth int) bool {
	switch w.next() {
	case '{':
		if depth > maxDepth {
			return w.skip()
		}
		return w.object(under, depth)
	case '[':
		if depth > maxDepth {
			return w.skip()
		}
		return w.array(under, depth)
	case '"':
		_, _, ok := w.str()
		return ok
	case 0, ',', ':', '}', ']':
		return false
	}
	return w.literal()
}

func (w *walker) object(under string, depth int) bool {
	var o object
	w.pos++ // the brace
	if w.next() == '}' {
		w.pos++
		return true
	}
	for {
		if w.next() != '"' {
			return false
		}
		start, end, ok := w.str()
		if !ok || w.next() != ':' {
			return false
		}
		w.pos++
		key := (*w.in)[start:end]
		if w.next() == '"' {
			if start, end, ok = w.str(); ok {
				o.read(key, (*w.in)[start:end], finding{in: w.in, start: start, end: end})
			}
		} else {
			ok = w.value(key, depth+1)
		}
		if !ok {
			return false
		}
		switch w.next() {
		case ',':
			w.pos++
		case '}':
			w.pos++
			w.finder.object(o, under)
			return w.room > 0
		default:
			return false
		}
	}
}

func (w *walker) array(under string, depth int) bool {
	w.pos++ // the bracket
	if w.next() == ']' {
		w.pos++
		return true
	}
	for {
		if !w.value(under, depth+1) {
			return false
		}
		switch w.next() {
		case ',':
			w.pos++
		case ']':
			w.pos++
			return true
		default:
			return false
		}
	}
}

// str takes a string and returns where it lies between its quotes.
func (w *walker) str() (start, end int, ok bool) {
	text := *w.in
	start = w.pos + 1
	for at := start; ; at++ {
		i := strings.IndexByte(text[at:], '"')
		if i < 0 {
			return 0, 0, false
		}
		at += i
		slashes := 0
		for at-slashes > start && text[at-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			w.pos = at + 1
			return start, at, true
		}
	}
}

// literal takes a number or a word.
func (w *walker) literal() bool {
	i := strings.IndexAny((*w.in)[w.pos:], ",]} \t\r\n")
	if i <= 0 {
		return false
	}
	w.pos += i
	return true
}

// skip takes an object or array without looking into it.
func (w *walker) skip() bool {
	text := *w.in
	for open := 0; w.pos < len(text); {
		switch text[w.pos] {
		case '"':
			if _, _, ok := w.str(); !ok {
				return false
			}
			continue
		case '{', '[':
			open++
		case '}', ']':
			open--
		}
		w.pos++
		if open == 0 {
			return true
		}
	}
	return false
}
