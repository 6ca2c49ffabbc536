package tracestoretest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// meetsSearch tests the words of a row one by one.
func meetsSearch(o *model.Observation, c filter.Search) (bool, error) {
	texts := map[filter.Column]string{filter.Input: o.Input, filter.Output: o.Output}
	for _, column := range c.In {
		text, ok := texts[column]
		if !ok {
			return false, fmt.Errorf("column %q cannot be searched", column)
		}
		ok, err := finds(text, c)
		if ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func finds(text string, c filter.Search) (bool, error) {
	switch c.Mode {
	case filter.Substring:
		return strings.Contains(filter.LowerASCII(text), filter.LowerASCII(c.Value)), nil
	case filter.Phrase:
		words, want := filter.WordsInOrder(filter.LowerASCII(text)), filter.WordsInOrder(filter.LowerASCII(c.Value))
		for i := range len(words) - len(want) + 1 {
			if slices.Equal(words[i:i+len(want)], want) {
				return true, nil
			}
		}
		return false, nil
	case filter.Regex:
		re, err := c.Regexp()
		return err == nil && re.MatchString(text), err
	default:
		return false, fmt.Errorf("unknown mode of search %d", c.Mode)
	}
}
