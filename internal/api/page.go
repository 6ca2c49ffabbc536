package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/sondehq/sonde/internal/fault"
)

// maxPage is the largest page of lists that have numbered ones.
const maxPage = 100

type pageMeta struct {
	Page       int `json:"page"`
	Limit      int `json:"limit"`
	TotalItems int `json:"totalItems"`
	TotalPages int `json:"totalPages"`
}

// page reads which page of a list is wanted.
func (p *params) page() (page, limit int) {
	page, limit = p.number("page", 1), p.number("limit", 50)
	if page < 1 {
		p.invalid("page", "must be at least 1")
	}
	if limit < 1 || limit > maxPage {
		p.invalid("limit", "must be between 1 and %d", maxPage)
	}
	return page, limit
}

// metaOf describes a page of a list with so many rows.
func metaOf(page, limit, count int) pageMeta {
	return pageMeta{Page: page, Limit: limit, TotalItems: count, TotalPages: (count + limit - 1) / limit}
}

// pageOf cuts a page out of a whole list. One beyond the end is empty.
func pageOf[T any](all []T, page, limit int) ([]T, pageMeta) {
	meta := metaOf(page, limit, len(all))
	if page > meta.TotalPages { // a page far out must not overflow
		return nil, meta
	}
	return all[(page-1)*limit : min(page*limit, len(all))], meta
}

// readJSON reads a small body into an object; what says what object it should be.
func readJSON(w http.ResponseWriter, r *http.Request, limit int64, into any, what string) error {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return fault.New(fault.TooLarge, "The request body is larger than %d bytes", limit)
	}
	if err != nil {
		return fault.New(fault.Invalid, "Failed to read request body").Because(err)
	}
	return decodeJSON(text, into, what)
}

// decodeJSON reads an object of a body and names the member that does not fit.
func decodeJSON(body []byte, into any, what string) error {
	if string(bytes.TrimSpace(body)) == "null" { // would leave everything unset, as if an empty object was sent
		return fault.New(fault.Invalid, "The request body is no JSON object of %s", what)
	}
	err := json.Unmarshal(body, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return fault.Invalidf(wrong.Field, "must not be a JSON %s", wrong.Value)
	}
	if err != nil {
		return fault.New(fault.Invalid, "The request body is no JSON object of %s", what).Because(err)
	}
	return nil
}
