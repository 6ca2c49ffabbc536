package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const toolsPath = "/api/public/mcp"

// askTools sends JSON-RPC as an agent does; header changes what it sends.
func askTools(f *fixture, key, body string, header http.Header) *httptest.ResponseRecorder {
	r := request(http.MethodPost, toolsPath, key, strings.NewReader(body),
		"Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	maps.Copy(r.Header, header)
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

func TestToolsSeeOneProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.plantRows(t)
	for _, call := range foreignCalls[1:] {
		if w := askTools(f, keyB, call, nil); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "zqxsecret") || strings.Contains(w.Body.String(), "foreign-id") {
			t.Errorf("%s as B: %d %s", call, w.Code, w.Body)
		}
	}
	if w := askTools(f, keyA, foreignCalls[1], nil); !strings.Contains(w.Body.String(), "foreign-id1") {
		t.Errorf("as A: %d %s", w.Code, w.Body)
	}
	list := askTools(f, keyA, foreignCalls[0], nil).Body.String()
	for _, name := range []string{"listObservations", "getTraceDigest", "queryMetrics", "listScores", "createScores", "listExperiments", "createModel"} {
		if !strings.Contains(list, `"name":"`+name+`"`) {
			t.Errorf("no tool %s", name)
		}
	}
	for _, name := range []string{"exportTraces", "getHealth", "uploadMedia"} {
		if strings.Contains(list, `"name":"`+name+`"`) {
			t.Errorf("tool %s is not for agents", name)
		}
	}
}

func TestToolsRefuse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, c := range map[string]struct {
		key, body string
		header    http.Header
		status    int
	}{
		"no key":              {"", foreignCalls[0], nil, http.StatusUnauthorized},
		"public key alone":    {scoresOnly, foreignCalls[0], nil, http.StatusForbidden},
		"another site":        {keyA, foreignCalls[0], http.Header{"Origin": {"https://elsewhere.example"}}, http.StatusForbidden},
		"this site":           {keyA, foreignCalls[0], http.Header{"Origin": {"http://example.com"}}, http.StatusOK},
		"cannot read JSON":    {keyA, foreignCalls[0], http.Header{"Accept": {"text/html"}}, http.StatusNotAcceptable},
		"reads JSON only":     {keyA, foreignCalls[0], http.Header{"Accept": {"application/json"}}, http.StatusOK},
		"no JSON":             {keyA, foreignCalls[0], http.Header{"Content-Type": {"text/plain"}}, http.StatusUnsupportedMediaType},
		"no JSON-RPC":         {keyA, `{"a":1}`, nil, http.StatusBadRequest},
		"broken JSON":         {keyA, `{"a`, nil, http.StatusBadRequest},
		"nothing":             {keyA, ``, nil, http.StatusBadRequest},
		"a tool there is not": {keyA, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}}`, nil, http.StatusOK},
	} {
		w := askTools(f, c.key, c.body, c.header)
		if w.Code != c.status {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, c.status)
		}
		var body struct{ Error, Code string }
		if refused := w.Code == http.StatusUnauthorized || w.Code == http.StatusForbidden; refused && (json.Unmarshal(w.Body.Bytes(), &body) != nil || body.Error == "" || body.Code == "") {
			t.Errorf("%s: %s", name, w.Body)
		}
	}
}
