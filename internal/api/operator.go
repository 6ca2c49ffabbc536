package api

import (
	"errors"
	"log/slog"
	"net"
	"net/http"

	"github.com/sondehq/sonde/internal/eventlog"
)

// NewOperator returns what the operator's own listener serves under /dead-letters: the letters of
// every project and those of none.
//
// It knows no keys. So it answers only to programs on this machine: not to other machines, whatever
// the listener is bound to, and not to web pages, which can make a browser call loopback addresses.
func NewOperator(letters eventlog.DeadLetters, log *slog.Logger) http.Handler {
	o := &operator{letters, log}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /dead-letters", o.answer(o.list))
	mux.HandleFunc("GET /dead-letters/{id}", o.answer(o.show))
	mux.HandleFunc("POST /dead-letters/redrive", o.answer(o.redriveAll))
	mux.HandleFunc("POST /dead-letters/{id}/redrive", o.answer(o.redrive))
	mux.HandleFunc("DELETE /dead-letters/{id}", o.answer(o.delete))
	return mux
}

type operator struct {
	letters eventlog.DeadLetters
	log     *slog.Logger
}

var errNotLocal = refusal{http.StatusForbidden, "ForbiddenError", "only programs on the server's own machine may ask this"}

func (o *operator) answer(handle func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := error(errNotLocal)
		if local(r) {
			err = handle(w, r)
		}
		status := http.StatusOK
		if err != nil {
			var body errorBody
			status, body = describe(err)
			writeJSON(w, status, body)
		}
		if err != nil && status >= http.StatusInternalServerError || r.Method != http.MethodGet {
			o.log.InfoContext(r.Context(), "operator's request", "method", r.Method, "path", r.URL.Path, "status", status, "error", err)
		}
	}
}

// local reports whether a program of this machine asks. A page in its browser tells where it comes
// from, or comes by a name that somebody pointed at loopback.
func local(r *http.Request) bool {
	return isLoopback(r.RemoteAddr) && (isLoopback(r.Host) || hostOf(r.Host) == "localhost") &&
		r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") == ""
}

func isLoopback(address string) bool {
	ip := net.ParseIP(hostOf(address))
	return ip != nil && ip.IsLoopback()
}

func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

func (o *operator) list(w http.ResponseWriter, r *http.Request) error {
	return listLetters(w, r, o.letters, eventlog.DeadLetterQuery{All: true})
}

func (o *operator) show(w http.ResponseWriter, r *http.Request) error {
	id, err := letterID(r)
	if err != nil {
		return err
	}
	letter, record, err := o.letters.DeadLetter(r.Context(), id)
	if err != nil {
		return letterFault(err)
	}
	writeJSON(w, http.StatusOK, letterJSON(letter, record))
	return nil
}

func (o *operator) redrive(w http.ResponseWriter, r *http.Request) error {
	id, err := letterID(r)
	if err != nil {
		return err
	}
	return redriveLetter(w, r, o.letters, id)
}

func (o *operator) delete(w http.ResponseWriter, r *http.Request) error {
	id, err := letterID(r)
	if err != nil {
		return err
	}
	return deleteLetter(w, r, o.letters, id)
}

// RedrivenAll says what became of all letters.
type RedrivenAll struct {
	Redriven int `json:"redriven"`
	Kept     int `json:"kept"` // larger than the log now takes
}

// redriveAll walks from the newest letter down. What fails again meanwhile comes back as a newer
// letter, which the walk does not meet. It ends when the log takes no more.
func (o *operator) redriveAll(w http.ResponseWriter, r *http.Request) error {
	var result RedrivenAll
	for before := uint64(0); ; {
		page, err := o.letters.DeadLetters(r.Context(), eventlog.DeadLetterQuery{All: true, Before: before, Limit: maxLetters})
		if err != nil {
			return err
		}
		for _, letter := range page {
			before = letter.ID
			_, err := o.letters.Redrive(r.Context(), letter.ID)
			switch {
			case err == nil:
				result.Redriven++
			case errors.Is(err, eventlog.ErrTooLarge):
				result.Kept++
			case !errors.Is(err, eventlog.ErrNoDeadLetter): // else somebody was faster
				return letterFault(err)
			}
		}
		if len(page) < maxLetters {
			writeJSON(w, http.StatusOK, result)
			return nil
		}
	}
}
