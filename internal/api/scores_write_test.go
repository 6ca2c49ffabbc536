package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
)

const (
	scoresPath  = "/api/public/scores"
	configsPath = "/api/public/score-configs"
)

func (f *fixture) post(t testing.TB, key, target, body string) answer {
	t.Helper()
	return f.send(t, request("POST", target, key, strings.NewReader(body)))
}

// bodies are the events that were handed to ingest, by kind and body.
func (f *fixture) bodies() (list []string) {
	for _, in := range f.ingest.events {
		for _, e := range in.Events {
			list = append(list, string(e.Kind)+" "+string(e.Body))
		}
	}
	return list
}

func TestOneScore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body   string
		status int
		want   string // of the answer
		kept   string
	}{
		"plain":         {`{"id":"sc","traceId":"t","name":"n","value":0.9}`, 200, `{"id":"sc"}`, `score {"id":"sc","name":"n","value":0.9,"traceId":"t"}`},
		"all":           {` {"id":"sc","traceId":"t","observationId":"o","name":"n","value":"x","dataType":"CATEGORICAL","comment":"c","queueId":"q","metadata":[1],"environment":"E","source":"API"}`, 200, `{"id":"sc"}`, `score {"id":"sc","name":"n","value":"x","dataType":"CATEGORICAL","traceId":"t","observationId":"o","comment":"c","queueId":"q","environment":"E","source":"API","metadata":[1]}`},
		"nulls":         {`{"id":null,"sessionId":"s","traceId":null,"observationId":null,"name":"n","value":1,"dataType":null,"comment":null,"metadata":null,"timestamp":null,"configId":null,"source":null}`, 200, `{"id":"`, ""},
		"unknown keys":  {`{"id":"sc","datasetRunId":"r","name":"n","value":1,"number":7,"x":{}}`, 200, `{"id":"sc"}`, `score {"id":"sc","name":"n","value":1,"datasetRunId":"r"}`},
		"empty id":      {`{"id":"","traceId":"t","name":"n","value":1}`, 200, `{"id":"`, ""},
		"twice":         {`{"id":"sc","traceId":"t","name":"n","value":1,"sessionId":"s","sessionId":null}`, 200, `{"id":"sc"}`, `score {"id":"sc","name":"n","value":1,"traceId":"t"}`},
		"no target":     {`{"name":"n","value":1}`, 400, `"message":"Invalid request data","error":[{"code":"invalid_value","path":["traceId"],`, ""},
		"no name":       {`{"traceId":"t","value":1}`, 400, `"path":["name"]`, ""},
		"boolean":       {`{"traceId":"t","name":"n","value":true,"dataType":"BOOLEAN"}`, 400, `"path":["value"],"message":"value expected 0 or 1"`, ""},
		"evaluation":    {`{"traceId":"t","name":"n","value":1,"source":"EVAL"}`, 400, `"path":["source"]`, ""},
		"NaN":           {`{"traceId":"t","name":"n","value":"NaN","dataType":"NUMERIC"}`, 400, `"path":["value"]`, ""},
		"untyped NaN":   {`{"id":"sc","traceId":"t","name":"n","value":"NaN"}`, 200, `{"id":"sc"}`, ""},
		"overflow":      {`{"traceId":"t","name":"n","value":1e999}`, 400, `"path":["value"]`, ""},
		"no offset":     {`{"traceId":"t","name":"n","value":1,"timestamp":"2026-05-01T10:00:00"}`, 400, `"path":["timestamp"]`, ""},
		"long id":       {`{"id":"` + strings.Repeat("x", 801) + `","traceId":"t","name":"n","value":1}`, 400, `"path":["id"]`, ""},
		"number":        {`7`, 400, `"error":"InvalidRequestError"`, ""},
		"nothing":       {``, 400, `"error":"InvalidRequestError"`, ""},
		"text":          {`"x"`, 400, `"error":"InvalidRequestError"`, ""},
		"broken":        {`{"name":`, 400, `"error":"InvalidRequestError"`, ""},
		"two":           {`{} {}`, 400, `"error":"InvalidRequestError"`, ""},
		"broken list":   {`[{},`, 400, `"error":"InvalidRequestError"`, ""},
		"too large":     {`{"name":"` + strings.Repeat("x", 5<<20) + `"}`, 413, `4718592`, ""},
		"one million":   {`{"id":"sc","traceId":"t","name":"n","value":1,"comment":"` + strings.Repeat("x", 1_000_000-62) + `"}`, 200, `{"id":"sc"}`, ""},
		"invalid UTF-8": {"{\"id\":\"sc\",\"traceId\":\"t\",\"name\":\"\xff\",\"value\":1}", 200, `{"id":"sc"}`, "score {\"id\":\"sc\",\"name\":\"\uFFFD\",\"value\":1,\"traceId\":\"t\"}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			a := f.post(t, keyA, scoresPath, c.body)
			if a.status != c.status || !strings.Contains(a.body, c.want) {
				t.Errorf("status %d: %.300s", a.status, a.body)
			}
			kept := f.bodies()
			if (len(kept) == 1) != (c.status == http.StatusOK) || c.kept != "" && kept[0] != c.kept {
				t.Errorf("kept %q", kept)
			}
		})
	}
}

