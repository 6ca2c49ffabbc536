package api_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/sondehq/sonde/internal/ingest"
)

const traces = "/api/public/otel/v1/traces"

func gzipped(t testing.TB, body string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	return closed(t, &out, w, body)
}

func deflated(t testing.TB, body string) string {
	t.Helper()
	var out bytes.Buffer
	return closed(t, &out, zlib.NewWriter(&out), body)
}

func bareDeflate(t testing.TB, body string) string {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		t.Fatal(err)
	}
	return closed(t, &out, w, body)
}

func zstandard(t testing.TB, body string) string {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	return closed(t, &out, w, body)
}

func closed(t testing.TB, out *bytes.Buffer, w io.WriteCloser, body string) string {
	t.Helper()
	if _, err := io.WriteString(w, body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func plain(_ testing.TB, body string) string { return body }

var codings = map[string]func(testing.TB, string) string{
	"": plain, "identity": plain, "gzip": gzipped, "GZIP": gzipped, "x-gzip": gzipped, "deflate": deflated, "zstd": zstandard,
}

func TestExportCodings(t *testing.T) {
	t.Parallel()
	body := strings.Repeat(`{"resourceSpans":[]} `, 5000)
	f := newFixture(t)
	for range 3 { // decoders and buffers are used again
		for coding, encode := range codings {
			a := f.send(t, request("POST", traces, keyA, strings.NewReader(encode(t, body)),
				"Content-Type", "application/json; charset=utf-8", "Content-Encoding", coding))
			if a.status != http.StatusOK || a.body != "{}\n" {
				t.Errorf("coding %q: status %d, body %s", coding, a.status, a.body)
			}
		}
	}
	if len(f.ingest.got) != 3*len(codings) {
		t.Fatalf("%d submissions, want %d", len(f.ingest.got), 3*len(codings))
	}
	for _, in := range f.ingest.got {
		if string(in.Body) != body || !in.JSON || in.ProjectID != "project-a" {
			t.Errorf("submission %.60q of project %s, JSON %v", in.Body, in.ProjectID, in.JSON)
		}
	}
}

func TestExportBadBodies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		coding, body string
		status       int
	}{
		"no gzip":           {"gzip", "plain", 400},
		"empty gzip":        {"gzip", "", 400},
		"gzip cut":          {"gzip", gzipped(t, strings.Repeat("x", 500))[:25], 400},
		"gzip checksum":     {"gzip", flipped(gzipped(t, strings.Repeat("x", 500))), 400},
		"no zlib":           {"deflate", "plain", 400},
		"zlib cut":          {"deflate", deflated(t, strings.Repeat("x", 500))[:9], 400},
		"no zstd":           {"zstd", "plain", 400},
		"bare deflate":      {"deflate", bareDeflate(t, strings.Repeat("x", 500)), 200},
		"zstd cut":          {"zstd", zstandard(t, strings.Repeat("xyz", 500))[:10], 400},
		"zstd window":       {"zstd", "\x28\xb5\x2f\xfd\x00\xf8\x01\x00\x00", 400},
		"two codings":       {"gzip, gzip", "x", 415},
		"brotli":            {"br", "x", 415},
		"too large":         {"", strings.Repeat("x", 1001), 413},
		"too large gzip":    {"gzip", gzipped(t, strings.Repeat("x", 1001)), 413},
		"too large deflate": {"deflate", deflated(t, strings.Repeat("x", 1001)), 413},
		"too large zstd":    {"zstd", zstandard(t, strings.Repeat("x", 1001)), 413},
		"just right":        {"", strings.Repeat("x", 1000), 200},
		"just right gzip":   {"gzip", gzipped(t, strings.Repeat("x", 1000)), 200},
		"just right zstd":   {"zstd", zstandard(t, strings.Repeat("x", 1000)), 200},
		"empty":             {"", "", 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, bounded(1000))
			for range 2 { // a decoder that failed is used again
				for _, chunked := range []bool{false, true} {
					r := request("POST", traces, keyA, strings.NewReader(c.body), "Content-Type", "application/x-protobuf", "Content-Encoding", c.coding)
					if chunked {
						r.ContentLength = -1
					}
					if a := f.send(t, r); a.status != c.status {
						t.Errorf("chunked %v: status %d %q, want %d", chunked, a.status, a.body, c.status)
					}
				}
				ok := f.send(t, request("POST", traces, keyA, strings.NewReader(gzipped(t, "fine")), "Content-Type", "application/x-protobuf", "Content-Encoding", "gzip"))
				if ok.status != http.StatusOK {
					t.Errorf("the next request: status %d", ok.status)
				}
			}
		})
	}
}

