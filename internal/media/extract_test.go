package media_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/blob/blobtest"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/media"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
)

// hello is a content in base64, with its id.
const (
	hello   = "aGVsbG8="
	helloID = "LPJNul-wow4m6Dsqxbninh"
)

func ref(mime, id string) string {
	return "@@@langfuseMedia:type=" + mime + "|id=" + id + "|source=base64_data_uri@@@"
}

// workshop is an extractor on fakes that can be away.
type workshop struct {
	*media.Extractor
	service *media.Service
	blobs   *blobs
	meta    *meta
}

type blobs struct {
	blobtest.Memory
	away atomic.Bool
	puts atomic.Int64
}

var errAway = errors.New("away")

func (b *blobs) Put(ctx context.Context, key string, r io.Reader) error {
	if b.away.Load() {
		return errAway
	}
	b.puts.Add(1)
	return b.Memory.Put(ctx, key, r)
}

type meta struct {
	*metastoretest.Memory
	err atomic.Pointer[error]
	// before is called when media are about to be put.
	before func([]metastore.Media)
}

func (m *meta) PutMedia(ctx context.Context, media []metastore.Media, links []metastore.MediaLink) error {
	if err := m.err.Load(); err != nil {
		return *err
	}
	if m.before != nil {
		m.before(media)
	}
	return m.Memory.PutMedia(ctx, media, links)
}

const maxLength = 1 << 20

func newWorkshop(t testing.TB, projects ...string) *workshop {
	t.Helper()
	w := &workshop{blobs: &blobs{}, meta: &meta{Memory: metastoretest.NewMemory()}}
	seed := metastoretest.Seed("seed")
	if _, err := w.meta.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	for _, id := range append(projects, "p") {
		if err := w.meta.CreateProject(t.Context(), model.Project{ID: id, Name: id, Organization: seed.Organization}); err != nil {
			t.Fatal(err)
		}
	}
	w.Extractor = media.NewExtractor(w.blobs, w.meta, maxLength, slog.New(slog.DiscardHandler))
	w.service = media.New(media.Config{Blobs: w.blobs, Store: w.meta, Secret: bytes.Repeat([]byte{1}, 32), MaxLength: maxLength})
	return w
}

