// Package api serves the public HTTP API: routes, request and response shapes, error bodies
// and the description of them all in openapi.yaml.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/alerts"
	"github.com/sondehq/sonde/internal/annotation"
	"github.com/sondehq/sonde/internal/audit"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/cells"
	"github.com/sondehq/sonde/internal/connections"
	"github.com/sondehq/sonde/internal/dashboards"
	"github.com/sondehq/sonde/internal/datasets"
	"github.com/sondehq/sonde/internal/evaluation"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/export"
	"github.com/sondehq/sonde/internal/flagging"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/live"
	"github.com/sondehq/sonde/internal/media"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/playground"
	"github.com/sondehq/sonde/internal/prompts"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/ratelimit"
	"github.com/sondehq/sonde/internal/savedviews"
	"github.com/sondehq/sonde/internal/scoring"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/signin"
	"github.com/sondehq/sonde/internal/tenancy"
	"github.com/sondehq/sonde/internal/tracestore"
)

// CompatibleVersion is the server version that we report to clients: they ask for one of at
// least 4.55.0 and know nothing of ours.
const CompatibleVersion = "4.60.0"

// DefaultMaxBodyBytes bounds an OTLP body after decompression.
const DefaultMaxBodyBytes = 64 << 20

// Authenticator finds out who calls.
type Authenticator interface {
	// Authenticate reads an Authorization header. A key that is not known, or a header that is
	// no credential, is a fault of kind Unauthenticated; keys that cannot be looked up now are
	// one of kind Unavailable.
	Authenticate(ctx context.Context, header string) (auth.Principal, error)
}

// Acceptor takes spans in.
type Acceptor interface {
	// Accept returns nil once every accepted span is durable.
	Accept(ctx context.Context, in ingest.Submission) (ingest.Outcome, error)
}

// Health answers the questions of probes.
type Health interface {
	// Database fails when the metadata database does not answer.
	Database(ctx context.Context) error
	// Ready fails when requests should go elsewhere: a part they need does not answer, data cannot be
	// acknowledged, or is not stored. Of a fault anybody may read the text.
	Ready(ctx context.Context) error
	// RecentEvents reports whether an observation of any project started at or after since.
	RecentEvents(ctx context.Context, since time.Time) (bool, error)
	// Draining reports whether the process has begun to shut down.
	Draining() bool
}

// Config is what the API needs. What says nothing of nil is required; Ingest, Events and Query unless their
// routes are left out, Media unless all are.
type Config struct {
	Auth     Authenticator
	Ingest   Acceptor
	Events   EventAcceptor
	Logs     LogAcceptor // nil: no route for logs
	Query    *query.Service
	Media    *media.Service
	Models   Models
	Scoring  *scoring.Service
	Datasets *datasets.Service
	Prompts  *prompts.Service
	Prices   Prices // nil: rows show no prices
	Health   Health
	Jobs     *jobs.Service // nil: this node has no jobs, their routes are left out

	Deletes       TraceDeleter      // nil: leave out the routes that delete traces
	Erasures      Erasures          // reports on deletes
	Flags         *flagging.Service // nil: leave out the route that flags traces
	Tenancy       *tenancy.Service
	SignIn        *signin.Service // nil: nobody signs in, the routes for it are left out
	OIDC          *OIDC           // nil: nobody signs in through a provider, the routes for it are left out
	SQL           tracestore.SQL  // nil: leave out the route for queries that people write
	Audit         *audit.Service  // nil: nothing is remembered, and the route that shows it fails
	AdminKey      auth.AdminKey   // empty: nobody administers the instance
	ProjectEraser ProjectEraser   // nil: projects cannot be deleted, 501
	Annotation    *annotation.Service
	Exports       *export.Service
	SavedViews    *savedviews.Service
	Dashboards    *dashboards.Service
	Alerts        *alerts.Service
	AlertTargets  *alerts.Targets
	Evaluations   *evaluation.Service
	Connections   *connections.Service
	Playground    *playground.Service // nil: leave out the routes for trying prompts

	Live       *live.Reporter // nil: leave out the routes of news, and tell nobody
	LiveLimits LiveLimits     // zero: the defaults
	// Claims reads whose key a request names, for telling its project why it was refused; nil: nobody is told.
	Claims func(ctx context.Context, header string) auth.Claim
	// LogStatus is the state of the log; nil: none is shown.
	LogStatus func(ctx context.Context) (eventlog.Status, error)
	// Stopping is closed when the server begins to stop: streams end then. nil: they end with their requests.
	Stopping <-chan struct{}

	Receipts    ReceiptReader        // nil: leave out the route of receipts
	DeadLetters eventlog.DeadLetters // nil: leave out the routes of dead letters

	Cells *cells.Guard       // which projects are served here; nil: all
	Rates *ratelimit.Limiter // how often projects may ask; nil: as often as they like
	Door  *ingest.Door       // where bodies come through; nil: one of its own with the default limits
	Pace  Pace               // how slowly bodies may come; zero: DefaultPace

	NoIngest     bool // leave out the routes that take spans by the batch: 404
	NoIntake     bool // leave out those that take single scores, media and flags, which go the way of spans: 404
	NoReads      bool // leave out the routes that read them: 404
	NoDeprecated bool // answer 404 on deprecated routes
	// ScoresOnly refuses traces and observations of older clients; their scores are taken.
	ScoresOnly bool

	// Observe, when set, hears of every request once it is answered: its route without the base
	// path, "ui" for pages, "other" for a path that is none, and its status, 0 when the caller left without one.
	Observe func(selfobs.Request)

	// Pages, when set, answers GET and HEAD outside of the API's own paths, without the base path: the UI.
	Pages http.Handler

	Log      *slog.Logger // nil: no logs
	Version  string       // our own version, beside CompatibleVersion
	BasePath string       // what every path begins with, such as "/sonde"
	// PublicURL is how clients reach the API, base path included; empty: as each of them just did.
	PublicURL string
}

