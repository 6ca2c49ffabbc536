package bench

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// SkeletonResult is what it costs to read traces as a page shows them, by number of spans.
type SkeletonResult struct {
	Traces []SkeletonFigures `json:"traces"`
}

// SkeletonFigures are those of one trace; times are the least of several reads.
type SkeletonFigures struct {
	Spans         int     `json:"spans"`
	RawBytes      int     `json:"raw_bytes"`
	GzipBytes     int     `json:"gzip_bytes"`
	FirstRowsMS   float64 `json:"first_rows_ms"` // until the first line of rows is unpacked
	TotalMS       float64 `json:"total_ms"`      // until the last line is
	PlainTotalMS  float64 `json:"plain_total_ms"`
	CPUMS         float64 `json:"cpu_ms"`      // of server and engine for one read; holds on a busy machine, too
	RSSMegabytes  float64 `json:"rss_mb"`      // of server and engine before it was read
	PeakMegabytes float64 `json:"peak_rss_mb"` // of server and engine while it was read
}

// SkeletonOptions say which traces there are.
type SkeletonOptions struct {
	Spans   []int
	Repeats int
}

// Skeleton stores traces of the given sizes and reads each as a whole.
func Skeleton(ctx context.Context, o SkeletonOptions, p *Progress) (result SkeletonResult, err error) {
	if len(o.Spans) == 0 || o.Repeats < 1 {
		return result, errors.New("there must be a trace, and a read")
	}
	s, err := newServer()
	if err != nil {
		return result, err
	}
	defer func() { err = joinRemove(err, s) }()
	if _, err := s.start(ctx); err != nil {
		return result, err
	}
	for i, spans := range o.Spans {
		p.say("storing a trace of %d spans", spans)
		trace, err := s.storeTrace(ctx, newCorpus(uint64(i+1)), spans)
		if err != nil {
			return result, err
		}
		p.say("reading it %d times", o.Repeats)
		figures, err := s.readSkeletons(ctx, trace, spans, o.Repeats)
		if err != nil {
			return result, err
		}
		result.Traces = append(result.Traces, figures)
	}
	return result, nil
}

// storeTrace sends one trace: a root, below it runs of ten steps, each a generation with two tools below it. It returns
// the id when everything is readable.
func (s *server) storeTrace(ctx context.Context, c *corpus, count int) (string, error) {
	start := time.Now().Add(-time.Hour)
	root := c.newSpan([16]byte{}, "agent", "support-agent", start)
	root.end = start.Add(time.Hour)
	spans, sent := []span{root}, 0
	var run, generation span
	for i := 1; i < count; i++ {
		at := start.Add(time.Duration(i) * 3 * time.Millisecond)
		switch {
		case i%31 == 1:
			run = c.below(&root, "chain", "run", at)
			spans = append(spans, run)
		case i%3 == 2:
			generation = c.below(&run, "generation", "chat "+c.words[i%50], at)
			generation.input, generation.output = c.text(8), c.text(8)
			generation.attributes = append(generation.attributes, c.modelAttributes(&generation)...)
			spans = append(spans, generation)
		default:
			spans = append(spans, c.below(&generation, "tool", "search", at))
		}
		if len(spans) >= spansPerSkeletonBody || i == count-1 {
			b := encodeBody(spans, false)
			if err := s.sendUntilTaken(ctx, &b); err != nil {
				return "", err
			}
			spans, sent = spans[:0], sent+len(b.ids)
		}
	}
	return root.traceHex(), s.untilCounted(ctx, root.traceHex(), sent)
}

// spansPerSkeletonBody is how many spans a request has.
const spansPerSkeletonBody = 2000

func (c *corpus) below(parent *span, kind, name string, at time.Time) span {
	s := c.newSpan(parent.traceID, kind, name, at)
	s.parent, s.end = parent.id, at.Add(c.about(200*time.Millisecond))
	return s
}

