package chstore

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/tracestore"
)

// sqlAtOnce is how many queries that people write run at once.
const sqlAtOnce = 2

//go:embed sql_views.sql
var sqlViewsText string

var sqlViews = template.Must(template.New("sql_views.sql").Parse(sqlViewsText))

// people asks what people write, under a user that can see nothing but its views.
type people struct {
	*pool
	database string
}

func newPeople(config Config) (*people, error) {
	if config.SQLAddress == "" {
		return nil, nil
	}
	options, err := parseAddress(config.SQLAddress)
	if err != nil {
		return nil, err
	}
	p := newPool(options, sqlAtOnce) // without settings: that user may change none
	p.maxRows, p.once = config.ReadRows, true
	return &people{p, options.Database}, nil
}

// createViews makes the views that people see, anew at every start: they are no data.
func (s *Store) createViews(ctx context.Context, options ch.Options, node *pool) error {
	if s.people == nil {
		return nil
	}
	own := options
	own.Database = s.people.database
	if err := createDatabase(ctx, own); err != nil {
		return err
	}
	alive := hiddenBy("true", tracestore.TraceTombstone)
	var text bytes.Buffer
	err := sqlViews.Execute(&text, map[string]string{
		"Views": s.people.database, "Tables": options.Database, "Definer": s.people.options.User + "_rows",
		"AliveTrace": strings.ReplaceAll(alive.alive("trace_id", "version"), "FROM tombstones", "FROM "+options.Database+".tombstones"),
		"AliveScore": strings.ReplaceAll(hiddenBy("true", tracestore.ScoreTombstone).alive("id", "version"), "FROM tombstones", "FROM "+options.Database+".tombstones"),
	})
	if err != nil {
		return err
	}
	for statement := range strings.SplitSeq(text.String(), ";\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if err := node.do(ctx, ch.Query{Body: statement}); err != nil {
			return fmt.Errorf("create a view for SQL: %w", err)
		}
	}
	return nil
}

// Query implements tracestore.SQL.
//
// What holds the promise is the user, not the text: it may read the views and nothing else, change no setting, and the views read in the
// name of one whose rows are filtered by the id of the query before any other condition is looked at. Grants do not cover functions that
// read files or tell of the machine, so checkSQL lets through those that are known to be harmless. The text is put into a SELECT of ours
// only to have every row as JSON.
func (s *Store) Query(ctx context.Context, projectID, text string, each func(row []byte) error) error {
	if s.people == nil {
		return fault.New(fault.NotFound, "This server answers no SQL").Hint("its operator can allow it; see docs/operate/sql.md")
	}
	if len(text) > tracestore.MaxSQL || strings.TrimSpace(text) == "" || strings.ContainsRune(text, 0) {
		return fault.Invalidf("query", "must be one SELECT of at most %d bytes", tracestore.MaxSQL)
	}
	text = strings.TrimRight(strings.TrimSpace(text), "; \t\r\n")
	if err := checkSQL(text); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	leave, err := s.reads.turns.take(ctx, projectID)
	if err != nil {
		return err
	}
	defer leave()
	var row proto.ColStr
	err = s.people.do(ctx, ch.Query{
		QueryID: "sonde-sql-" + strings.ToUpper(hex.EncodeToString([]byte(projectID))) + "-" + rand.Text(),
		Body:    "SELECT CAST(formatRow('JSONEachRow', *), 'String') AS row FROM (\n" + text + "\n)",
		Result:  proto.Results{{Name: "row", Data: &row}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range row.Rows() {
				if err := each(bytes.TrimRight(row.RowBytes(i), "\n")); err != nil {
					return err
				}
			}
			return nil
		},
	})
	return sqlError(err)
}

// sqlError says what is wrong with a text in the engine's words, which know only what the user may see.
func sqlError(err error) error {
	if err == nil {
		return nil
	}
	err = readError("answer SQL", err)
	exception, ok := ch.AsException(err)
	if !ok || errors.Is(err, tracestore.ErrTooExpensive) || fault.Is(err, fault.Unavailable) {
		return err
	}
	message, _, _ := strings.Cut(exception.Message, " Stack trace:")
	const longest = 500
	if len(message) > longest {
		message = strings.ToValidUTF8(message[:longest], "") + "…"
	}
	return fault.New(fault.Invalid, "%s", strings.TrimSpace(message)).
		Hint("ask one SELECT over observations, texts, scores and traces; see docs/operate/sql.md").Because(err)
}