// server holds what handlers share.
type server struct {
	Config
	bodies    *bodyReader
	reads     *runningReads
	streams   *streams
	origins   *http.CrossOriginProtection // knows our own pages
	tools     func() http.Handler         // for agents
	skeletons chan struct{}               // the places of those that are being sent
	shared    chan struct{}               // the same for those that everybody may see
}

// New returns the handler of the whole API.
func New(cfg Config) http.Handler {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Door == nil {
		anyone := func(string) error { return nil }
		cfg.Door = ingest.NewDoor(ingest.Limits{MaxBodyBytes: DefaultMaxBodyBytes}, anyone, selfobs.NewMetrics())
	}
	if cfg.Pace == (Pace{}) {
		cfg.Pace = DefaultPace()
	}
	if cfg.Rates == nil {
		cfg.Rates = ratelimit.New(ratelimit.Rates{}, nil)
	}
	cfg.LiveLimits = cfg.LiveLimits.withDefaults()
	if cfg.BasePath = strings.Trim(cfg.BasePath, "/"); cfg.BasePath != "" {
		cfg.BasePath = "/" + cfg.BasePath
	}
	s := &server{
		Config: cfg, bodies: &bodyReader{door: cfg.Door, pace: cfg.Pace}, reads: newRunningReads(),
		streams:   &streams{limits: cfg.LiveLimits, project: map[string]int{}},
		origins:   ownPages(cfg.PublicURL),
		skeletons: make(chan struct{}, skeletonsAtOnce),
		shared:    make(chan struct{}, sharedAtOnce),
	}
	handler := s.observed(s.mux())
	s.tools = s.newTools(handler)
	return handler
}

// Route is a method and a path that the API answers, and who may ask.
type Route struct {
	Method, Path string
	Open         bool        // without credentials
	Access       auth.Access // whose key it takes: of a project, an organization or the instance
	Scope        model.Scope // which the key must have; empty: any
	Admin        bool        // the admin key may act as a project
	Unknown      bool        // a key of another level is 401, not 403
	Role         model.Role  // which people who have signed in must have at least; empty: it takes none of them, or needs no role
}

// Routes lists every route, without the base path.
func Routes() []Route {
	var list []Route
	for _, rt := range (&server{}).routes() {
		list = append(list, Route{
			Method: rt.method, Path: rt.path, Open: rt.open, Access: rt.level.access(), Scope: rt.scope(), Admin: rt.admin, Unknown: rt.unknown,
			Role: rt.leastRole(),
		})
	}
	return list
}
