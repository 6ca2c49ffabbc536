package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// tracesOf counts the observations of a project by name.
func tracesOf(c *client) (map[string]int, error) {
	a, err := c.do(http.MethodGet, observationsPath+"?limit=1000&fields=core,basic&fromStartTime="+url.QueryEscape(time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)), nil)
	if err == nil {
		err = a.err()
	}
	if err != nil {
		return nil, err
	}
	var page struct {
		Data []struct {
			Name string `json:"name"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(a.body), &page); err != nil {
		return nil, err
	}
	names := map[string]int{}
	for _, row := range page.Data {
		names[row.Name]++
	}
	return names, nil
}

// A server that sends its traces to itself shows what it did in a project, and does not go round in circles.
func TestAServerTracesItself(t *testing.T) {
	t.Parallel()
	s := newServer(t, "--self-trace-ratio=1")
	s.flags = append(s.flags, "--self-trace-endpoint=http://"+s.grpc)
	s.env = append(s.env, "SONDE_SELF_TRACE_HEADERS=authorization=Basic "+base64.StdEncoding.EncodeToString([]byte(publicKey+":"+secretKey)))
	s.start()
	own, other := s.client(), s.addProject("other")
	spans := newSpans(3)
	other.send(inProtobuf(t, spans...))
	other.showsWithin(20*time.Second, spans)
	eventually(t, 30*time.Second, "the request and its batch are there as traces", func() error {
		names, err := tracesOf(own)
		if err == nil && (names["http "+tracesPath] != 1 || names["write batch"] == 0 || names["insert rows"] == 0) {
			err = fmt.Errorf("the traces are %v", names)
		}
		return err
	})
	// Everything is traced, so every look of ours makes one span, which is sent and stored: a circle would show.
	before, err := tracesOf(own)
	if err != nil {
		t.Fatal(err)
	}
	pause(8 * time.Second)
	after, err := tracesOf(own)
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range after {
		if strings.HasPrefix(name, "grpc ") || !strings.HasPrefix(name, "http ") && !strings.HasPrefix(name, "job ") && n != before[name] {
			t.Errorf("%s is there %d times, was %d: the server traces its own traces", name, n, before[name])
		}
	}
}

// A receiver that is away costs nothing but its traces.
func TestTracesThatNobodyTakes(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--self-trace-ratio=1", "--self-trace-endpoint=http://"+freeAddress(t))
	spans := newSpans(3)
	s.client().send(inProtobuf(t, spans...))
	s.client().showsWithin(20*time.Second, spans)
	eventually(t, 20*time.Second, "it says so", func() error {
		if n := strings.Count(s.said(), "traces of this server are not taken"); n != 1 {
			return fmt.Errorf("it is said %d times:\n%s", n, s.said())
		}
		return nil
	})
	if took, code := s.stop(); code != 0 || took > 15*time.Second {
		t.Errorf("the stop took %s and ended with %d:\n%s", took, code, s.said())
	}
}
