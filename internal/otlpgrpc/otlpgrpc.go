// Package otlpgrpc serves OTLP over gRPC. Messages are not decoded here: their bytes go through the
// same door and the same ingest as bodies of OTLP over HTTP, and get the same answers.
package otlpgrpc

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/cells"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/live"
	"github.com/sondehq/sonde/internal/selfobs"
)

// Authenticator finds out who calls.
type Authenticator interface {
	// Authenticate reads an authorization header. A key that is not known, or a header that is
	// no credential, is a fault of kind Unauthenticated; keys that cannot be looked up now are
	// one of kind Unavailable.
	Authenticate(ctx context.Context, header string) (auth.Principal, error)
}

// Accept returns nil once everything accepted is durable.
type Accept func(ctx context.Context, in ingest.Submission) (ingest.Outcome, error)

// Config is what the server needs. Auth, Door and Traces are required.
type Config struct {
	Auth   Authenticator
	Door   *ingest.Door
	Traces Accept
	Cells  *cells.Guard // which projects are served here; nil: all
	Logs   Accept       // nil: clients hear that there is no service for logs (UNIMPLEMENTED)

	// Observe, when set, hears of every call once it is answered: its full method is the route, and
	// its status that of HTTP which means the same as its code.
	Observe func(selfobs.Request)
	Log     *slog.Logger // nil: no logs

	Live *live.Reporter // nil: nobody is told
	// Claims reads whose key a call names, for telling its project why it was refused. Required with Live.
	Claims func(ctx context.Context, header string) auth.Claim

	// ReceiveWithin is how long a message may take from its first byte to its last; 0: 30 seconds.
	ReceiveWithin time.Duration
}

const (
	// maxStreams is how many calls one connection may have at once: exporters have one or a few.
	maxStreams = 100
	// windowBytes and connectionWindowBytes bound what a client may send before we read it.
	windowBytes           = 256 << 10
	connectionWindowBytes = 1 << 20
	maxHeaderBytes        = 64 << 10
	handshakeWithin       = 10 * time.Second
	// pingAfter is how long a connection may be silent before we ask whether somebody is there,
	// and pingWithin how long the answer may take.
	pingAfter  = time.Minute
	pingWithin = 20 * time.Second
	idleFor    = 10 * time.Minute
	// minPing is how often a client may ask us.
	minPing = 10 * time.Second
)

// Server serves the export services of OTLP.
type Server struct {
	Config
	grpc *grpc.Server
}

// New makes a server; Serve starts it.
func New(cfg Config) *Server {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.ReceiveWithin == 0 {
		cfg.ReceiveWithin = 30 * time.Second
	}
	registerCodings()
	s := &Server{Config: cfg}
	s.grpc = grpc.NewServer(
		grpc.ForceServerCodecV2(rawCodec{}),
		grpc.MaxRecvMsgSize(int(cfg.Door.MaxBodyBytes())+markBytes),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.InitialWindowSize(windowBytes), grpc.InitialConnWindowSize(connectionWindowBytes),
		grpc.MaxHeaderListSize(maxHeaderBytes), grpc.ConnectionTimeout(handshakeWithin),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: idleFor, Time: pingAfter, Timeout: pingWithin}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: minPing, PermitWithoutStream: true}),
	)
	s.register("trace.v1.TraceService", cfg.Traces)
	s.register("metrics.v1.MetricsService", keepNothing)
	if cfg.Logs != nil {
		s.register("logs.v1.LogsService", cfg.Logs)
	}
	return s
}

// keepNothing answers exporters that send metrics beside traces, so that they do not fail.
func keepNothing(context.Context, ingest.Submission) (ingest.Outcome, error) {
	return ingest.Outcome{}, nil
}

// register adds a service with the one method that all of OTLP's have. On the wire it is a unary
// call; served as a stream, it lets us look at the key before anything of the message is read.
func (s *Server) register(service string, take Accept) {
	name := "opentelemetry.proto.collector." + service
	s.grpc.RegisterService(&grpc.ServiceDesc{
		ServiceName: name, HandlerType: (*any)(nil),
		Streams: []grpc.StreamDesc{{StreamName: "Export", Handler: func(_ any, stream grpc.ServerStream) error {
			return s.observed("/"+name+"/Export", stream, take)
		}}},
	}, s)
}

// Serve answers calls until Stop.
func (s *Server) Serve(l net.Listener) error {
	if err := s.grpc.Serve(l); !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil
}

// Stop finishes the calls in flight; what is left when ctx ends is cut.
func (s *Server) Stop(ctx context.Context) error {
	done := make(chan struct{})
	go func() { s.grpc.GracefulStop(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.grpc.Stop()
		<-done
		return ctx.Err()
	}
}
