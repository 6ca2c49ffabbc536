package api_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/blob/blobtest"
	"github.com/sondehq/sonde/internal/media"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
)

// mediaFixture is a media service on fakes that knows the projects of both keys.
type mediaFixture struct {
	service *media.Service
	blobs   *blobtest.Memory
	meta    *metastoretest.Memory
}

func newMedia(t testing.TB) *mediaFixture {
	t.Helper()
	f := &mediaFixture{blobs: &blobtest.Memory{}, meta: metastoretest.NewMemory()}
	seed := metastoretest.Seed("seed")
	if _, err := f.meta.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"project-a", "project-b"} {
		if err := f.meta.CreateProject(t.Context(), model.Project{ID: id, Name: id, Organization: seed.Organization}); err != nil {
			t.Fatal(err)
		}
	}
	f.service = media.New(media.Config{Blobs: f.blobs, Store: f.meta, Secret: bytes.Repeat([]byte{5}, 32), MaxLength: 1000})
	return f
}

const mediaRoute = "/api/public/media"

// announce asks for an address; edits change the body.
func (f *fixture) announce(t testing.TB, key, content, contentType string, edits ...func(map[string]any)) answer {
	t.Helper()
	hash := sha256.Sum256([]byte(content))
	body := map[string]any{
		"contentType": contentType, "contentLength": len(content), "sha256Hash": base64.StdEncoding.EncodeToString(hash[:]),
		"field": "input", "traceId": "t", "observationId": nil, "datasetId": nil, "datasetItemId": nil,
	}
	for _, edit := range edits {
		edit(body)
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return f.send(t, request("POST", mediaRoute, key, bytes.NewReader(text), "Content-Type", "application/json"))
}

// announced is an announcement that was taken: the id, and the address without its host.
func (f *fixture) announced(t testing.TB, key, content, contentType string) (id, target string) {
	t.Helper()
	a := f.announce(t, key, content, contentType)
	var body struct {
		MediaID   string
		UploadURL *string
	}
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.status != http.StatusCreated {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	if body.UploadURL == nil {
		return body.MediaID, ""
	}
	return body.MediaID, pathOf(t, *body.UploadURL)
}

func pathOf(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		t.Fatalf("address %q: %v", address, err)
	}
	return u.RequestURI()
}

func (f *fixture) put(t testing.TB, target, content, contentType string, headers ...string) answer {
	t.Helper()
	return f.send(t, request("PUT", target, "", strings.NewReader(content), append(headers, "Content-Type", contentType)...))
}

// stored uploads content and returns its id and the address to download it from.
func (f *fixture) stored(t testing.TB, content, contentType string) (id, target string) {
	t.Helper()
	id, upload := f.announced(t, keyA, content, contentType)
	if a := f.put(t, upload, content, contentType); a.status != http.StatusOK {
		t.Fatalf("upload: status %d: %s", a.status, a.body)
	}
	a := f.get(t, mediaRoute+"/"+id)
	var body struct{ URL string }
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	return id, pathOf(t, body.URL)
}

const helloID = "LPJNul-wow4m6Dsqxbninh"

// D02: new, repeated, wrong hash length, over size.
func TestMediaHandshake(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id, upload := f.announced(t, keyA, "hello", "text/plain")
	if id != helloID || upload == "" {
		t.Fatalf("announced %s, %s", id, upload)
	}
	if a := f.get(t, mediaRoute+"/"+id); a.status != http.StatusNotFound {
		t.Errorf("before the upload: status %d", a.status)
	}
	report := func(body string) answer {
		return f.send(t, request("PATCH", mediaRoute+"/"+id, keyA, strings.NewReader(body)))
	}
	const good = `{"uploadedAt":"2026-11-14T22:32:54.778123Z","uploadHttpStatus":200,"uploadHttpError":"","uploadTimeMs":4}`
	if a := report(good); a.status != http.StatusOK || a.body != `{"message":"OK"}`+"\n" {
		t.Errorf("report: status %d: %s", a.status, a.body)
	}
	if a := f.get(t, mediaRoute+"/"+id); a.status != http.StatusNotFound {
		t.Errorf("after a report without an upload: status %d", a.status)
	}
	if a := f.put(t, upload, "hello", "text/plain"); a.status != http.StatusOK {
		t.Fatalf("upload: status %d: %s", a.status, a.body)
	}
	if a := report(`{"uploadedAt":"2026-11-14T22:32:54Z","uploadHttpStatus":500,"uploadHttpError":"odd","uploadTimeMs":null}`); a.status != http.StatusOK {
		t.Errorf("report of failure: status %d: %s", a.status, a.body)
	}
	a := f.get(t, mediaRoute+"/"+id)
	var found map[string]any
	if err := json.Unmarshal([]byte(a.body), &found); err != nil || a.status != http.StatusOK {
		t.Fatalf("after the upload: status %d: %s", a.status, a.body)
	}
	if found["mediaId"] != id || found["contentType"] != "text/plain" || found["contentLength"] != 5.0 {
		t.Errorf("found %v", found)
	}
	if id, upload := f.announced(t, keyA, "hello", "text/plain"); id != helloID || upload != "" {
		t.Errorf("announced again: %s, %s", id, upload)
	}
	for name, body := range map[string]string{
		"no time": `{"uploadHttpStatus":200}`, "no status": `{"uploadedAt":"2026-11-14T22:32:54Z"}`,
		"bad time": `{"uploadedAt":"yesterday","uploadHttpStatus":200}`, "text status": `{"uploadedAt":"2026-11-14T22:32:54Z","uploadHttpStatus":"200"}`, "no JSON": `{`,
	} {
		if a := report(body); a.status != http.StatusBadRequest {
			t.Errorf("report with %s: status %d", name, a.status)
		}
	}
}

func TestMediaAnnouncementsThatAreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, c := range map[string]struct {
		edit func(map[string]any)
		path string
	}{
		"a short hash":    {func(b map[string]any) { b["sha256Hash"] = "LPJNul+wow4=" }, "sha256Hash"},
		"over size":       {func(b map[string]any) { b["contentLength"] = 1001 }, "contentLength"},
		"zero":            {func(b map[string]any) { b["contentLength"] = 0 }, "contentLength"},
		"text length":     {func(b map[string]any) { b["contentLength"] = "5" }, "contentLength"},
		"fraction":        {func(b map[string]any) { b["contentLength"] = 5.5 }, "contentLength"},
		"unknown type":    {func(b map[string]any) { b["contentType"] = "application/x-sh" }, "contentType"},
		"unknown field":   {func(b map[string]any) { b["field"] = "name" }, "field"},
		"no place":        {func(b map[string]any) { b["traceId"] = nil }, "traceId"},
		"two places":      {func(b map[string]any) { b["datasetId"], b["datasetItemId"] = "d", "i" }, "traceId"},
		"number as trace": {func(b map[string]any) { b["traceId"] = 7 }, "traceId"},
	} {
		a := f.announce(t, keyA, "hello", "text/plain", c.edit)
		if a.status != http.StatusBadRequest || !strings.Contains(a.body, `"path":["`+c.path+`"]`) {
			t.Errorf("%s: status %d: %s", name, a.status, a.body)
		}
	}
	for _, body := range []string{"", "{", "[]", `"x"`, "null"} {
		if a := f.send(t, request("POST", mediaRoute, keyA, strings.NewReader(body))); a.status != http.StatusBadRequest {
			t.Errorf("body %q: status %d: %s", body, a.status, a.body)
		}
	}
	if a := f.announce(t, keyA, "hello", "text/plain", func(b map[string]any) {
		b["traceId"], b["datasetId"], b["datasetItemId"], b["field"] = nil, "d", "i", "expectedOutput"
	}); a.status != http.StatusCreated {
		t.Errorf("a dataset item: status %d: %s", a.status, a.body)
	}
}

func TestMediaUploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	var kept *mediaFixture
	f := newFixture(t, func(c *api.Config) { kept = newMedia(t); c.Media = kept.service })
	_, upload := f.announced(t, keyA, "hello", "text/plain")
	changed := strings.Replace(upload, "ticket=", "ticket=A", 1)
	for name, c := range map[string]struct {
		answer
		status int
		says   string
	}{
		"other bytes":       {f.put(t, upload, "hellO", "text/plain"), 400, "announced was LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="},
		"fewer bytes":       {f.put(t, upload, "hell", "text/plain"), 400, "announced were 5"},
		"another type":      {f.put(t, upload, "hello", "text/html"), 400, `announced was \"text/plain\"`},
		"no type":           {f.put(t, upload, "hello", ""), 400, "announced was"},
		"another checksum":  {f.put(t, upload, "hello", "text/plain", "x-amz-checksum-sha256", "AAAA"), 400, "announced was"},
		"compressed":        {f.put(t, upload, "hello", "text/plain", "Content-Encoding", "gzip"), 415, "not supported"},
		"a changed address": {f.put(t, changed, "hello", "text/plain"), 403, "changed"},
		"another media":     {f.put(t, strings.Replace(upload, helloID, "aaaaaaaaaaaaaaaaaaaaaa", 1), "hello", "text/plain"), 403, "changed"},
		"no ticket":         {f.put(t, mediaRoute+"/"+helloID+"/content", "hello", "text/plain"), 403, "changed"},
	} {
		if c.answer.status != c.status || !strings.Contains(c.body, c.says) {
			t.Errorf("%s: status %d: %s", name, c.answer.status, c.body)
		}
	}
	if kept.blobs.Len() != 0 {
		t.Error("something was stored")
	}
	if a := f.put(t, upload, "hello", "text/plain; charset=utf-8"); a.status != http.StatusOK {
		t.Errorf("with a parameter: status %d: %s", a.status, a.body)
	}
}