// bytesOf reads a media back.
func (w *workshop) bytesOf(t testing.TB, project, id string) string {
	t.Helper()
	c, err := w.service.Open(t.Context(), project, id)
	if err != nil {
		t.Fatalf("open %s of %s: %v", id, project, err)
	}
	defer c.Close()
	data, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func observation(input string) *model.Observation {
	return &model.Observation{ProjectID: "p", TraceID: "trace", ID: "obs", Input: input}
}

func (w *workshop) apply(t testing.TB, rows ...*model.Observation) {
	t.Helper()
	if err := w.Apply(t.Context(), rows); err != nil {
		t.Fatalf("Apply: %v", err)
	}
}

var png = ref("image/png", helloID)

// taken are texts with what they become.
var taken = map[string]struct{ in, want string }{
	"a data URI alone":        {"data:image/png;base64," + hello, png},
	"within text":             {"look: data:image/png;base64," + hello + " and tell", "look: " + png + " and tell"},
	"in markdown":             {"![x](data:image/png;base64," + hello + ")", "![x](" + png + ")"},
	"in HTML":                 {`<img src='data:image/png;base64,` + hello + `'>`, `<img src='` + png + `'>`},
	"twice":                   {"data:image/png;base64," + hello + "\ndata:text/plain;base64," + hello, png + "\n" + ref("text/plain", helloID)},
	"with parameters":         {"data:text/plain;charset=utf-8;base64," + hello, ref("text/plain", helloID)},
	"upper-case type":         {"data:IMAGE/PNG;base64," + hello, png},
	"escaped slash in type":   {`{"a":"data:image\/png;base64,` + hello + `"}`, `{"a":"` + png + `"}`},
	"escaped base64":          {`{"a":"data:image/png;base64,` + `\u002b\/\u002Fa` + `"}`, `{"a":"` + ref("image/png", idOf("+//a", false)) + `"}`},
	"escaped padding":         {`{"a":"data:image/png;base64,aGVsbG8\u003d"}`, `{"a":"` + png + `"}`},
	"in JSON in JSON":         {`{"a":"{\"b\":\"data:image/png;base64,` + hello + `\"}"}`, `{"a":"{\"b\":\"` + png + `\"}"}`},
	"OpenAI image_url":        {`[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + hello + `","detail":"low"}}]`, `[{"type":"image_url","image_url":{"url":"` + png + `","detail":"low"}}]`},
	"OpenAI input_audio":      {`[{"type":"input_audio","input_audio":{"data":"` + hello + `","format":"wav"}}]`, `[{"type":"input_audio","input_audio":{"data":"` + ref("audio/wav", helloID) + `","format":"wav"}}]`},
	"OpenAI input_audio, mp3": {`{"input_audio":{"format":"mp3","data":"` + hello + `"}}`, `{"input_audio":{"format":"mp3","data":"` + ref("audio/mpeg", helloID) + `"}}`},
	"OpenAI file":             {`{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,` + hello + `"}}`, `{"type":"file","file":{"filename":"a.pdf","file_data":"` + ref("application/pdf", helloID) + `"}}`},
	"Anthropic":               {` [ {"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + hello + `"}}]}]`, ` [ {"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + png + `"}}]}]`},
	"Gemini":                  {`{"parts":[{"inlineData":{"mimeType":"image/png","data":"` + hello + `"}},{"text":"x"}]}`, `{"parts":[{"inlineData":{"mimeType":"image/png","data":"` + png + `"}},{"text":"x"}]}`},
	"Gemini, snake case":      {`{"inline_data":{"data":"` + hello + `","mime_type":"image\/png"}}`, `{"inline_data":{"data":"` + png + `","mime_type":"image\/png"}}`},
	"Gemini, URL alphabet":    {`{"inline_data":{"data":"-_-_aQ==","mime_type":"image/png"}}`, `{"inline_data":{"data":"` + ref("image/png", idOf("-_-_aQ==", true)) + `","mime_type":"image/png"}}`},
	"Vertex":                  {`{"type":"media","mime_type":"image/png","data":"` + hello + `"}`, `{"type":"media","mime_type":"image/png","data":"` + png + `"}`},
	"AI SDK file":             {`{"messages":[{"role":"user","content":[{"type":"file","mediaType":"application/pdf","data":"` + hello + `"}]}]}`, `{"messages":[{"role":"user","content":[{"type":"file","mediaType":"application/pdf","data":"` + ref("application/pdf", helloID) + `"}]}]}`},
	"AI SDK image":            {`{"type":"image","image":"` + hello + `","mimeType":"image/png"}`, `{"type":"image","image":"` + png + `","mimeType":"image/png"}`},
	"gen_ai blob":             {`[{"role":"user","parts":[{"type":"blob","modality":"image","mime_type":"image/png","content":"` + hello + `"}]}]`, `[{"role":"user","parts":[{"type":"blob","modality":"image","mime_type":"image/png","content":"` + png + `"}]}]`},
	"LangChain":               {`{"type":"image","source_type":"base64","mime_type":"image/png","data":"` + hello + `"}`, `{"type":"image","source_type":"base64","mime_type":"image/png","data":"` + png + `"}`},
	"spaces stay":             {"{ \"type\" : \"base64\",\n\t\"media_type\": \"image/png\" , \"data\":\"" + hello + "\", \"n\": 1.50 }", "{ \"type\" : \"base64\",\n\t\"media_type\": \"image/png\" , \"data\":\"" + png + "\", \"n\": 1.50 }"},
	"at depth 10":             {nested(9), strings.ReplaceAll(nested(9), hello, png)},
	"broken JSON after it":    {`[{"type":"base64","media_type":"image/png","data":"` + hello + `"}, oops`, `[{"type":"base64","media_type":"image/png","data":"` + png + `"}, oops`},
}

// nested is an Anthropic block below some arrays.
func nested(arrays int) string {
	return strings.Repeat("[", arrays) + `{"type":"base64","media_type":"image/png","data":"` + hello + `"}` + strings.Repeat("]", arrays)
}

func idOf(encoded string, urls bool) string {
	encoding := base64.StdEncoding
	if urls {
		encoding = base64.URLEncoding
	}
	data, err := encoding.DecodeString(encoded)
	if err != nil {
		panic(err)
	}
	return media.ID(sum(data))
}

func TestContentIsTakenOut(t *testing.T) {
	t.Parallel()
	for name, c := range taken {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkshop(t)
			o := observation(c.in)
			w.apply(t, o)
			if o.Input != c.want {
				t.Errorf("got  %s\nwant %s", o.Input, c.want)
			}
			w.apply(t, o)
			if o.Input != c.want {
				t.Errorf("again: %s", o.Input)
			}
		})
	}
}

