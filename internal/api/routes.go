package api

import (
	"context"
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// handler answers a request or says why not. Routes without credentials get a zero caller.
type handler func(w http.ResponseWriter, r *http.Request, caller auth.Principal) error

// failure turns an error into an answer.
type failure func(w http.ResponseWriter, r *http.Request, err error)

type route struct {
	method, path string
	handle       handler
	role         role
	open         bool        // answers without credentials
	level        level       // whose key it takes; zero: a project's
	needs        model.Scope // of the key; empty: read for GET, all for other methods
	anyScope     bool        // a key will do, whatever its scope, if its secret is given
	admin        bool        // the admin key may act as a project here
	least        model.Role  // of people who have signed in; empty: VIEWER for GET, ADMIN for other methods of organizations, else MEMBER
	keysOnly     bool        // takes keys, and nobody who has signed in
	fromPage     bool        // refuses pages of other origins, although it is open
	unknown      bool        // to a key of another level, which gets 401 instead of 403
	fail         failure     // nil: the API's common error bodies
	coded        bool        // errors have a code instead of a name
	deprecated   bool        // a read that newer clients do without
}

// role says on which nodes a route is served.
type role int

const (
	everyNode role = iota
	ingestNode
	intakeNode // takes what people and SDKs write singly and goes the way of spans
	readNode
	receiptNode // has both log and store
	letterNode  // has the log
	jobNode
	logsNode // takes log records
	deleteNode
	flagNode       // takes events and has the store
	sharedNode     // reads, and knows which traces are public
	liveNode       // hears the news
	playgroundNode // takes traces in
	peopleNode     // lets people sign in
	sqlNode        // reads what people write
	oidcNode       // lets them do so through a provider
)

// roles are those that this node has.
func (s *server) roles() map[role]bool {
	return map[role]bool{
		everyNode:      true,
		ingestNode:     !s.NoIngest,
		logsNode:       !s.NoIngest && s.Logs != nil,
		intakeNode:     !s.NoIntake,
		readNode:       !s.NoReads,
		receiptNode:    s.Receipts != nil,
		letterNode:     s.DeadLetters != nil,
		deleteNode:     s.Deletes != nil,
		flagNode:       s.Flags != nil && !s.NoIntake,
		sharedNode:     s.Flags != nil && !s.NoReads,
		liveNode:       s.Live != nil,
		playgroundNode: s.Playground != nil && !s.NoIntake,
		jobNode:        s.Jobs != nil,
		peopleNode:     s.SignIn != nil,
		sqlNode:        s.SQL != nil && !s.NoReads,
		oidcNode:       s.SignIn != nil && s.OIDC != nil,
	}
}

func (s *server) routes() []route {
	return slices.Concat(
		s.coreRoutes(),
		s.listRoutes(),
		s.jobRoutes(),
		s.scoreRoutes(),
		s.datasetRoutes(),
		s.datasetPageRoutes(),
		s.promptRoutes(),
		s.annotationRoutes(),
		s.reviewRoutes(),
		s.connectionRoutes(),
		s.playgroundRoutes(),
		s.erasureRoutes(),
		s.deleteRoutes(),
		s.tracePageRoutes(),
		s.sharedTraceRoutes(),
		s.deprecatedRoutes(),
		s.tenancyRoutes(),
		s.auditRoutes(),
		s.sqlRoutes(),
		s.exportRoutes(),
		s.liveRoutes(),
		s.savedViewRoutes(),
		s.dashboardRoutes(),
		s.alertRoutes(),
		s.evaluatorRoutes(),
		s.evaluationRuleRoutes(),
		s.docsRoutes(),
		s.sessionRoutes(),
		s.oidcRoutes(),
		s.accountRoutes(),
		s.invitationRoutes(),
	)
}

func (s *server) coreRoutes() []route {
	return []route{
		{method: http.MethodGet, path: projectsPath, handle: s.projects, anyScope: true},
		{method: http.MethodGet, path: "/api/public/models", handle: s.listModels, admin: true},
		{method: http.MethodPost, path: "/api/public/models", handle: s.createModel, admin: true, least: model.Admin},
		{method: http.MethodGet, path: "/api/public/models/{modelId}", handle: s.getModel, admin: true},
		{method: http.MethodPut, path: "/api/public/models/{modelId}", handle: s.putModel, admin: true, least: model.Admin},
		{method: http.MethodDelete, path: "/api/public/models/{modelId}", handle: s.deleteModel, admin: true, least: model.Admin},
		{method: http.MethodGet, path: "/api/public/v2/observations", handle: s.observations, role: readNode},
		{method: http.MethodGet, path: "/api/public/v3/scores", handle: s.scores, role: readNode},
		{method: http.MethodGet, path: "/api/public/experiments", handle: s.experiments, role: readNode},
		{method: http.MethodGet, path: "/api/public/experiment-items", handle: s.experimentItems, role: readNode},
		{method: http.MethodGet, path: "/api/public/experiments/figures", handle: s.experimentFigures, role: readNode},
		{method: http.MethodGet, path: "/api/public/experiments/compare", handle: s.compareExperiments, role: readNode},
		{method: http.MethodGet, path: "/api/public/experiments/compare/items", handle: s.comparedItems, role: readNode},
		{method: http.MethodGet, path: "/api/public/v2/metrics", handle: s.queryMetrics, role: readNode},
		{method: http.MethodGet, path: "/api/public/facets", handle: s.facets, role: readNode},
		{method: http.MethodPost, path: "/api/public/otel/v1/traces", handle: s.traces, role: ingestNode, needs: model.ScopeIngest, fail: s.failOTLP},
		{method: http.MethodPost, path: "/api/public/otel/v1/logs", handle: s.logs, role: logsNode, needs: model.ScopeIngest, fail: s.failOTLP},
		{method: http.MethodPost, path: "/api/public/otel/v1/metrics", handle: metrics, role: ingestNode, needs: model.ScopeIngest},
		{method: http.MethodPost, path: ingestionPath, handle: s.ingestion, role: ingestNode, needs: model.ScopeScores, unknown: true, fail: s.failEvents},
		{method: http.MethodGet, path: "/api/public/receipts/{id}", handle: s.receipt, role: receiptNode},
		{method: http.MethodGet, path: "/api/public/dead-letters", handle: s.deadLetters, role: letterNode, least: model.Admin},
		{method: http.MethodGet, path: "/api/public/dead-letters/{id}", handle: s.deadLetter, role: letterNode, least: model.Admin},
		{method: http.MethodDelete, path: "/api/public/dead-letters/{id}", handle: s.deleteDeadLetter, role: letterNode, least: model.Admin},
		{method: http.MethodPost, path: "/api/public/dead-letters/{id}/redrive", handle: s.redriveDeadLetter, role: letterNode, least: model.Admin},
		{method: http.MethodPost, path: "/api/public/media", handle: s.announceMedia, role: intakeNode, needs: model.ScopeIngest},
		{method: http.MethodPatch, path: mediaPath, handle: s.reportMedia, role: intakeNode, needs: model.ScopeIngest},
		{method: http.MethodGet, path: mediaPath, handle: s.media, role: readNode},
		{method: http.MethodPut, path: contentPath, handle: s.uploadMedia, role: intakeNode, open: true},
		{method: http.MethodGet, path: contentPath, handle: s.mediaContent, role: readNode, open: true},
		{method: http.MethodGet, path: "/api/public/health", handle: s.health, open: true},
		{method: http.MethodGet, path: "/api/public/ready", handle: s.ready, open: true},
		{method: http.MethodGet, path: "/api/openapi.yaml", handle: s.description, open: true},
		{method: http.MethodGet, path: "/generated/api/openapi.yml", handle: s.description, open: true},
	}
}

// mux registers paths without methods: the answers to unknown paths and methods are ours.
func (s *server) mux() http.Handler {
	byPath := map[string]map[string]route{}
	var elsewhere []route
	roles := s.roles()
	for _, rt := range s.routes() {
		if !roles[rt.role] {
			elsewhere = append(elsewhere, rt)
			continue
		}
		switch {
		case rt.coded:
			rt.fail = s.failCoded
		case rt.fail == nil:
			rt.fail = s.fail
		}
		if byPath[rt.path] == nil {
			byPath[rt.path] = map[string]route{}
		}
		byPath[rt.path][rt.method] = rt
	}
	for _, rt := range elsewhere {
		if methods := byPath[rt.path]; methods != nil { // the method is known, so it is not a wrong one
			methods[rt.method] = route{handle: notHere, open: true, fail: s.fail}
		}
	}
	mux := http.NewServeMux()
	for p, methods := range byPath {
		mux.Handle(s.BasePath+p, s.dispatch(methods))
	}
	mux.HandleFunc("/", s.elsewhere)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !clean(r.URL.EscapedPath()) { // ServeMux would redirect, with a body that is no JSON
			s.notFound(w, r)
			return
		}
		s.withWholeNames(r)
		mux.ServeHTTP(w, r)
	})
}

