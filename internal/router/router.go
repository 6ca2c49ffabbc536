// Package router stands in front of a cluster: it sends spans that come by the batch to the processes that take them, pages to
// those that have them and everything else to those that read, and leaves out who does not answer. In front of several
// cells it sends what a project sends to the cell that serves it, which it learns from the answers of the others.
//
// Promises:
//   - It keeps nothing: any number of routers work side by side, and one that dies takes with it only what it was passing on.
//   - A request is sent again only where that cannot do its work twice: when no process has seen it, when it reads, or when it
//     brings spans and events, which count once however often they come.
//   - What it remembers of cells is never trusted: a request that reaches a wrong one is refused there and sent on.
package router

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Config names the processes. An address may begin with the name of a cell, such as eu=http://10.0.0.5:3000.
type Config struct {
	Ingest []string // base URLs of those that take spans
	GRPC   []string // HOST:PORT of OTLP over gRPC there; empty: it is refused
	Read   []string // base URLs of those that serve the rest of the API
	UI     []string // base URLs of those that have the pages; empty: those that read in the first cell do

	BasePath string // what every path begins with, such as "/sonde"

	// LookEvery is the time between two questions whether a process is ready, zero: a second.
	LookEvery time.Duration
	Logger    *slog.Logger

	// Ready is told, again and again, whether there is a process for every kind of request; nil: nobody.
	Ready func(bool)
}

// The roles of processes.
const (
	ingestRole = "ingest"
	grpcRole   = "grpc"
	readRole   = "read"
	uiRole     = "ui"
)

// Router is the handler of everything.
type Router struct {
	cells []*cell // what names no project is for the first
	ui    *pool
	pools []*pool
	base  string
	proxy *httputil.ReverseProxy
	ready func(bool)
}

// New makes a router; Run keeps watch for it.
func New(cfg Config) (*Router, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.LookEvery <= 0 {
		cfg.LookEvery = time.Second
	}
	if len(cfg.Ingest) == 0 || len(cfg.Read) == 0 {
		_, missing := newPool(ingestRole, cfg.Ingest, false, cfg)
		_, also := newPool(readRole, cfg.Read, false, cfg)
		return nil, errors.Join(missing, also)
	}
	r := &Router{base: cfg.BasePath, ready: cfg.Ready}
	err := r.openCells(cfg)
	if err != nil {
		return nil, err
	}
	if r.ui = r.cells[0].pools[readRole]; len(cfg.UI) > 0 {
		if r.ui, err = newPool(uiRole, cfg.UI, false, cfg); err != nil {
			return nil, err
		}
		r.pools = append(r.pools, r.ui)
	}
	r.proxy = &httputil.ReverseProxy{
		Rewrite:       rewrite,
		Transport:     &transport{Router: r},
		FlushInterval: -1, // streams of news and of spans are not kept back
		ErrorHandler:  r.fail,
		ErrorLog:      slog.NewLogLogger(cfg.Logger.Handler(), slog.LevelDebug),
	}
	return r, nil
}

// rewrite leaves host and path as they are: the processes behind know their public address by them.
func rewrite(p *httputil.ProxyRequest) {
	p.Out.Host = p.In.Host
	p.Out.Header["X-Forwarded-For"] = p.In.Header["X-Forwarded-For"]
	p.SetXForwarded()
}

// ServeHTTP passes a request on.
func (r *Router) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	to := r.roleFor(request)
	if to == grpcRole && r.cells[0].pools[grpcRole] == nil {
		http.Error(w, "OTLP over gRPC is not served here; name the addresses of those that do by --grpc", http.StatusNotImplemented)
		return
	}
	r.proxy.ServeHTTP(w, request.WithContext(within(request.Context(), to)))
}

// roleFor chooses by path alone: a proxy of any other make can be told the same in three lines.
func (r *Router) roleFor(request *http.Request) string {
	path := strings.TrimPrefix(request.URL.Path, r.base)
	switch {
	case strings.HasPrefix(request.Header.Get("Content-Type"), "application/grpc"):
		return grpcRole
	case strings.HasPrefix(path, "/api/public/otel/") || path == ingestion:
		return ingestRole
	case strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/generated/"):
		return readRole
	}
	return uiRole
}

// ingestion is where older SDKs send events.
const ingestion = "/api/public/ingestion"

// fail answers when no process did, with what makes clients send again.
func (r *Router) fail(w http.ResponseWriter, request *http.Request, err error) {
	if request.Context().Err() != nil {
		return // the client is gone
	}
	status := http.StatusServiceUnavailable
	if strings.HasSuffix(request.URL.Path, ingestion) {
		status = http.StatusInternalServerError // older SDKs know no 503
	}
	w.Header().Set("Retry-After", "1")
	w.Header().Set("X-Request-Id", uuid.NewString())
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	message := "No process with the role " + roleOf(request.Context()) + " answers now; send it again"
	switch {
	case errors.Is(err, errMoved):
		message = "The project has moved to another cell; send it again"
	case errors.Is(err, errUnknownCell):
		message = "The router was not told of the cell that serves the project; its operator names it by --ingest and --read"
	}
	fmt.Fprintf(w, `{"message":%q,"error":"ServiceUnavailableError"}`+"\n", message)
}

func parse(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q must be an address like http://10.0.0.5:3000", address)
	}
	return u, nil
}