func TestMediaAddressesExpire(t *testing.T) {
	t.Parallel()
	loadDescription() // not within the bubble
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		_, download := f.stored(t, "hello", "text/plain")
		_, upload := f.announced(t, keyA, "world", "text/plain")
		time.Sleep(time.Hour) // fake time: nobody waits
		if a := f.put(t, upload, "world", "text/plain"); a.status != http.StatusForbidden || !strings.Contains(a.body, "expired; announce") {
			t.Errorf("upload: status %d: %s", a.status, a.body)
		}
		if a := f.send(t, request("GET", download, keyA, nil)); a.status != http.StatusForbidden || !strings.Contains(a.body, "expired; ask") {
			t.Errorf("download: status %d: %s", a.status, a.body)
		}
	})
}

func TestMediaBelongsToItsProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id, download := f.stored(t, "hello", "text/plain")
	as := func(method, target, key, body string) answer {
		return f.send(t, request(method, target, key, strings.NewReader(body)))
	}
	const report = `{"uploadedAt":"2026-11-14T22:32:54Z","uploadHttpStatus":200}`
	unknown := as("GET", mediaRoute+"/aaaaaaaaaaaaaaaaaaaaaa", keyB, "")
	for _, a := range []answer{
		as("GET", mediaRoute+"/"+id, keyB, ""), as("GET", mediaRoute+"/"+id+"/content", keyB, ""), as("PATCH", mediaRoute+"/"+id, keyB, report),
	} {
		if a.status != http.StatusNotFound || a.body != unknown.body {
			t.Errorf("another project: status %d: %s", a.status, a.body)
		}
	}
	for _, a := range []answer{
		as("GET", mediaRoute+"/"+id, "", ""), as("GET", mediaRoute+"/"+id+"/content", "", ""), as("PATCH", mediaRoute+"/"+id, "", report), as("POST", mediaRoute, "", "{}"),
	} {
		if a.status != http.StatusUnauthorized {
			t.Errorf("nobody: status %d: %s", a.status, a.body)
		}
	}
	if a := as("GET", mediaRoute+"/"+id+"/content", scoresOnly, ""); a.status != http.StatusForbidden {
		t.Errorf("a key for scores: status %d", a.status)
	}
	// Its key does not help where the ticket does not fit.
	if a := as("GET", strings.Replace(download, "ticket=", "ticket=A", 1), keyA, ""); a.status != http.StatusForbidden {
		t.Errorf("a changed address: status %d", a.status)
	}
	if a := as("GET", download, "", ""); a.status != http.StatusOK || a.body != "hello" {
		t.Errorf("the address: status %d: %s", a.status, a.body)
	}
	if a := as("GET", mediaRoute+"/"+id+"/content", keyA, ""); a.status != http.StatusOK || a.body != "hello" {
		t.Errorf("the key: status %d: %s", a.status, a.body)
	}
	// B is not told that A has the content.
	if _, upload := f.announced(t, keyB, "hello", "text/plain"); upload == "" {
		t.Error("another project's content is known")
	}
}

