package chstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// foreign is what only the other project has.
const foreign = "zqxsecret"

var sqlNoon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// sqlStore has rows of two projects, in the same granules.
func sqlStore(t testing.TB) *chstore.Store {
	t.Helper()
	address := testkit.Engine(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	u.User, u.Path = url.UserPassword(engine.SQL, password), "/"+engine.SQLDatabase
	store, err := chstore.Open(chstore.Config{Nodes: []string{address}, SQLAddress: u.String(), ReadWithin: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	for range 2 { // every start makes the views again
		if err := store.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var rows []*model.Observation
	var scores []*model.Score
	for i := range 20 {
		for project, text := range map[string]string{"own": "mine", "other": foreign} {
			at := sqlNoon.Add(time.Duration(i) * time.Millisecond)
			rows = append(rows, &model.Observation{
				ProjectID: project, TraceID: text + "-trace", ID: fmt.Sprint(text, i), StartTime: at, EndTime: at.Add(time.Second), Type: model.Generation,
				Name: text, UserID: text, SessionID: text, Input: text + " input", Output: text + " output", Environment: "default",
				Metadata: []model.MetadataEntry{{Name: "k", Value: text, Type: model.MetadataString}}, Version: model.RowVersion(at, 0),
			})
			scores = append(scores, &model.Score{
				ProjectID: project, ID: fmt.Sprint(text, i), TraceID: text + "-trace", Name: text, Type: model.Numeric, Source: model.FromAPI, Number: float64(i),
				Timestamp: at, CreatedAt: at, Version: model.RowVersion(at, 0), Comment: text,
			})
		}
	}
	if err := store.Insert(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	if err := store.InsertScores(t.Context(), scores); err != nil {
		t.Fatal(err)
	}
	return store
}

// asked runs a query for a project and returns its rows.
func asked(t testing.TB, store tracestore.SQL, project, text string) ([]string, error) {
	t.Helper()
	var rows []string
	err := store.Query(t.Context(), project, text, func(row []byte) error {
		rows = append(rows, string(row))
		return nil
	})
	return rows, err
}

func TestSQL(t *testing.T) {
	t.Parallel()
	store := sqlStore(t)
	for text, want := range map[string][]string{
		"SELECT count() AS n FROM observations":                               {`{"n":20}`},
		"select id, name from observations order by start_time desc limit 2;": {`{"id":"mine19","name":"mine"}`, `{"id":"mine18","name":"mine"}`},
		"SELECT input FROM texts WHERE id = 'mine3' -- a comment":             {`{"input":"mine input"}`},
		"SELECT sum(number_value) AS s FROM scores":                           {`{"s":190}`},
		"SELECT id, observations, root_name, user_id FROM traces":             {`{"id":"mine-trace","observations":20,"root_name":"mine","user_id":"mine"}`},
		"WITH x AS (SELECT * FROM observations) SELECT o.id AS id, t.output AS output FROM x AS o JOIN texts AS t ON t.id = o.id AND t.trace_id = o.trace_id WHERE o.id = 'mine1'": {`{"id":"mine1","output":"mine output"}`},
		"SELECT metadata['k'] AS k FROM observations LIMIT 1": {`{"k":"mine"}`},
		"SELECT 1 AS one WHERE 0":                             nil,
	} {
		got, err := asked(t, store, "own", text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s = %q, %v, want %q", text, got, err, want)
		}
	}
	if got, err := asked(t, store, "other", "SELECT DISTINCT name FROM observations"); err != nil || !slices.Equal(got, []string{`{"name":"` + foreign + `"}`}) {
		t.Errorf("the other project sees %q, %v", got, err)
	}
	if got, err := asked(t, store, "nobody", "SELECT * FROM observations"); err != nil || len(got) != 0 {
		t.Errorf("a project without rows sees %q, %v", got, err)
	}
	// What is deleted is gone at once.
	if err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{{ProjectID: "own", Kind: tracestore.TraceTombstone, ID: "mine-trace", Version: model.RowVersion(sqlNoon.Add(time.Hour), 0)}}); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"observations", "texts", "scores", "traces"} {
		if got, err := asked(t, store, "own", "SELECT * FROM "+table); err != nil || len(got) != 0 {
			t.Errorf("%s after a delete: %q, %v", table, got, err)
		}
	}
}

// attacks try to see rows of another project, or anything of the server, or to change something.
var attacks = []string{
	"SELECT * FROM observations WHERE 1 = 1 OR 1 = 1", "SELECT * FROM observations UNION ALL SELECT * FROM observations",
	"SELECT * FROM sonde.observations", "SELECT * FROM sonde.payloads", "SELECT * FROM sonde.scores", "SELECT count() FROM sonde.tombstones", "SELECT * FROM sonde.sonde_migrations",
	"SELECT * FROM (SELECT * FROM sonde.observations)", "SELECT * FROM observations AS o JOIN sonde.observations AS p ON 1 = 1",
	"SELECT * FROM observations WHERE id IN (SELECT span_id FROM sonde.observations)", "SELECT (SELECT groupArray(input) FROM sonde.payloads)",
	"SELECT throwIf(name = 'zqxsecret', name) FROM observations", "SELECT * FROM observations WHERE throwIf(user_id = 'zqxsecret', 'zqx' || user_id) = 0",
	"SELECT * FROM observations WHERE toUInt64(user_id) = 1", "SELECT toUInt64(name) FROM observations", "SELECT * FROM texts WHERE toDate(input) > today()",
	"SELECT * FROM observations WHERE accurateCast(session_id, 'UInt8') > 0 OR NOT ignore(trace_id)",
	"SELECT * FROM remote('127.0.0.1', sonde.observations)", "SELECT * FROM remote('127.0.0.1:9000', 'sonde', 'observations', 'sonde', '')", "SELECT * FROM cluster('default', sonde.observations)",
	"SELECT * FROM file('/etc/passwd', 'LineAsString')", "SELECT * FROM file('*', 'RawBLOB')", "SELECT * FROM url('http://127.0.0.1:9464/metrics', 'LineAsString')",
	"SELECT * FROM s3('http://127.0.0.1/x', 'CSV')", "SELECT * FROM merge('sonde', '.*')", "SELECT * FROM merge('.*', 'observations')", "SELECT * FROM merge(REGEXP('.*'), 'payloads')",
	"SELECT * FROM executable('x', 'TSV', 'a String')", "SELECT * FROM sqlite('/x', 'y')", "SELECT * FROM postgresql('127.0.0.1:5432','a','b','c','d')", "SELECT * FROM input('a String')",
	"SELECT * FROM view(SELECT * FROM sonde.observations)", "SELECT * FROM viewIfPermitted(SELECT * FROM sonde.observations ELSE null('a String'))", "SELECT * FROM loop(sonde.observations)",
	"SELECT * FROM mergeTreeIndex(sonde, observations)", "SELECT * FROM mergeTreeProjection(sonde, observations, x)", "SELECT * FROM dictionary('x')", "SELECT dictGet('x', 'y', 1)",
	"SELECT * FROM system.tables", "SELECT * FROM system.columns", "SELECT * FROM system.query_log", "SELECT query FROM system.processes", "SELECT * FROM system.users", "SELECT * FROM system.row_policies",
	"SELECT * FROM system.parts", "SELECT * FROM system.settings_changes", "SELECT * FROM system.grants", "SELECT * FROM system.server_settings", "SELECT * FROM system.text_log",
	"SELECT * FROM information_schema.tables", "SELECT * FROM INFORMATION_SCHEMA.COLUMNS", "SHOW TABLES", "SHOW CREATE TABLE observations", "DESCRIBE observations", "EXPLAIN SELECT 1", "EXISTS TABLE x",
	"SELECT * FROM observations SETTINGS readonly = 0", "SELECT * FROM observations SETTINGS max_execution_time = 0", "SELECT 1 SETTINGS allow_introspection_functions = 1",
	"SET readonly = 0", "SELECT 1; SET readonly = 0", "SELECT 1; SELECT * FROM sonde.observations", "SELECT 1) UNION ALL SELECT input FROM (SELECT input FROM sonde.payloads",
	"SELECT 1) AS a, (SELECT input AS b FROM sonde.payloads LIMIT 1", "SELECT 1 /* ) */ FROM sonde.observations", "SELECT 1 -- )\n FROM sonde.observations", "SELECT 1 # )\n FROM sonde.scores",
	"SELECT * FROM observations INTO OUTFILE 'x'", "SELECT * FROM observations FORMAT JSON", "SELECT 1 INTO OUTFILE 'x' FORMAT TSV",
	"INSERT INTO observations VALUES (1)", "INSERT INTO FUNCTION file('x') SELECT 1", "CREATE TABLE x (a Int8) ENGINE = Memory", "CREATE TEMPORARY TABLE x AS SELECT 1", "CREATE VIEW v AS SELECT 1",
	"DROP VIEW observations", "DROP TABLE sonde.observations", "ALTER TABLE sonde.observations DELETE WHERE 1", "TRUNCATE TABLE sonde.scores", "OPTIMIZE TABLE sonde.observations", "KILL QUERY WHERE 1",
	"GRANT ALL ON *.* TO sonde_sql", "CREATE USER x", "CREATE FUNCTION f AS (x) -> x", "SYSTEM SHUTDOWN", "SYSTEM FLUSH LOGS", "USE sonde", "ATTACH TABLE x", "BACKUP TABLE sonde.observations TO Disk('a', 'b')", "EXECUTE AS sonde SELECT 1",
	"SELECT getSetting('readonly'), initialQueryID() FROM sonde.observations", "SELECT hasColumnInTable('sonde', 'observations', 'input') FROM sonde.observations", "SELECT joinGet('sonde.x', 'y', 1)",
	"SELECT * FROM observations WHERE id = (SELECT toString(groupArray(id)) FROM scores WHERE name = 'zqxsecret')", "SELECT currentUser(), * FROM sonde_sql.observations PREWHERE name = 'zqxsecret'",
	"SELECT * FROM observations FINAL", "SELECT * FROM observations SAMPLE 1", "SELECT _part, * FROM observations", "SELECT * FROM {x:Identifier}", "SELECT file('/etc/passwd')", "SELECT addressToLine(1)", "SELECT catboostEvaluate('/x', 1)", "SELECT `file`('/etc/passwd')", "SELECT \"file\" ('/etc/passwd')", "SELECT file/**/('/etc/passwd')", "SELECT * APPLY(file) FROM observations", "SELECT FILE('/etc/passwd')",
	"SELECT 'a\\' , file('/etc/passwd') --'", "SELECT 'a'' , file('/etc/passwd') --'", "SELECT $a$ ' $a$, file('/etc/passwd')", "SELECT ‘a’, file('/etc/passwd')", "SELECT `fi\\x6ce`('/etc/passwd')", "SELECT reverseDNSQuery('127.0.0.1')",
	"SELECT getServerSetting('path')", "SELECT hostName()", "SELECT getMacro('x')", "SELECT `fileIf`('/etc/passwd')", "SELECT 1 # '\n, file('/etc/passwd')",
	"SELECT * FROM observations WHERE project_id = 'other'", "SELECT project_id FROM observations", "", ";", "\x00", "SELECT '\xff'", strings.Repeat("(", 500) + "SELECT 1" + strings.Repeat(")", 500),
}

// leaked is what a text or an error says of others.
func leaked(text, sent string) bool {
	text = strings.ReplaceAll(text, sent, "")
	return strings.Contains(text, foreign+"-") || strings.Contains(text, foreign+" ") || strings.Contains(text, `"`+foreign) || strings.Contains(text, "'"+foreign) && !strings.Contains(sent, foreign) ||
		strings.Contains(text, "root:x:") || strings.Contains(text, "sonde_http_requests")
}

func TestSQLShowsNothingOfOthers(t *testing.T) {
	t.Parallel()
	store := sqlStore(t)
	for _, text := range attacks {
		rows, err := asked(t, store, "own", text)
		if answer := strings.Join(rows, "\n"); leaked(answer, text) || err != nil && leaked(err.Error(), text) {
			t.Errorf("%q shows %q, %v", text, answer, err)
		}
		if err == nil && (strings.Contains(text, "sonde.") || strings.Contains(text, "system.") || strings.Contains(strings.ToLower(text), "information_schema.") || strings.Contains(text, "readonly = 0")) {
			t.Errorf("%q is answered: %q", text, rows)
		}
		if err != nil && !fault.Is(err, fault.Invalid) && !errors.Is(err, tracestore.ErrTooExpensive) {
			t.Errorf("%q = %v", text, err)
		}
	}
	// Project ids that look like something else are themselves.
	for _, project := range []string{"", "other-", "oth%r", "own' OR project_id = 'other", "6F", "-", "own\x00other", "*", "6F74686572"} {
		if rows, err := asked(t, store, project, "SELECT name FROM observations"); len(rows) > 0 {
			t.Errorf("project %q sees %q, %v", project, rows, err)
		}
	}
	// Nothing was changed by all of it.
	for project, name := range map[string]string{"own": "mine", "other": foreign} {
		want := []string{`{"n":20,"name":"` + name + `"}`}
		if rows, err := asked(t, store, project, "SELECT count() AS n, any(name) AS name FROM observations"); err != nil || !slices.Equal(rows, want) {
			t.Errorf("%s afterwards: %q, %v", project, rows, err)
		}
	}
}

// What takes too much ends, with words that say so, and leaves the store well.
func TestSQLIsBounded(t *testing.T) {
	t.Parallel()
	store := sqlStore(t)
	for _, text := range []string{
		"SELECT sleep(3)", "SELECT sleepEachRow(1) FROM observations",
		"SELECT count() FROM observations a, observations b, observations c, observations d, observations e, observations f, observations g, observations h",
		"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
		"SELECT arrayJoin(range(1000000000))", "SELECT repeat('x', 1000000000)", "SELECT groupArray(a.id) FROM observations a, observations b, observations c, observations d, observations e, observations f",
		"SELECT a.id FROM observations a, observations b, observations c, observations d",
	} {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		bytes := 0
		err := store.Query(ctx, "own", text, func(row []byte) error { bytes += len(row); return nil })
		cancel()
		if err == nil || time.Since(began) > 50*time.Second || bytes > 128<<20 {
			t.Errorf("%s: %v after %v and %d bytes", text, err, time.Since(began), bytes)
		}
	}
	if rows, err := asked(t, store, "own", "SELECT count() AS n FROM observations"); err != nil || len(rows) != 1 {
		t.Errorf("afterwards: %q, %v", rows, err)
	}
}

func TestNoSQLUnlessAllowed(t *testing.T) {
	t.Parallel()
	store, err := chstore.Open(chstore.Config{Nodes: []string{"clickhouse://127.0.0.1:1/x"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	if _, err := asked(t, store, "own", "SELECT 1"); !fault.Is(err, fault.NotFound) {
		t.Errorf("Query = %v", err)
	}
}

// Whatever is sent, only rows of the own project come back.
func FuzzSQL(f *testing.F) {
	for _, text := range attacks {
		f.Add(text)
	}
	store := sqlStore(f)
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := asked(t, store, "own", text)
		for _, row := range rows {
			if leaked(row, text) || !json.Valid([]byte(row)) && strings.ToValidUTF8(row, "") == row {
				t.Errorf("%q shows %q", text, row)
			}
		}
		if err != nil && leaked(err.Error(), text) {
			t.Errorf("%q says %v", text, err)
		}
	})
}
