package chstore

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/sondehq/sonde/internal/fault"
)

//go:embed sql_functions.txt
var sqlFunctionsText string

// sqlFunctions are those that people may call. What is not here may read files, ask servers or tell of the machine: the embedded engine
// lets every user call such functions, whatever its grants.
var sqlFunctions = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for name := range strings.FieldsSeq(sqlFunctionsText + sqlWords) {
		known[name] = true
	}
	return known
})

// sqlWords are keywords and types that a parenthesis may follow.
const sqlWords = ` select from where and or not in on using over by as case when then else end having union all distinct join left right inner full
	cross any semi anti asof array limit offset with values between like ilike is exists interval except intersect group order prewhere qualify
	global rows range filter cast extract columns replace ties recursive rollup cube sets grouping window partition
	decimal decimal32 decimal64 decimal128 datetime datetime64 date fixedstring nullable map tuple enum8 enum16 string lowcardinality nested
	int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 bool uuid `

// sqlDenied are words that nobody needs and that change how a query runs, or lead elsewhere.
var sqlDenied = map[string]string{
	"settings": "settings cannot be changed", "system": "only observations, texts, scores and traces can be asked",
	"information_schema": "only observations, texts, scores and traces can be asked", "file": "files cannot be read",
	"apply": "APPLY is not supported; name the columns", "outfile": "results cannot be written to files",
}

// sqlCombinators may stand behind the name of an aggregate function.
var sqlCombinators = []string{"if", "array", "distinct", "ornull", "ordefault", "foreach", "map"}

// checkSQL refuses with fault.Invalid a text that is not one expression between our parentheses, or calls what it may not. Where it reads a
// text otherwise than the engine, it takes more of it for code, never less.
func checkSQL(text string) error {
	refuse := func(format string, args ...any) *fault.Fault { return fault.Invalidf("query", format, args...) }
	depth := 0
	for rest := text; rest != ""; {
		token, kind, next := nextToken(rest)
		rest = next
		switch {
		case kind == brokenToken:
			return refuse("has a quote or a comment without an end, or a character that is none of SQL's: %.20q", token)
		case kind == signToken && token == "(":
			depth++
		case kind == signToken && token == ")":
			if depth--; depth < 0 {
				return refuse("closes a parenthesis that it has not opened")
			}
		case kind == signToken && token == ";":
			return refuse("must be one SELECT")
		case kind == wordToken:
			name := strings.ToLower(token)
			if why, denied := sqlDenied[name]; denied {
				return refuse("must not have the word %s: %s", token, why)
			}
			if called(rest) && !mayCall(name) {
				return refuse("must not call %s", token).Hint("it is no function, or none that is safe here")
			}
		}
	}
	if depth != 0 {
		return refuse("has a parenthesis without an end")
	}
	return nil
}

func mayCall(name string) bool {
	for {
		if sqlFunctions()[name] {
			return true
		}
		shorter := name
		for _, suffix := range sqlCombinators {
			if base, ok := strings.CutSuffix(name, suffix); ok && len(base) > 1 {
				shorter = base
				break
			}
		}
		if shorter == name {
			return false
		}
		name = shorter
	}
}

// called reports whether the next thing is a parenthesis.
func called(rest string) bool {
	for rest != "" {
		token, kind, next := nextToken(rest)
		if kind != blankToken {
			return kind == signToken && token == "("
		}
		rest = next
	}
	return false
}

type tokenKind int

const (
	blankToken  tokenKind = iota // spaces and comments
	wordToken                    // a name, in quotes or not
	textToken                    // in single quotes
	signToken                    // one character, or a number
	brokenToken                  // what we do not read
)

// nextToken cuts the first token off. Of a name in quotes it returns what is between them.
func nextToken(s string) (token string, kind tokenKind, rest string) {
	c := s[0]
	switch {
	case strings.HasPrefix(s, "--"):
		end := strings.IndexAny(s, "\r\n")
		if end < 0 {
			return s, blankToken, ""
		}
		return s[:end], blankToken, s[end:]
	case strings.HasPrefix(s, "/*"):
		end := strings.Index(s[2:], "*/")
		if end < 0 {
			return s, brokenToken, ""
		}
		return s[:end+4], blankToken, s[end+4:]
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		return s[:1], blankToken, s[1:]
	case c == '\'' || c == '"' || c == '`':
		return quoted(s)
	case isNameByte(c):
		end := 1
		for end < len(s) && isNameByte(s[end]) {
			end++
		}
		return s[:end], wordToken, s[end:]
	case c < ' ' || c > '~' || strings.IndexByte("$#\\@{}", c) >= 0: // here-documents, comments of another sort, quotes of books, parameters
		return s, brokenToken, ""
	}
	return s[:1], signToken, s[1:]
}

func isNameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// quoted cuts off what is in quotes. A backslash takes the next byte along; a doubled quote is two texts for us, which is the same.
func quoted(s string) (token string, kind tokenKind, rest string) {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if s[0] != '\'' {
				return s, brokenToken, "" // a name has none, and could hide what it is
			}
			i++
		case s[0]:
			if s[0] == '\'' {
				return s[:i+1], textToken, s[i+1:]
			}
			return s[1:i], wordToken, s[i+1:]
		}
	}
	return s, brokenToken, ""
}