func TestMediaIsNeverActiveContent(t *testing.T) {
	t.Parallel()
	for _, contentType := range media.ContentTypes() {
		t.Run(strings.ReplaceAll(contentType, "/", "_"), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			const script = "<html><script>alert(1)</script></html>"
			id, download := f.stored(t, script, contentType)
			for target, sharing := range map[string]string{download: "cross-origin", mediaRoute + "/" + id + "/content": "same-origin"} {
				a := f.get(t, target)
				if a.status != http.StatusOK || a.body != script {
					t.Fatalf("status %d: %s", a.status, a.body)
				}
				for name, want := range map[string]string{
					"Content-Type": contentType, "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'",
					"Cross-Origin-Resource-Policy": sharing, "Content-Length": strconv.Itoa(len(script)),
				} {
					if got := a.header.Get(name); strings.TrimSuffix(got, "; charset=utf-8") != want {
						t.Errorf("%s is %q, want %q", name, got, want)
					}
				}
				kind, _, _ := strings.Cut(contentType, "/")
				wantInline := contentType != "image/svg+xml" && (kind == "image" || kind == "audio" || kind == "video")
				disposition := a.header.Get("Content-Disposition")
				if strings.HasPrefix(disposition, "inline;") != wantInline || strings.HasPrefix(disposition, "attachment;") == wantInline {
					t.Errorf("Content-Disposition is %q", disposition)
				}
			}
		})
	}
}

func TestMediaRanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, download := f.stored(t, "0123456789", "video/mp4")
	whole := f.get(t, download)
	etag := whole.header.Get("ETag")
	if etag == "" || whole.header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("headers %v", whole.header)
	}
	for _, c := range []struct {
		header, value string
		status        int
		body          string
	}{
		{"Range", "bytes=2-4", 206, "234"},
		{"Range", "bytes=-2", 206, "89"},
		{"Range", "bytes=8-", 206, "89"},
		{"Range", "bytes=20-", 416, "invalid range: failed to overlap\n"},
		{"If-None-Match", etag, 304, ""},
		{"If-None-Match", `"other"`, 200, "0123456789"},
		{"If-Match", `"other"`, 412, ""},
	} {
		a := f.send(t, request("GET", download, "", nil, c.header, c.value))
		if a.status != c.status || a.body != c.body {
			t.Errorf("%s %s: status %d: %q", c.header, c.value, a.status, a.body)
		}
		if got := a.header.Get("Content-Security-Policy"); got == "" {
			t.Errorf("%s %s: no policy", c.header, c.value)
		}
	}
}

func TestMediaAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		public, base string
		headers      []string
		want         string
	}{
		{"", "", nil, "http://example.com/api/public/media/"},
		{"", "/sonde", nil, "http://example.com/sonde/api/public/media/"},
		{"", "", []string{"X-Forwarded-Proto", "https"}, "https://example.com/api/public/media/"},
		{"", "", []string{"X-Forwarded-Proto", "javascript"}, "http://example.com/api/public/media/"},
		{"https://llm.acme.test/obs", "/sonde", nil, "https://llm.acme.test/obs/api/public/media/"},
	} {
		h := api.New(api.Config{Auth: fakeAuth{}, Health: &fakeHealth{}, Media: newMedia(t).service, PublicURL: c.public, BasePath: c.base})
		body := `{"contentType":"text/plain","contentLength":5,"sha256Hash":"LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=","field":"input","traceId":"t"}`
		a := (&fixture{Handler: h}).send(t, request("POST", c.base+mediaRoute, keyA, strings.NewReader(body), c.headers...))
		if !strings.Contains(a.body, `"uploadUrl":"`+c.want+helloID+"/content?ticket=") {
			t.Errorf("public %q, base %q: %s", c.public, c.base, a.body)
		}
	}
}