// elsewhere answers for paths that are no routes: those outside of the API belong to the UI.
func (s *server) elsewhere(w http.ResponseWriter, r *http.Request) {
	page, below := strings.CutPrefix(r.URL.Path, s.BasePath)
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	if s.Pages == nil || !read || !below || page != "" && page[0] != '/' || isOurs(page) {
		s.notFound(w, r)
		return
	}
	r.Pattern = uiRoute
	http.StripPrefix(s.BasePath, s.Pages).ServeHTTP(w, r)
}

// isOurs tells whether a path, without the base path, is one of the API, known or not.
func isOurs(p string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	return first == "api" || first == "generated" || first == ".well-known"
}

func clean(p string) bool {
	c := path.Clean(p)
	return strings.HasPrefix(p, "/") && (c == p || c+"/" == p)
}

var errNotFound = refusal{http.StatusNotFound, "LangfuseNotFoundError", "Not found"}

func (s *server) notFound(w http.ResponseWriter, r *http.Request) { s.fail(w, r, errNotFound) }

// notHere answers for a route that nodes of another role serve.
func notHere(http.ResponseWriter, *http.Request, auth.Principal) error { return errNotFound }

// dispatch checks the method, whether the route is served, then the credentials, the cell and the rate, then calls the handler.
func (s *server) dispatch(methods map[string]route) http.Handler {
	allowed, refuse := []string{http.MethodOptions}, s.fail
	for method, rt := range methods {
		allowed = append(allowed, method)
		if rt.coded {
			refuse = s.failCoded
		}
	}
	slices.Sort(allowed)
	allow := strings.Join(allowed, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions {
			preflight(w, r)
			return
		}
		rt, ok := methods[r.Method]
		if !ok {
			w.Header().Set("Allow", allow)
			refuse(w, r, refusal{http.StatusMethodNotAllowed, "MethodNotAllowedError", "Method not allowed"})
			return
		}
		if rt.deprecated && s.NoDeprecated {
			s.fail(w, r, errDeprecated)
			return
		}
		caller, err := s.authenticate(r, rt)
		if err == nil {
			err = s.inCell(r, caller)
		}
		if err == nil && rt.counts() {
			err = s.Rates.Ask(caller.Project.ID)
		}
		if err == nil {
			err = s.handle(w, r, rt, caller) //nolint:contextcheck // it takes that of the request
		}
		if err == nil {
			s.remember(r, rt, caller)
		}
		if err != nil {
			cellHeaders(w.Header(), err)
			rt.fail(w, r, err)
		}
	})
}