func TestManyScores(t *testing.T) {
	t.Parallel()
	const good, other, bad = `{"id":"a","traceId":"t","name":"n","value":1}`, `{"id":"b","traceId":"t","name":"n","value":"x"}`, `{"id":"c","name":"n","value":1}`
	for name, c := range map[string]struct {
		body, want string
		status     int
		kept       int
	}{
		"all good": {"[" + good + "," + other + "]", `{"message":"Accepted"}`, 202, 2},
		"none":     {"[]", `{"message":"Accepted"}`, 202, 0},
		"mixed":    {"[" + good + "," + bad + "," + other + ",7]", `{"accepted":2,"rejected":2,"errors":[{"message":"score c: traceId: exactly one of traceId, sessionId and datasetRunId is needed"},{"message":"score unknown: body: expected an object"}]}`, 207, 2},
		"all bad":  {"[" + bad + "]", `{"accepted":0,"rejected":1,"errors":[{"message":"score c: `, 207, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			a := f.post(t, keyA, scoresPath, c.body)
			if a.status != c.status || !strings.HasPrefix(a.body, c.want) || len(f.bodies()) != c.kept {
				t.Errorf("status %d: %s, %d kept", a.status, a.body, len(f.bodies()))
			}
		})
	}
}

func TestWhoMayWriteScores(t *testing.T) {
	t.Parallel()
	const body = `{"id":"a","traceId":"t","name":"n","value":1}`
	for key, want := range map[string]int{keyA: 200, scoresOnly: 200, organizationKey: 403, "": 401, "Basic eHg6eXk=": 401} {
		f := newFixture(t)
		if a := f.post(t, key, scoresPath, body); a.status != want {
			t.Errorf("%q: status %d: %s", key, a.status, a.body)
		}
		if want == 200 && f.ingest.events[0].ProjectID != "project-a" {
			t.Errorf("scores of %s", f.ingest.events[0].ProjectID)
		}
	}
	for key, want := range map[string]int{keyA: 202, scoresOnly: 403, "": 401} {
		f := newFixture(t)
		if a := f.send(t, request("DELETE", scoresPath+"/sc", key, nil)); a.status != want {
			t.Errorf("delete with %q: status %d: %s", key, a.status, a.body)
		}
	}
	f := newFixture(t, func(c *api.Config) { c.NoIntake = true })
	if a := f.post(t, keyA, scoresPath, body); a.status != 404 {
		t.Errorf("status %d where nothing is taken", a.status)
	}
}

// Nothing is acknowledged that is not in the log.
func TestScoresThatCannotBeKept(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]int{fault.Unavailablef("the ingest log is full"): 503, errors.New("secret"): 500} {
		f := newFixture(t)
		f.ingest.err = err
		for _, a := range []answer{
			f.post(t, keyA, scoresPath, `{"traceId":"t","name":"n","value":1}`),
			f.post(t, keyA, scoresPath, `[{"traceId":"t","name":"n","value":1},{}]`),
			f.send(t, request("DELETE", scoresPath+"/sc", keyA, nil)),
		} {
			if a.status != want || strings.Contains(a.body, "secret") {
				t.Errorf("status %d: %s", a.status, a.body)
			}
		}
	}
}

