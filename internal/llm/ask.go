package llm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// assembly puts an answer together from the events of a stream.
type assembly struct {
	tell  func(Delta)
	text  strings.Builder
	calls []*openCall
	size  int
	usage map[string]json.RawMessage // as the provider reports it
	model string
	stop  string
	first time.Time
	done  bool // the provider said that this is all

	bySchema bool                // the answer is to follow a schema
	hide     func(string) string // takes secrets out of what a provider says
}

// openCall is a call whose arguments still come.
type openCall struct {
	key       int // by which later events name it
	id, name  string
	arguments strings.Builder
}

var (
	errTooLong   = fault.New(fault.Invalid, "The answer is longer than %d MiB", maxAnswer>>20).Hint("ask for less, or set a maximum of tokens")
	errBigEvent  = fault.Unavailablef("the provider sent an event that is larger than %d MiB", maxEvent>>20).Hint("ask for less at once")
	errBigStream = fault.Unavailablef("the provider sent more than %d MiB for one answer", maxStream>>20).Hint("ask for less, or set a maximum of tokens")
)

func (a *assembly) grow(n int) error {
	if a.first.IsZero() && n > 0 {
		a.first = time.Now()
	}
	if a.size += n; a.size > maxAnswer {
		return errTooLong
	}
	return nil
}

func (a *assembly) addText(text string) error {
	if text == "" {
		return nil
	}
	if err := a.grow(len(text)); err != nil {
		return err
	}
	a.text.WriteString(text)
	a.tell(Delta{Text: text})
	return nil
}

func (a *assembly) beginCall(key int, id, name string) error {
	a.calls = append(a.calls, &openCall{key: key, id: id, name: name})
	a.tell(Delta{Tool: name})
	return a.grow(len(id) + len(name) + 1)
}

func (a *assembly) addArguments(key int, text string) error {
	call := a.call(key)
	if call == nil {
		return nil
	}
	call.arguments.WriteString(text)
	return a.grow(len(text))
}

// call is the one that began last under a key; nil: none did.
func (a *assembly) call(key int) *openCall {
	for _, call := range slices.Backward(a.calls) {
		if call.key == key {
			return call
		}
	}
	return nil
}

// addUsage takes what is reported last of each member.
func (a *assembly) addUsage(report map[string]json.RawMessage) {
	if a.usage == nil {
		a.usage = map[string]json.RawMessage{}
	}
	for name, value := range report {
		if string(value) != "null" {
			a.usage[name] = value
		}
	}
}

var (
	errQuiet = errors.New("the provider fell silent")
	errLong  = errors.New("the answer took too long")
)

// ask sends the request and reads the stream that answers it.
func (c *Client) ask(ctx context.Context, to target, r Request, a *assembly) error {
	body, err := json.Marshal(to.body(to, r))
	if err != nil {
		return fault.Invalidf("messages", "cannot be sent as JSON").Because(err)
	}
	if len(body) > maxRequest {
		return fault.New(fault.TooLarge, "The request is larger than %d MiB", maxRequest>>20).Hint("send less")
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	quiet := time.AfterFunc(c.quiet, func() { giveUp(errQuiet) })
	defer quiet.Stop()
	defer time.AfterFunc(answerWithin, func() { giveUp(errLong) }).Stop()

	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.address(to.at, r.Model), bytes.NewReader(body))
	if err != nil {
		return fault.Invalidf("baseURL", "is no address that can be called").Because(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	if to.adapter == "anthropic" {
		request.Header.Set("Anthropic-Version", anthropicVersion)
	}
	request.Header.Set(to.format.key(to.key))
	for name, value := range to.headers {
		request.Header.Set(name, value)
	}
	response, err := c.guard.Client().Do(request)
	if err != nil {
		return c.unreachable(ctx, r, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return refused(response, r, to.hide)
	}
	if kind := response.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
		return fault.Unavailablef("%s answered with %q instead of a stream of events", r.Provider, kind).Hint("look at the connection's baseURL: it must speak the API of " + to.adapter)
	}
	err = readEvents(response.Body, func() { quiet.Reset(c.quiet) }, func(data []byte) error { return to.read(a, data) })
	switch {
	case err == nil && a.done:
		return nil
	case fault.KindOf(err) != fault.Internal:
		return err
	default:
		return c.broken(ctx, r, err)
	}
}

// readEvents hands the data of each event on. Lines without data are signs of life.
func readEvents(from io.Reader, alive func(), handle func(data []byte) error) error {
	bounded := &io.LimitedReader{R: from, N: maxStream}
	lines := bufio.NewScanner(bounded)
	lines.Buffer(make([]byte, 0, 16<<10), maxEvent)
	var data []byte
	for lines.Scan() {
		alive()
		line := lines.Bytes()
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if len(data) > 0 {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(text, []byte(" "))...)
			if len(data) > maxEvent {
				return errBigEvent
			}
			continue
		}
		if len(line) > 0 || len(data) == 0 {
			continue
		}
		if err := handle(data); err != nil {
			return err
		}
		data = data[:0]
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return errBigEvent
	case err != nil:
		return err
	case bounded.N <= 0:
		return errBigStream
	case len(data) == 0:
		return nil
	}
	return handle(data) // the last event may end with the stream
}

// unreadable is an event that is not what the format says.
func unreadable(err error) error {
	return fault.Unavailablef("the provider sent an event that cannot be read").Hint("look at the connection's adapter and baseURL").Because(fmt.Errorf("read event: %w", err))
}