// handle calls the handler of a route. A read can be canceled by its request id meanwhile.
func (s *server) handle(w http.ResponseWriter, r *http.Request, rt route, caller auth.Principal) error {
	on := onBehalf(r, caller)
	if rt.role != readNode && rt.role != sqlNode || caller.Project.ID == "" {
		return rt.handle(w, on, caller)
	}
	ctx, done := s.reads.begin(on.Context(), caller.Project.ID, infoOf(r).id)
	defer done()
	err := rt.handle(w, on.WithContext(ctx), caller)
	if err != nil && errors.Is(context.Cause(ctx), errReadCanceled) {
		return errReadCanceled
	}
	return err
}

// onBehalf names the caller's project to the store, whose reads are bounded by project. Probes have none.
func onBehalf(r *http.Request, caller auth.Principal) *http.Request {
	if caller.Project.ID == "" {
		return r
	}
	return r.WithContext(tracestore.ForProject(r.Context(), caller.Project.ID))
}

// allowOrigin lets pages of any origin read answers to keys, which travel in a header that a page sets itself. It
// allows no credentials of the browser: what the cookie of a session opens, only pages of our own origin read.
func allowOrigin(h http.Header, r *http.Request) {
	h.Add("Vary", "Origin")
	if origin := r.Header.Get("Origin"); origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
	}
}

func preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET,HEAD,PUT,PATCH,POST,DELETE")
	h.Add("Vary", "Access-Control-Request-Headers")
	if wanted := r.Header.Get("Access-Control-Request-Headers"); wanted != "" {
		h.Set("Access-Control-Allow-Headers", wanted)
	}
	w.WriteHeader(http.StatusNoContent)
}