// sendUntilTaken sends a body again while the server says that it has no room.
func (s *server) sendUntilTaken(ctx context.Context, b *body) error {
	for {
		_, err := s.send(ctx, b, publicKey, secretKey)
		if refused, ok := errors.AsType[*refusedError](err); !ok || refused.status != http.StatusServiceUnavailable {
			return err
		}
		if err := sleep(ctx, time.Second); err != nil {
			return err
		}
	}
}

// untilCounted waits until the trace has all of its rows. A server that still stores may be too slow to read them.
func (s *server) untilCounted(ctx context.Context, trace string, count int) error {
	for {
		var first struct{ Rows int }
		_, line, err := s.readSkeleton(ctx, trace, false)
		if err == nil {
			err = json.Unmarshal(line, &first)
		}
		if err == nil && first.Rows == count {
			return nil
		}
		if refused, ok := errors.AsType[*refusedError](err); err != nil && (!ok || refused.status != http.StatusNotFound && refused.status != http.StatusUnprocessableEntity) {
			return err
		}
		if err := sleep(ctx, 5*time.Second); err != nil {
			return err
		}
	}
}

func (s *server) readSkeletons(ctx context.Context, trace string, spans, repeats int) (SkeletonFigures, error) {
	before, err := measureTree(s.pid())
	if err != nil {
		return SkeletonFigures{}, err
	}
	figures := SkeletonFigures{Spans: spans, RSSMegabytes: round(float64(before.rssBytes)/1e6, 0)}
	peak := watchPeak(ctx, s.pid())
	for range repeats {
		began, err := measureTree(s.pid())
		if err != nil {
			return figures, err
		}
		plain, _, err := s.readSkeleton(ctx, trace, false)
		if err != nil {
			return figures, err
		}
		packed, _, err := s.readSkeleton(ctx, trace, true)
		if err != nil {
			return figures, err
		}
		ended, err := measureTree(s.pid())
		if err != nil {
			return figures, err
		}
		figures.CPUMS = least(figures.CPUMS, (ended.cpu-began.cpu)/2)
		figures.RawBytes, figures.GzipBytes = plain.received, packed.received
		figures.FirstRowsMS, figures.TotalMS = least(figures.FirstRowsMS, packed.first), least(figures.TotalMS, packed.total)
		figures.PlainTotalMS = least(figures.PlainTotalMS, plain.total)
	}
	figures.PeakMegabytes = round(float64(peak())/1e6, 0)
	return figures, nil
}

func least(sofar float64, took time.Duration) float64 {
	if ms := round(float64(took.Microseconds())/1000, 1); sofar == 0 || ms < sofar {
		return ms
	}
	return sofar
}

// skeletonRead is one answer.
type skeletonRead struct {
	received     int
	first, total time.Duration
}

// readSkeleton reads an answer to its end line and returns its first line.
func (s *server) readSkeleton(ctx context.Context, trace string, packed bool) (read skeletonRead, first []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/public/traces/"+url.PathEscape(trace)+"/skeleton", nil)
	if err != nil {
		return read, nil, err
	}
	req.SetBasicAuth(s.key.public, s.key.secret)
	if packed {
		req.Header.Set("Accept-Encoding", "gzip")
	}
	began := time.Now()
	resp, err := promptReader.Do(req)
	if err != nil {
		return read, nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return read, nil, &refusedError{resp.StatusCode, string(text)}
	}
	counted := &countingReader{from: resp.Body}
	body := io.Reader(counted)
	if packed {
		if body, err = gzip.NewReader(counted); err != nil {
			return read, nil, err
		}
	}
	lines := bufio.NewReaderSize(body, 1<<20)
	var last []byte
	for n := 0; ; n++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return read, nil, err
		}
		if n == 0 {
			first = line
		}
		if n == 1 {
			read.first = time.Since(began)
		}
		last = line
	}
	read.total, read.received = time.Since(began), counted.bytes
	if !bytes.HasPrefix(last, []byte(`{"line":"end"`)) {
		return read, nil, fmt.Errorf("the answer ends with %.40q", last)
	}
	return read, first, nil
}

// countingReader counts what goes over the wire.
type countingReader struct {
	from  io.Reader
	bytes int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.bytes += n
	return n, err
}
