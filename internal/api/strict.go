package api

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
)

// maxNamedMember cuts names of members in messages: a client may send anything as one.
const maxNamedMember = 100

// readExactly reads a small body into a struct and refuses members that the struct does not have, in exactly the
// letters it has them; what says what object it should be.
func readExactly(w http.ResponseWriter, r *http.Request, limit int64, into any, what string) error {
	var members map[string]json.RawMessage
	if err := readJSON(w, r, limit, &members, what); err != nil {
		return err
	}
	return exactly(members, into, what)
}

// exactly fills a struct with members as readExactly does.
func exactly(members map[string]json.RawMessage, into any, what string) error {
	known, kind := []string{}, reflect.TypeOf(into).Elem()
	for field := range kind.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		known = append(known, name)
	}
	for name := range members {
		if !slices.Contains(known, name) {
			return unknown(name, known)
		}
	}
	text, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		kind, _, _ := strings.Cut(wrong.Value, " ") // behind it is what was sent, and that may be secret
		return fault.Invalidf(wrong.Field, "must not be a JSON %s", kind)
	}
	if err != nil {
		return fault.New(fault.Invalid, "The request body is no JSON object of %s", what).Because(err)
	}
	return nil
}

func unknown(name string, known []string) error {
	if len(name) > maxNamedMember {
		name = strings.ToValidUTF8(name[:maxNamedMember], "") + "..."
	}
	return fault.Invalidf(name, "is not known").Hint("send " + strings.Join(known, ", ") + " only")
}

// nothingBut refuses parameters other than these.
func (p *params) nothingBut(names ...string) {
	for name := range p.values {
		if !slices.Contains(names, name) {
			p.issues = append(p.issues, unknown(name, names))
		}
	}
}

// listPart reads which part of a list that the database pages is wanted.
func (p *params) listPart() (page, limit int, part metastore.Range) {
	page, limit = p.page()
	if page-1 > math.MaxInt32/maxPage { // beyond the end of any list
		return page, limit, metastore.Range{Offset: math.MaxInt32, Limit: limit}
	}
	return page, limit, metastore.Range{Offset: (page - 1) * limit, Limit: limit}
}
