package evaluation

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// step is one of a path: a member, an element, or all of them.
type step struct {
	name  string
	index int
	kind  stepKind
}

type stepKind int

const (
	member stepKind = iota
	element
	all
)

// parsePath reads a JSON path: $ with .name, ['name'], [0], [-1], .* and [*] behind it. Nothing is the root.
func parsePath(text string) ([]step, error) {
	if text == "" {
		return nil, nil
	}
	if len(text) > maxPath {
		return nil, fmt.Errorf("must not be longer than %d bytes", maxPath)
	}
	rest, ok := strings.CutPrefix(text, "$")
	if !ok {
		return nil, errors.New("must begin with $")
	}
	var steps []step
	for rest != "" {
		var s step
		var err error
		if s, rest, err = nextStep(rest); err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, nil
}

func nextStep(text string) (s step, rest string, err error) {
	if name, ok := strings.CutPrefix(text, "."); ok {
		end := strings.IndexAny(name, ".[")
		if end < 0 {
			end = len(name)
		}
		switch name[:end] {
		case "":
			return s, "", errors.New("has no name behind a dot; there are only $, .name, ['name'], [0], .* and [*]")
		case "*":
			return step{kind: all}, name[end:], nil
		}
		return step{name: name[:end]}, name[end:], nil
	}
	inside, ok := strings.CutPrefix(text, "[")
	if !ok {
		return s, "", fmt.Errorf("cannot be read at %q", text)
	}
	if inside != "" && (inside[0] == '\'' || inside[0] == '"') {
		name, rest, ok := strings.Cut(inside[1:], inside[:1]+"]")
		if !ok {
			return s, "", errors.New("has a quotation mark that is not closed")
		}
		return step{name: name}, rest, nil
	}
	number, rest, ok := strings.Cut(inside, "]")
	if !ok {
		return s, "", errors.New("has a bracket that is not closed")
	}
	if number == "*" {
		return step{kind: all}, rest, nil
	}
	index, err := strconv.Atoi(number)
	if err != nil {
		return s, "", fmt.Errorf("has %q in brackets, which is no number, *, or quoted name", number)
	}
	return step{kind: element, index: index}, rest, nil
}

// follow finds what lies behind the steps. With a star there is a list of everything found, else the one thing, if it is there.
func follow(value any, steps []step) (found any, ok bool) {
	if len(steps) == 0 {
		return value, true
	}
	s, rest := steps[0], steps[1:]
	switch v := value.(type) {
	case map[string]any:
		if s.kind == member {
			next, there := v[s.name]
			if !there {
				return nil, false
			}
			return follow(next, rest)
		}
	case []any:
		if s.kind == element {
			index := s.index
			if index < 0 {
				index += len(v)
			}
			if index < 0 || index >= len(v) {
				return nil, false
			}
			return follow(v[index], rest)
		}
		if s.kind == all {
			list := []any{}
			for _, each := range v {
				if next, there := follow(each, rest); there {
					list = append(list, next)
				}
			}
			return list, true
		}
	}
	if object, isObject := value.(map[string]any); isObject && s.kind == all {
		list := []any{}
		for _, name := range sortedKeys(object) {
			if next, there := follow(object[name], rest); there {
				list = append(list, next)
			}
		}
		return list, true
	}
	return nil, false
}