func TestDeleteScore(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ingest.answer.Receipt = "receipt"
	a := f.send(t, request("DELETE", scoresPath+"/a%2Fb%25", keyA, nil))
	if a.status != 202 || strings.TrimSpace(a.body) != `{"message":"Score deletion queued successfully"}` || a.header.Get("X-Sonde-Receipt") != "receipt" {
		t.Errorf("status %d: %s", a.status, a.body)
	}
	if diff := cmp.Diff([]string{`score-delete {"id":"a/b%"}`}, f.bodies()); diff != "" {
		t.Error(diff)
	}
	if a := f.send(t, request("DELETE", scoresPath+"/"+strings.Repeat("x", 801), keyA, nil)); a.status != 400 {
		t.Errorf("status %d: %s", a.status, a.body)
	}
}

// scoreRows are the rows that each event handed to ingest makes alone.
func (f *fixture) scoreRows() (list []string) {
	for _, in := range f.ingest.events {
		for i := range in.Events {
			row, _ := partial.MergeScore("p", "id", in.Events[i:i+1])
			list = append(list, fmt.Sprint(row.Name, " ", row.Type, " ", row.Number, " ", row.Text))
		}
	}
	return list
}

func (f *fixture) config(t testing.TB, body string) string {
	t.Helper()
	a, got := f.call(t, "POST", configsPath, keyA, body)
	if a.status != 200 {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	return got["id"].(string)
}

func TestScoresAreHeldToTheirConfig(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	number := f.config(t, `{"name":"range","dataType":"NUMERIC","minValue":0,"maxValue":1}`)
	category := f.config(t, `{"name":"tone","dataType":"CATEGORICAL","categories":[{"label":"kind","value":1.5},{"label":"harsh","value":-2}]}`)
	boolean := f.config(t, `{"name":"yes","dataType":"BOOLEAN"}`)
	text := f.config(t, `{"name":"why","dataType":"TEXT"}`)
	archived := f.config(t, `{"name":"old","dataType":"TEXT"}`)
	if a, _ := f.call(t, "PATCH", configsPath+"/"+archived, keyA, `{"isArchived":true}`); a.status != 200 {
		t.Fatal(a.body)
	}
	for _, c := range []struct {
		config, rest string
		issue        string // empty: taken
		kept         string
	}{
		{number, `"value":0`, "", "range NUMERIC 0 "},
		{number, `"value":1,"dataType":"NUMERIC","source":"ANNOTATION"`, "", "range NUMERIC 1 "},
		{number, `"value":1.01`, "value: must be at most 1", ""},
		{number, `"value":-0.1`, "value: must be at least 0", ""},
		{number, `"value":"NaN"`, "value: expected a number", ""},
		{number, `"value":1,"dataType":"BOOLEAN"`, "dataType: the score config says NUMERIC", ""},
		{category, `"value":"kind"`, "", "tone CATEGORICAL 1.5 kind"},
		{category, `"value":"harsh","number":99`, "", "tone CATEGORICAL -2 harsh"},
		{category, `"value":"other"`, "value: none of the categories", ""},
		{category, `"value":1`, "value: expected text", ""},
		{boolean, `"value":1`, "", "yes BOOLEAN 1 True"},
		{boolean, `"value":2`, "value: expected 0 or 1", ""},
		{text, `"value":"because"`, "", "why TEXT 0 because"},
		{text, `"value":""`, "value: expected text of 1 to 500", ""},
		{text, `"value":"` + strings.Repeat("x", 501) + `"`, "value: expected text of 1 to 500", ""},
		{archived, `"value":"x"`, "configId: the score config is archived", ""},
		{"unknown", `"value":"x"`, "configId: no score config", ""},
	} {
		body := fmt.Sprintf(`{"id":"sc","traceId":"t","name":"mine","configId":%q,%s}`, c.config, c.rest)
		event := `{"id":"e","type":"score-create","timestamp":"2026-05-01T10:00:02Z","body":` + body + `}`
		f.ingest.events = nil
		one, many := f.post(t, keyA, scoresPath, body), f.post(t, keyA, scoresPath, "["+body+","+scoreBody+"]")
		legacy := f.ingest207(t, scoresOnly, batchOf(event, scoreEvent, event))
		kept := f.scoreRows()
		if c.issue == "" {
			if one.status != 200 || many.status != 202 || len(legacy.Successes) != 3 || len(kept) != 6 {
				t.Errorf("%s: %d %s, %d, %+v", body, one.status, one.body, many.status, legacy)
				continue
			}
			for _, at := range []int{0, 1, 3, 5} {
				if kept[at] != c.kept {
					t.Errorf("%s: kept %s, want %s", body, kept[at], c.kept)
				}
			}
			continue
		}
		field, message, _ := strings.Cut(c.issue, ": ")
		if one.status != 400 || !strings.Contains(one.body, `"path":["`+field+`"],"message":"`+field+" "+message) {
			t.Errorf("%s: %d %s", body, one.status, one.body)
		}
		if many.status != 207 || !strings.Contains(many.body, `{"accepted":1,"rejected":1,"errors":[{"message":"score sc: `+c.issue) {
			t.Errorf("%s: %d %s", body, many.status, many.body)
		}
		if diff := cmp.Diff([]string{"score 201", "e 400 Invalid request data", "e 400 Invalid request data"}, legacy.summary()); diff != "" || !strings.HasPrefix(legacy.Errors[0].Error, c.issue) {
			t.Errorf("%s: %+v", body, legacy)
		}
		if len(kept) != 2 {
			t.Errorf("%s: kept %q", body, kept)
		}
	}
	if a := f.post(t, keyB, scoresPath, fmt.Sprintf(`{"traceId":"t","name":"n","value":1,"configId":%q}`, number)); a.status != 400 {
		t.Errorf("the config of another project: %d %s", a.status, a.body)
	}
}

const scoreBody = `{"id":"fine","traceId":"t","name":"n","value":1}`

func TestScoreConfigLife(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, made := f.call(t, "POST", configsPath, keyA, `{"name":"tone","dataType":"NUMERIC","description":null,"minValue":0,"maxValue":null,"categories":null}`)
	want := map[string]any{
		"id": made["id"], "projectId": "project-a", "name": "tone", "dataType": "NUMERIC", "isArchived": false, "description": nil,
		"minValue": json.Number("0"), "maxValue": nil, "categories": nil, "createdAt": made["createdAt"], "updatedAt": made["createdAt"],
	}
	if diff := cmp.Diff(want, made); a.status != 200 || diff != "" {
		t.Fatalf("%d %s", a.status, diff)
	}
	one := configsPath + "/" + made["id"].(string)
	if _, got := f.call(t, "GET", one, keyA, ""); cmp.Diff(want, got) != "" {
		t.Error(cmp.Diff(want, got))
	}
	a, got := f.call(t, "PATCH", one, keyA, `{"isArchived":true,"maxValue":2.5,"name":null}`)
	want["isArchived"], want["maxValue"], want["updatedAt"] = true, json.Number("2.5"), got["updatedAt"]
	if diff := cmp.Diff(want, got); a.status != 200 || diff != "" {
		t.Errorf("%d %s", a.status, diff)
	}
	if a, got := f.call(t, "POST", configsPath, keyA, `{"name":"yes","dataType":"BOOLEAN"}`); a.status != 200 ||
		cmp.Diff([]any{map[string]any{"label": "True", "value": json.Number("1")}, map[string]any{"label": "False", "value": json.Number("0")}}, got["categories"]) != "" {
		t.Errorf("%d %v", a.status, got)
	}
	_, page := f.call(t, "GET", configsPath+"?limit=1&page=2", keyA, "")
	if data := page["data"].([]any); len(data) != 1 || data[0].(map[string]any)["name"] != "tone" {
		t.Errorf("page %v", page)
	}
	if diff := cmp.Diff(map[string]any{"page": json.Number("2"), "limit": json.Number("1"), "totalItems": json.Number("2"), "totalPages": json.Number("2")}, page["meta"]); diff != "" {
		t.Error(diff)
	}
	if _, far := f.call(t, "GET", configsPath+"?page=9223372036854775807", keyA, ""); len(far["data"].([]any)) != 0 {
		t.Errorf("page %v", far)
	}
	for _, c := range []struct {
		method, target, key, body string
		status                    int
	}{
		{"GET", one, keyB, "", 404},
		{"PATCH", one, keyB, `{"isArchived":false}`, 404},
		{"GET", configsPath + "/nothing", keyA, "", 404},
		{"GET", configsPath + "?limit=101", keyA, "", 400},
		{"GET", configsPath + "?page=0", keyA, "", 400},
		{"PATCH", one, keyA, `{}`, 400},
		{"PATCH", one, keyA, `{"name":null,"dataType":"TEXT"}`, 400},
		{"PATCH", one, keyA, `{"minValue":3}`, 400},
		{"PATCH", one, keyA, `{"isArchived":"yes"}`, 400},
		{"POST", configsPath, keyA, `{"name":"x"}`, 400},
		{"POST", configsPath, keyA, `{"name":"x","dataType":"CATEGORICAL","categories":[{"label":"a"}]}`, 400},
		{"POST", configsPath, keyA, `{"name":"x","dataType":"CATEGORICAL","categories":[]}`, 400},
		{"POST", configsPath, keyA, `[]`, 400},
		{"POST", configsPath, keyA, `{`, 400},
		{"POST", configsPath, keyA, `{"name":"` + strings.Repeat("x", 1<<20) + `"}`, 413},
		{"POST", configsPath, scoresOnly, `{"name":"x","dataType":"TEXT"}`, 403},
	} {
		if a, _ := f.call(t, c.method, c.target, c.key, c.body); a.status != c.status {
			t.Errorf("%s %s %.80s: status %d, want %d: %s", c.method, c.target, c.body, a.status, c.status, a.body)
		}
	}
	if _, foreign := f.call(t, "GET", configsPath, keyB, ""); len(foreign["data"].([]any)) != 0 {
		t.Errorf("another project sees %v", foreign)
	}
}

// FuzzScores: whatever is sent, the answer is described, every score of a list is accounted for, and
// what is kept can be merged.
func FuzzScores(f *testing.F) {
	for _, seed := range []string{
		scoreBody, "[" + scoreBody + `,7,null,{"id":"x"}]`, `[]`, `{}`, `"x"`, ``, "[{\"id\":\"\xff\"}]",
		`{"traceId":"t","name":"n","value":"x","configId":"c","metadata":{"a":{"b":[1]}},"timestamp":"2026-05-01T10:00:00.123456+02:00"}`,
		`{"id":"\r","sessionId":"s","name":"n","value":1e308,"dataType":"NUMERIC"}`, `{"value":1,"value":null,"traceId":"t","name":"n"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		fx := newFixture(t)
		a := fx.post(t, keyA, scoresPath, body)
		var sent []json.RawMessage
		list := json.Unmarshal([]byte(body), &sent) == nil && sent != nil
		switch {
		case a.status == http.StatusBadRequest && !list:
			if len(fx.ingest.events) > 0 {
				t.Fatal("something of a refused request is kept")
			}
			return
		case a.status == http.StatusOK && !list, a.status == http.StatusAccepted && list, a.status == http.StatusMultiStatus && list:
		default:
			t.Fatalf("status %d: %s", a.status, a.body)
		}
		in := fx.ingest.events[0]
		if list && len(in.Events)+in.Rejected != len(sent) {
			t.Errorf("%d of %d scores are accounted for", len(in.Events)+in.Rejected, len(sent))
		}
		for i := range in.Events {
			if row, tombstones := partial.MergeScore("p", "id", in.Events[i:i+1]); !wholeScore(row) || len(tombstones) > 0 {
				t.Errorf("%s makes %+v", in.Events[i].Body, row)
			}
		}
	})
}

// wholeScore reports whether a score has what every score has.
func wholeScore(s *model.Score) bool {
	return s != nil && s.Name != "" && s.Type != "" && (s.TraceID != "") != (s.SessionID+s.ExperimentID != "")
}