func flipped(text string) string {
	b := []byte(text)
	b[len(b)-6] ^= 0xff
	return string(b)
}

// A body of some kilobytes that decompresses to very much more is given up at the limit, and the
// connection stays.
func TestExportBomb(t *testing.T) {
	t.Parallel()
	f := newFixture(t, bounded(64<<10))
	server := httptest.NewServer(f.bare)
	defer server.Close()
	defer server.Client().CloseIdleConnections()
	zeros := strings.Repeat("\x00", 1<<20)
	for name, c := range map[string]struct{ coding, body string }{
		"gzip":         {"gzip", gzipped(t, zeros)},
		"gzip members": {"gzip", strings.Repeat(gzipped(t, zeros[:60<<10]), 100)},
		"deflate":      {"deflate", deflated(t, zeros)},
		"zstd":         {"zstd", zstandard(t, zeros)},
		"plain":        {"", zeros[:120<<10]},
	} {
		for _, chunked := range []bool{false, true} {
			reused := false
			trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }}
			send := func(coding, text string) int {
				var body io.Reader = strings.NewReader(text)
				if chunked {
					body = io.MultiReader(body)
				}
				r, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodPost, server.URL+traces, body)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Authorization", keyA)
				r.Header.Set("Content-Type", "application/x-protobuf")
				r.Header.Set("Content-Encoding", coding)
				resp, err := server.Client().Do(r)
				if err != nil {
					t.Fatalf("%s, chunked %t: %v", name, chunked, err)
				}
				defer resp.Body.Close()
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					t.Error(err)
				}
				return resp.StatusCode
			}
			if status := send(c.coding, c.body); status != http.StatusRequestEntityTooLarge {
				t.Errorf("%s, chunked %t: status %d", name, chunked, status)
			}
			if status := send("", "fine"); status != http.StatusOK || !reused {
				t.Errorf("%s, chunked %t: the next request: status %d, same connection %t", name, chunked, status, reused)
			}
		}
	}
}

// Real connections: no Content-Length, and many at once, so that pooled buffers would show.
func TestExportOverConnections(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	server := httptest.NewServer(f.bare)
	defer server.Close()
	defer server.Client().CloseIdleConnections()
	var senders sync.WaitGroup
	bodies := map[string]bool{}
	for i := range 20 {
		body := strings.Repeat(string(rune('a'+i)), 100_000+i)
		bodies[body] = true
		senders.Go(func() {
			// A reader of unknown length makes the client send chunks.
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+traces, io.MultiReader(strings.NewReader(gzipped(t, body))))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Authorization", keyA)
			r.Header.Set("Content-Type", "application/x-protobuf")
			r.Header.Set("Content-Encoding", "gzip")
			resp, err := server.Client().Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			answer, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != http.StatusOK || len(answer) != 0 || resp.Header.Get("Content-Type") != "application/x-protobuf" {
				t.Errorf("status %d, %d bytes, %v", resp.StatusCode, len(answer), err)
			}
		})
	}
	senders.Wait()
	for _, in := range f.ingest.got {
		if !bodies[string(in.Body)] {
			t.Errorf("a body that nobody sent: %.40q", in.Body)
		}
		delete(bodies, string(in.Body))
	}
	if len(bodies) > 0 {
		t.Errorf("%d bodies did not arrive", len(bodies))
	}
}

func TestExportAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		contentType string
		outcome     ingest.Outcome
		want        string
	}{
		"json":             {"application/json", ingest.Outcome{Accepted: 1}, "{}\n"},
		"json partial":     {"Application/JSON", ingest.Outcome{Accepted: 1, Rejected: 2, Reason: `no "id"`}, `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no \"id\""}}` + "\n"},
		"protobuf":         {"application/x-protobuf", ingest.Outcome{Accepted: 1}, ""},
		"protobuf partial": {"application/x-protobuf", ingest.Outcome{Accepted: 1, Rejected: 300, Reason: "no id"}, "\x0a\x0a\x08\xac\x02\x12\x05no id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.ingest.answer = c.outcome
			f.ingest.answer.Receipt = "receipt-1"
			a := f.send(t, request("POST", traces, keyA, strings.NewReader("x"), "Content-Type", c.contentType))
			if a.status != http.StatusOK || a.body != c.want {
				t.Errorf("status %d, body %q, want %q", a.status, a.body, c.want)
			}
			if got := a.header.Get("X-Sonde-Receipt"); got != "receipt-1" {
				t.Errorf("receipt %q", got)
			}
		})
	}
}

func TestExportHeaders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		headers []string
		status  int
		want    [2]string // SDK name and version
	}{
		{nil, 200, [2]string{}},
		{[]string{"x-langfuse-sdk-name", "python", "x-langfuse-sdk-version", "5.0.4", "x-langfuse-ingestion-version", "4"}, 200, [2]string{"python", "5.0.4"}},
		{[]string{"x_langfuse_sdk_name", "javascript", "X_LANGFUSE_SDK_VERSION", "5", "x_langfuse_ingestion_version", "3"}, 200, [2]string{"javascript", "5"}},
		{[]string{"x-sonde-sdk-name", "ours", "x-langfuse-sdk-name", "theirs", "x-sonde-ingestion-version", "0"}, 200, [2]string{"ours", ""}},
		{[]string{"x-langfuse-ingestion-version", "-1"}, 200, [2]string{}},
		{[]string{"x-langfuse-ingestion-version", ""}, 200, [2]string{}},
		{[]string{"x-langfuse-ingestion-version", "5"}, 400, [2]string{}},
		{[]string{"x_langfuse_ingestion_version", "5"}, 400, [2]string{}},
		{[]string{"x-sonde-ingestion-version", "5"}, 400, [2]string{}},
		{[]string{"x_sonde_ingestion_version", "99999999999999999999"}, 400, [2]string{}},
		{[]string{"x-langfuse-ingestion-version", "4.0"}, 400, [2]string{}},
		{[]string{"x-langfuse-ingestion-version", "four"}, 400, [2]string{}},
	} {
		f := newFixture(t)
		a := f.send(t, request("POST", traces, keyA, strings.NewReader("{}"), append(c.headers, "Content-Type", "application/json")...))
		if a.status != c.status {
			t.Errorf("%q: status %d, want %d", c.headers, a.status, c.status)
			continue
		}
		if c.status != http.StatusOK {
			continue
		}
		got := [2]string{f.ingest.got[0].SDKName, f.ingest.got[0].SDKVersion}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.headers, diff)
		}
	}
}

func TestMetricsAreIgnored(t *testing.T) {
	t.Parallel()
	a := newFixture(t).send(t, request("POST", "/api/public/otel/v1/metrics", keyA, strings.NewReader("anything"), "Content-Encoding", "br"))
	if a.status != http.StatusOK || a.body != "{\"message\":\"OK\"}\n" {
		t.Errorf("status %d, body %s", a.status, a.body)
	}
}