// TestMediaCaptures replays what published SDKs sent, with their uploads going to the address that
// they are given.
func TestMediaCaptures(t *testing.T) {
	t.Parallel()
	for _, capture := range []string{"basic", "py5_basic"} {
		t.Run(capture, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			files, err := filepath.Glob(filepath.Join("testdata", "media", capture, "*.meta.json"))
			if err != nil || len(files) < 3 {
				t.Fatalf("captures %v, %v", files, err)
			}
			uploads, addresses := 0, map[string]string{}
			for _, file := range files {
				if put := f.replay(t, file, addresses); put {
					uploads++
				}
			}
			for id := range addresses {
				if a := f.get(t, mediaRoute+"/"+id); a.status != http.StatusOK {
					t.Errorf("%s: status %d: %s", id, a.status, a.body)
				}
			}
			if uploads == 0 || uploads != len(addresses) {
				t.Errorf("%d uploads of %d media", uploads, len(addresses))
			}
		})
	}
}

// replay sends one captured request and reports whether it was an upload. A media that was given an
// address once must not be given another.
func (f *fixture) replay(t *testing.T, file string, addresses map[string]string) (upload bool) {
	t.Helper()
	var meta struct {
		Method, Path string
		Headers      map[string]string
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &meta)
	}
	if err != nil {
		t.Fatal(err)
	}
	stem := strings.TrimSuffix(file, ".meta.json")
	body, err := os.ReadFile(stem + ".json")
	if err != nil {
		body, err = os.ReadFile(stem + ".bin")
	}
	if err != nil {
		t.Fatal(err)
	}
	target, key := meta.Path, keyA
	if meta.Method == http.MethodPut {
		target, key = addresses[filepath.Base(meta.Path)], ""
	}
	r := request(meta.Method, target, key, bytes.NewReader(body))
	for name, value := range meta.Headers {
		if name != "authorization" && name != "content-length" {
			r.Header.Set(name, value)
		}
	}
	a := f.send(t, r)
	if a.status >= 300 {
		t.Fatalf("%s: status %d: %s", file, a.status, a.body)
	}
	if meta.Method == http.MethodPost {
		var answer struct {
			MediaID   string
			UploadURL *string
		}
		if err := json.Unmarshal([]byte(a.body), &answer); err != nil || a.status != http.StatusCreated {
			t.Fatalf("%s: status %d: %s", file, a.status, a.body)
		}
		if answer.UploadURL != nil && addresses[answer.MediaID] != "" {
			t.Errorf("%s: %s is to be uploaded again", file, answer.MediaID)
		}
		if answer.UploadURL != nil {
			addresses[answer.MediaID] = pathOf(t, *answer.UploadURL)
		}
	}
	return meta.Method == http.MethodPut
}

// Whoever may see a trace sees what is in it, by the address alone as an image of a page has it.
func TestViewersSeeMedia(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id, _ := f.stored(t, "hello", "text/plain")
	addPerson(t, f.tenants, "viewer", "project-a", model.Viewer)
	b := f.signIn(t, "viewer", "")
	if a := f.send(t, b.asks("GET", mediaRoute+"/"+id+"/content?project=project-a", "")); a.status != http.StatusOK || a.body != "hello" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := f.send(t, b.asks("GET", mediaRoute+"/"+id+"/content?project=project-b", "")); a.status != http.StatusForbidden && a.status != http.StatusNotFound {
		t.Errorf("of another project: %d %s", a.status, a.body)
	}
}
