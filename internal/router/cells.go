package router

import (
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What processes say by headers. An answer with one of them means that nothing was done.
const (
	cellHeader = "X-Sonde-Cell" // the cell that serves the project
	heldHeader = "X-Sonde-Held" // the project is being moved to another cell
	unnamed    = "-"            // the cell without a name, in a header
)

// cell is the processes that serve the same projects.
type cell struct {
	name  string
	pools map[string]*pool // by role
}

// named is an address with the cell it belongs to.
var named = regexp.MustCompile(`^([a-z0-9][a-z0-9-]{0,31})=(.*)$`)

// byCell takes addresses apart; the order of cells is that of their first address.
func byCell(addresses []string) (order []string, of map[string][]string) {
	of = map[string][]string{}
	for _, address := range addresses {
		name := ""
		if parts := named.FindStringSubmatch(address); parts != nil {
			name, address = parts[1], parts[2]
		}
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
		of[name] = append(of[name], address)
	}
	return order, of
}

// openCells makes the pools of all cells. Each must have every role that any has, but for pages, which are the same everywhere.
func (r *Router) openCells(cfg Config) error {
	grpc := make([]string, len(cfg.GRPC))
	for i, address := range cfg.GRPC {
		grpc[i] = "http://" + address
		if parts := named.FindStringSubmatch(address); parts != nil {
			grpc[i] = parts[1] + "=http://" + parts[2]
		}
	}
	order, _ := byCell(slices.Concat(cfg.Ingest, cfg.Read, grpc))
	var errs []error
	for _, name := range order {
		c := &cell{name: name, pools: map[string]*pool{}}
		for _, role := range []struct {
			name      string
			addresses []string
			needed    bool
		}{{ingestRole, cfg.Ingest, true}, {readRole, cfg.Read, true}, {grpcRole, grpc, len(grpc) > 0}} {
			_, of := byCell(role.addresses)
			if !role.needed {
				continue
			}
			p, err := newPool(role.name, of[name], role.name == grpcRole, cfg)
			if err != nil {
				errs = append(errs, ofCell(name, err))
				continue
			}
			c.pools[role.name] = p
			r.pools = append(r.pools, p)
		}
		r.cells = append(r.cells, c)
	}
	return errors.Join(errs...)
}

func ofCell(name string, err error) error {
	if name == "" {
		return err
	}
	return fmt.Errorf("cell %s: %w", name, err)
}

// cellNamed is nil for a cell that the router was not told of.
func (r *Router) cellNamed(name string) *cell {
	if name == unnamed {
		name = ""
	}
	for _, c := range r.cells {
		if c.name == name {
			return c
		}
	}
	return nil
}

// tenant stands for whose request it is: a hash of its credentials and of the project that it names. 0: nobody says.
type tenant uint64

// The headers and the parameter by which a request names a project beside its credentials.
var projectHeaders = []string{"X-Sonde-Project", "X-Langfuse-Project-Id"}

const projectQuery = "project"

var seed = maphash.MakeSeed()

func tenantOf(request *http.Request) tenant {
	words := []string{request.Header.Get("Authorization")}
	for _, name := range projectHeaders {
		words = append(words, request.Header.Get(name))
	}
	if strings.Contains(request.URL.RawQuery, projectQuery+"=") {
		if query, err := url.ParseQuery(request.URL.RawQuery); err == nil {
			words = append(words, query.Get(projectQuery))
		}
	}
	text := strings.Join(words, "\x00")
	if strings.Trim(text, "\x00") == "" {
		return 0
	}
	return tenant(max(1, maphash.String(seed, text)))
}

// waysKept bounds what is remembered of ways, in each of two generations.
const waysKept = 50_000

// ways remembers which cell somebody was sent to. It is never asked whether that is still so: who is sent wrong is told the
// right way by the process there, at the cost of a second attempt.
type ways struct {
	mu             sync.Mutex
	younger, elder map[tenant]*cell
}

func (w *ways) get(of tenant) (*cell, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, ok := w.younger[of]
	if !ok {
		c, ok = w.elder[of]
	}
	return c, ok
}

func (w *ways) put(of tenant, c *cell) {
	if of == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.younger == nil || len(w.younger) >= waysKept {
		w.younger, w.elder = make(map[tenant]*cell), w.younger
	}
	w.younger[of] = c
}
