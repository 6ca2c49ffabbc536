package chstore

import (
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go/proto"
)

// params collects values that travel beside the SQL text, never inside it.
type params struct {
	list []proto.Parameter
}

// text binds a string and returns its placeholder.
func (p *params) text(value string) string { return p.bind("String", escapeTSV(value)) }

// texts binds a list of strings and returns its placeholder.
func (p *params) texts(values []string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\'')
		b.WriteString(escapeQuoted(v))
		b.WriteByte('\'')
	}
	b.WriteByte(']')
	return p.bind("Array(String)", b.String())
}

// uints binds a list of numbers and returns its placeholder.
func (p *params) uints(values []uint64) string {
	list := []byte{'['}
	for i, v := range values {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendUint(list, v, 10)
	}
	return p.bind("Array(UInt64)", string(append(list, ']')))
}

// micros binds a time in microseconds and returns an expression of the columns' type.
func (p *params) micros(us int64) string {
	return "fromUnixTimestamp64Micro(" + p.bind("Int64", strconv.FormatInt(us, 10)) + ", 'UTC')"
}

// float binds a number. It travels as text: the engine would read a parameter of type Float64 not quite
// precisely, whatever its settings.
func (p *params) float(value float64) string {
	return "toFloat64(" + p.text(strconv.FormatFloat(value, 'g', -1, 64)) + ")"
}

func (p *params) bind(kind, value string) string {
	name := "p" + strconv.Itoa(len(p.list))
	p.list = append(p.list, proto.Parameter{Key: name, Value: "'" + escapeQuoted(value) + "'"})
	return "{" + name + ":" + kind + "}"
}

// The engine reads a parameter twice: as a quoted literal, then by its type: a string as
// tab-separated text, the strings of an array as quoted literals again.
var (
	quotedEscapes = strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	tsvEscapes    = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\b", `\b`, "\f", `\f`, "\x00", `\0`)
)

func escapeQuoted(s string) string { return quotedEscapes.Replace(s) }
func escapeTSV(s string) string    { return tsvEscapes.Replace(s) }
