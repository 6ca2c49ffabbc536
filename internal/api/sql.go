package api

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

const sqlPath = "/api/public/sql"

// sqlRoutes answer queries that people write.
func (s *server) sqlRoutes() []route {
	return []route{{method: http.MethodPost, path: sqlPath, handle: s.sql, role: sqlNode, needs: model.ScopeRead, least: model.Viewer}}
}

// maxSQLBody leaves room for a query as a JSON text.
const maxSQLBody = 4 * tracestore.MaxSQL

type sqlBody struct {
	Query  string `json:"query"`
	Format string `json:"format"`
}

// sqlForms are how rows are written, by the name of the form.
var sqlForms = map[string]struct {
	kind string
	make func(io.Writer) sqlRows
}{
	"json":  {jsonType, func(w io.Writer) sqlRows { return &jsonRows{out: w} }},
	"jsonl": {"application/x-ndjson", func(w io.Writer) sqlRows { return jsonLines{w} }},
	"csv":   {"text/csv; charset=utf-8", func(w io.Writer) sqlRows { return &csvRows{out: csv.NewWriter(w)} }},
}

// sqlRows writes rows that come as JSON objects.
type sqlRows interface {
	row(object []byte) error
	end() error
}

// sql serves POST /api/public/sql. Rows are sent as they come: an error behind the first cuts the connection.
func (s *server) sql(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	body := sqlBody{Format: "json"}
	if err := readExactly(w, r, maxSQLBody, &body, "a query"); err != nil {
		return err
	}
	form, ok := sqlForms[body.Format]
	if !ok {
		return fault.Invalidf("format", "must be json, jsonl or csv")
	}
	var rows sqlRows
	begin := func() {
		if rows == nil {
			w.Header().Set("Content-Type", form.kind)
			w.Header().Set("Cache-Control", "no-store")
			w.WriteHeader(http.StatusOK)
			rows = form.make(w)
		}
	}
	err := s.SQL.Query(r.Context(), caller.Project.ID, body.Query, func(row []byte) error {
		begin()
		return rows.row(row)
	})
	if err != nil {
		return err
	}
	begin()
	return rows.end()
}

// jsonRows is an object with all rows.
type jsonRows struct {
	out  io.Writer
	sent bool
}

func (j *jsonRows) row(object []byte) error {
	before := ","
	if !j.sent {
		before, j.sent = `{"data":[`, true
	}
	_, err := j.out.Write(append([]byte(before), object...))
	return err
}

func (j *jsonRows) end() error {
	text := "]}\n"
	if !j.sent {
		text = `{"data":[]}` + "\n"
	}
	_, err := io.WriteString(j.out, text)
	return err
}

// jsonLines has a row in each line.
type jsonLines struct{ out io.Writer }

func (j jsonLines) row(object []byte) error {
	_, err := j.out.Write(append(bytes.Clone(object), '\n'))
	return err
}

func (jsonLines) end() error { return nil }

// csvRows is RFC 4180 with a line of names. Null is an empty field; lists and objects are JSON.
type csvRows struct {
	out   *csv.Writer
	named bool
}

func (c *csvRows) row(object []byte) error {
	names, values, err := membersOf(object)
	if err != nil {
		return err
	}
	if !c.named {
		c.named = true
		if err := c.out.Write(names); err != nil {
			return err
		}
	}
	return c.out.Write(values)
}

func (c *csvRows) end() error {
	c.out.Flush()
	return c.out.Error()
}

// membersOf are the names and values of an object, in their order.
func membersOf(object []byte) (names, values []string, err error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return nil, nil, err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, nil, err
		}
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return nil, nil, err
		}
		text, value := "", string(raw)
		switch {
		case value == "null":
			value = ""
		case json.Unmarshal(raw, &text) == nil:
			value = text
		}
		names, values = append(names, name.(string)), append(values, value)
	}
	return names, values, nil
}
