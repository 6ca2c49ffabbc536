package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/ingest"
)

// Pace is how slowly a client may send a body: every pause within Grace, and everything within
// Grace and the time that its bytes take at Rate.
type Pace struct {
	Grace time.Duration
	Rate  int64 // bytes per second
}

// DefaultPace suits the slowest lines we know; the rest are clients that hold connections.
func DefaultPace() Pace { return Pace{Grace: 10 * time.Second, Rate: 16 << 10} }

// bodyReader brings request bodies through the door.
type bodyReader struct {
	door *ingest.Door
	pace Pace
}

// read calls use with the decompressed body, which is only valid until use returns. When it
// refuses a body it still takes what the client sends, up to the bound, and throws it away: most
// clients read no answer before they have sent everything.
func (b *bodyReader) read(w http.ResponseWriter, r *http.Request, use func(body []byte) error) error {
	coding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding")))
	if !ingest.Decompresses(coding) {
		return refusal{
			http.StatusUnsupportedMediaType, "UnsupportedMediaTypeError",
			fmt.Sprintf("Content-Encoding %q is not supported; send gzip, deflate, zstd or identity", coding),
		}
	}
	body := newPacedBody(w, r, b.pace)
	defer body.end()
	err := b.through(r, body, coding, use)
	infoOf(r).account.bytes = body.got
	asks := body.got == 0 && r.Header.Get("Expect") != "" // and sends nothing before it hears of us
	if err != nil && !body.done && !asks {
		_, _ = io.CopyN(io.Discard, body, b.door.MaxBodyBytes()) // how far it gets changes nothing
	}
	if body.late {
		return refusal{
			http.StatusRequestTimeout, "RequestTimeoutError",
			fmt.Sprintf("The request body came too slowly; send at least %d bytes per second", b.pace.Rate),
		}
	}
	return err
}

func (b *bodyReader) through(r *http.Request, body io.Reader, coding string, use func(body []byte) error) error {
	ctx := r.Context()
	visit, err := b.door.Admit(ctx, infoOf(r).project)
	if err != nil {
		return err
	}
	defer visit.Leave()
	if err := b.door.Fits(r.ContentLength); err != nil {
		return err
	}
	if err := visit.Receive(ctx, body); err != nil {
		return err
	}
	received := time.Now()
	defer func() { infoOf(r).account.worked = time.Since(received) }()
	return visit.Work(ctx, coding, use)
}

// pacedBody reads a body with deadlines that move as it comes.
type pacedBody struct {
	from    io.Reader
	control *http.ResponseController
	pace    Pace
	began   time.Time
	got     int64
	done    bool // nothing more can come
	late    bool
}

func newPacedBody(w http.ResponseWriter, r *http.Request, pace Pace) *pacedBody {
	return &pacedBody{from: r.Body, control: http.NewResponseController(w), pace: pace, began: time.Now()}
}

func (p *pacedBody) Read(b []byte) (int, error) {
	now := time.Now()
	due := p.began.Add(p.pace.Grace + time.Duration(p.got)*time.Second/time.Duration(p.pace.Rate))
	if pause := now.Add(p.pace.Grace); due.After(pause) {
		due = pause
	}
	_ = p.control.SetReadDeadline(due) // what has no connection has no deadline
	n, err := p.from.Read(b)
	p.got += int64(n)
	if err != nil {
		p.done = true
		p.late = errors.Is(err, os.ErrDeadlineExceeded)
	}
	return n, err
}

// end takes the deadline away: the server watches the connection while the request is worked on.
func (p *pacedBody) end() { _ = p.control.SetReadDeadline(time.Time{}) }