func TestTextsThatStay(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":                 "",
		"a reference":             "see " + png + " and @@@langfuseMedia:type=image/jpeg|id=some-uuid|source=bytes@@@",
		"a reference in JSON":     `{"type":"base64","media_type":"image/png","data":"` + png + `"}`,
		"unknown type":            "data:application/x-shockwave-flash;base64," + hello,
		"no type":                 "data:;base64," + hello,
		"no base64":               "data:text/plain,hello",
		"no data":                 "image/png;base64," + hello,
		"empty":                   "data:image/png;base64,",
		"placeholder":             "data:image/png;base64,<your image here>",
		"cut off":                 "data:image/png;base64,aGVsbG8h...",
		"cut off by one sign":     "data:image/png;base64,aGVsbG8h…",
		"bad length":              "data:image/png;base64,aGVsbG8",
		"bad last bits":           "data:image/png;base64,aGVsbG9=",
		"padding in the middle":   "data:image/png;base64,aGVsbG8=aGVs",
		"URL alphabet":            "data:image/png;base64,aGVs-_==",
		"percent-encoded":         "data:image/png;base64,aGVs%2Baa",
		"wrapped into lines":      "data:image/png;base64," + strings.Repeat("A", 76) + "\n" + strings.Repeat("A", 76),
		"wrapped, escaped":        `{"a":"data:image/png;base64,` + strings.Repeat("A", 76) + `\n` + strings.Repeat("A", 76) + `"}`,
		"too deep":                nested(10),
		"a URL in a block":        `{"type":"image","source":{"type":"url","media_type":"image/png","data":"` + hello + `"}}`,
		"text with a type":        `{"type":"text","mime_type":"image/png","data":"` + hello + `"}`,
		"an object without type":  `{"mime_type":"image/png","data":"` + hello + `"}`,
		"unknown audio format":    `{"input_audio":{"format":"pcm16","data":"` + hello + `"}}`,
		"a word that is no data":  `{"type":"file","mediaType":"text/plain","data":"hello world"}`,
		"an address":              `{"type":"file","mediaType":"image/png","data":"https://example.com/a.png"}`,
		"not a string":            `{"type":"base64","media_type":"image/png","data":["` + hello + `"]}`,
		"broken JSON":             `{"type":"base64","media_type":"image/png","data":"` + hello + `"`,
		"too large":               "data:image/png;base64," + strings.Repeat("AAAA", maxLength/3+1),
		"brackets without end":    strings.Repeat("[", 100_000) + `"base64"`,
		"a quote without end":     `{"base64":"` + strings.Repeat(`\"`, 1000),
		"a number that is no key": `{"mime": 1e5, 2: 3}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkshop(t)
			o := observation(text)
			w.apply(t, o)
			if o.Input != text {
				t.Errorf("%.200s became %.200s", text, o.Input)
			}
			if w.blobs.Len() != 0 {
				t.Error("something was stored")
			}
		})
	}
}

func TestFieldsAndLinks(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	uri := "data:image/png;base64," + hello
	o := observation(uri)
	o.Output = `{"a":"` + uri + `"}`
	o.Metadata = []model.MetadataEntry{
		{Name: "text", Value: uri, Type: model.MetadataString},
		{Name: "list", Value: `["` + uri + `"]`, Type: model.MetadataJSON},
		{Name: "source.type", Value: "base64", Type: model.MetadataString},
		{Name: "source.media_type", Value: "image/jpeg", Type: model.MetadataString},
		{Name: "source.data", Value: base64.StdEncoding.EncodeToString([]byte("flat content")), Type: model.MetadataString},
		{Name: "data", Value: base64.StdEncoding.EncodeToString([]byte("no type at all")), Type: model.MetadataString},
		{Name: "number", Value: "1", Type: model.MetadataNumber},
	}
	plain := o.Metadata[5].Value
	w.apply(t, o)

	flat := media.ID(sum([]byte("flat content")))
	want := []string{png, `["` + png + `"]`, "base64", "image/jpeg", ref("image/jpeg", flat), plain, "1"}
	var got []string
	for _, e := range o.Metadata {
		got = append(got, e.Value)
	}
	if diff := cmp.Diff(want, got); diff != "" || o.Input != png || o.Output != `{"a":"`+png+`"}` {
		t.Errorf("input %s, output %s, metadata (-want +got):\n%s", o.Input, o.Output, diff)
	}
	if got := w.bytesOf(t, "p", helloID) + w.bytesOf(t, "p", flat); got != "helloflat content" {
		t.Errorf("stored %q", got)
	}
	links, err := w.meta.MediaLinks(t.Context(), "p", helloID, 10)
	if err != nil || len(links) != 3 {
		t.Errorf("links %v, %v", links, err)
	}
	for _, l := range links {
		if l.TraceID != "trace" || l.ObservationID != "obs" {
			t.Errorf("link %+v", l)
		}
	}
	if n := w.blobs.puts.Load(); n != 2 {
		t.Errorf("%d blobs were put, want 2", n)
	}
	found, err := w.service.Find(t.Context(), "p", helloID)
	if err != nil || found.ContentType != "image/png" || found.Length != 5 {
		t.Errorf("found %+v, %v", found, err)
	}
}

func TestSameContentOfTwoProjectsIsKeptApart(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, "q", "other")
	a, b := observation("data:image/png;base64,"+hello), observation("data:image/gif;base64,"+hello)
	b.ProjectID = "q"
	w.apply(t, a, b)
	if a.Input != png || b.Input != ref("image/gif", helloID) || w.blobs.Len() != 2 {
		t.Errorf("%s, %s, %d blobs", a.Input, b.Input, w.blobs.Len())
	}
	if _, err := w.service.Open(t.Context(), "other", helloID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a third project: %v", err)
	}
}

func TestBlobBeforeMetadataBeforeRow(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	text := "data:image/png;base64," + hello
	o := observation(text)
	w.meta.before = func(list []metastore.Media) {
		if w.blobs.Len() != 1 || o.Input != text || len(list) != 1 || list[0].UploadedAt.IsZero() {
			t.Errorf("at the time of the metadata: %d blobs, row %s, %+v", w.blobs.Len(), o.Input, list)
		}
	}
	w.apply(t, o)
	if o.Input != png {
		t.Errorf("row %s", o.Input)
	}
}

func TestStoresThatAreAwayMeanNotNow(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	text := "data:image/png;base64," + hello
	w.blobs.away.Store(true)
	o := observation(text)
	if err := w.Apply(t.Context(), []*model.Observation{o}); !errors.Is(err, errAway) || o.Input != text {
		t.Errorf("blobs away: %v, row %s", err, o.Input)
	}
	w.blobs.away.Store(false)
	var away error = fault.Unavailablef("database away")
	w.meta.err.Store(&away)
	if err := w.Apply(t.Context(), []*model.Observation{o}); !fault.Is(err, fault.Unavailable) || o.Input != text {
		t.Errorf("metadata away: %v, row %s", err, o.Input)
	}
	w.meta.err.Store(nil)
	plain := observation("nothing to take")
	w.blobs.away.Store(true)
	w.apply(t, plain)
	w.blobs.away.Store(false)
	w.apply(t, o)
	if o.Input != png {
		t.Errorf("row %s", o.Input)
	}
}

func TestRowsThatCannotHaveMediaHoldUpNobody(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	text := "data:image/png;base64," + hello
	gone := observation(text)
	gone.ProjectID = "gone"
	w.apply(t, gone)
	if gone.Input != text {
		t.Errorf("row of no project: %s", gone.Input)
	}
	mistake := errors.New("syntax error at or near our own foot")
	w.meta.err.Store(&mistake)
	unlucky := observation(text)
	w.apply(t, unlucky)
	if unlucky.Input != text {
		t.Errorf("row whose metadata is refused: %s", unlucky.Input)
	}
	w.meta.err.Store(nil)
	long := observation(text)
	long.TraceID = strings.Repeat("t", metastore.MaxText)
	w.apply(t, long)
	if long.Input != png {
		t.Errorf("row of a long trace id: %s", long.Input)
	}
}

func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	var rows []*model.Observation
	uri := func(n int) string {
		return "data:image/png;base64," + base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%06d", n)) + " "
	}
	for r := range 10 {
		var text strings.Builder
		for i := range 1000 {
			text.WriteString(uri(r*1000 + i))
		}
		rows = append(rows, observation(text.String()))
	}
	w.apply(t, rows...)
	if n := strings.Count(rows[0].Input, "@@@langfuseMedia"); n != 100 {
		t.Errorf("%d contents of one row were taken, want 100", n)
	}
	if n := w.blobs.puts.Load(); n != 256 {
		t.Errorf("%d blobs were put, want 256", n)
	}
	for i, text := range []string{
		strings.Repeat(";base64,", 1<<20), strings.Repeat("data:image/png;base64,", 1<<18), strings.Repeat(`{"mime":`, 1<<18),
		strings.Repeat(`[{"mime_type":"a"},`, 1<<17), strings.Repeat(`\`, 1<<20) + `"base64"`, `["mime","` + strings.Repeat(`\\`, 1<<20) + `"]`,
	} {
		began := time.Now()
		w.apply(t, observation(text))
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("text %d took %s", i, took)
		}
	}
	var entries []model.MetadataEntry
	for i := range 20_000 {
		entries = append(entries, model.MetadataEntry{Name: fmt.Sprintf("a%d.data", i), Value: strings.Repeat("A", 32), Type: model.MetadataString})
	}
	o := observation("")
	o.Metadata = entries
	began := time.Now()
	w.apply(t, o)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("metadata took %s", took)
	}
}

func TestLargeContentComesBackWhole(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	data := make([]byte, maxLength)
	_, _ = rand.NewChaCha8([32]byte{3}).Read(data)
	o := observation(`{"x":"data:video/mp4;base64,` + base64.StdEncoding.EncodeToString(data) + `"}`)
	w.apply(t, o)
	id := media.ID(sum(data))
	if o.Input != `{"x":"`+ref("video/mp4", id)+`"}` || w.bytesOf(t, "p", id) != string(data) {
		t.Errorf("row %.100s", o.Input)
	}
}
