package sqlstore

import (
	"strconv"
	"strings"
)

// conditions are those that a query has this time, with their values.
type conditions struct {
	all  []string
	args []any
}

// bind adds a value and returns what stands for it in the text.
func (c *conditions) bind(value any) string {
	c.args = append(c.args, value)
	return "$" + strconv.Itoa(len(c.args))
}

func (c *conditions) add(text ...string) { c.all = append(c.all, text...) }

// where is the clause, empty without conditions.
func (c *conditions) where() string {
	if len(c.all) == 0 {
		return ""
	}
	return ` WHERE ` + strings.Join(c.all, " AND ")
}
