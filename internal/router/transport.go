package router

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	// heldFor is how long a request waits for a project that is being moved before its client is told to come again.
	heldFor = 8 * time.Second
	// heldPause is the time between two tries meanwhile.
	heldPause = 200 * time.Millisecond
	// sharedTraces are read without a key: the router cannot know whose they are, and asks one cell after the other.
	sharedTraces = "/api/public/shared-traces/"
	// keyCheck is what tells whose a key is; it answers any key and counts toward no rate.
	keyCheck = "/api/public/projects"
)

// The errors of a request that reached no cell which serves it. Its client is told to send it again.
var (
	errMoved       = errors.New("another cell serves the project, and the body was too large to keep")
	errUnknownCell = errors.New("no process of this cell is known; name some by --ingest and --read")
)

type roleKey struct{}

func within(ctx context.Context, role string) context.Context {
	return context.WithValue(ctx, roleKey{}, role)
}

func roleOf(ctx context.Context) string { return ctx.Value(roleKey{}).(string) } //nolint:forcetypeassert // ServeHTTP puts it there

// transport sends a request to the cell that serves it, and there to a process that answers.
type transport struct {
	*Router
	room room
	ways ways
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := t.room.hold(request)
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	defer body.free()
	if roleOf(request.Context()) == uiRole {
		return t.ui.attempts(request, body)
	}
	if strings.HasPrefix(strings.TrimPrefix(request.URL.Path, t.base), sharedTraces) {
		return t.anywhere(request, body)
	}
	return t.follow(request, body)
}

// follow sends a request where it is served, as far as that is known, and then where it is told to. Two cells that each
// name the other do so for a second at most, while one of them has not heard of a switch.
func (t *transport) follow(request *http.Request, body *heldBody) (*http.Response, error) {
	who := tenantOf(request)
	at, err := t.way(request, who, body)
	if err != nil {
		return nil, err
	}
	visited := map[*cell]bool{}
	for end := time.Now().Add(heldFor); ; {
		answer, err := at.pools[roleOf(request.Context())].attempts(request, body)
		if err != nil {
			return nil, err
		}
		next, err := t.told(answer, who)
		switch {
		case err != nil:
			return nil, errors.Join(err, answer.Body.Close())
		case next == nil && !isHeld(answer), next == nil && !body.held:
			return answer, nil
		case next != nil && !body.held:
			return nil, errors.Join(errMoved, answer.Body.Close())
		case time.Now().After(end):
			return late(answer)
		}
		_ = answer.Body.Close() // it will be answered anew
		if next == nil || visited[next] {
			if err := pause(request.Context()); err != nil {
				return nil, err
			}
		}
		visited[at] = true
		if next != nil {
			at = next
		}
	}
}

// late gives up: what a held project answered is passed on, a way that led nowhere is an error.
func late(answer *http.Response) (*http.Response, error) {
	if isHeld(answer) {
		return answer, nil
	}
	return nil, errors.Join(errMoved, answer.Body.Close())
}

// told reads which cell serves the request if that one does not, and remembers it.
func (t *transport) told(answer *http.Response, who tenant) (*cell, error) {
	name := answer.Header.Get(cellHeader)
	if name == "" {
		return nil, nil //nolint:nilnil // it was served
	}
	next := t.cellNamed(name)
	if next == nil {
		return nil, fmt.Errorf("cell %s: %w", name, errUnknownCell)
	}
	t.ways.put(who, next)
	return next, nil
}

// way is the cell to begin with: the one that was right last, else the first. For a body that cannot be sent twice it is
// found out beforehand, by checking the key.
func (t *transport) way(request *http.Request, who tenant, body *heldBody) (*cell, error) {
	if c, ok := t.ways.get(who); ok {
		return c, nil
	}
	first := t.cells[0]
	if body.held || len(t.cells) == 1 || request.Header.Get("Authorization") == "" {
		return first, nil
	}
	check, err := http.NewRequestWithContext(within(request.Context(), readRole), http.MethodGet, t.base+keyCheck, nil)
	if err != nil {
		return nil, err
	}
	check.Host, check.Header["Authorization"] = request.Host, request.Header["Authorization"]
	answer, err := first.pools[readRole].attempts(check, &heldBody{held: true})
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	next, err := t.told(answer, who)
	if next == nil {
		next = first
	}
	t.ways.put(who, next)
	return next, err
}

// anywhere asks one cell after the other until one has what is asked for.
func (t *transport) anywhere(request *http.Request, body *heldBody) (answer *http.Response, err error) {
	for i, c := range t.cells {
		answer, err = c.pools[roleOf(request.Context())].attempts(request, body)
		if last := i == len(t.cells)-1; last || err != nil || answer.StatusCode != http.StatusNotFound {
			break
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 4<<10)) // so that the connection can be used again
		_ = answer.Body.Close()
	}
	return answer, err
}

func isHeld(answer *http.Response) bool { return answer.Header.Get(heldHeader) != "" }

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(heldPause):
		return nil
	}
}
