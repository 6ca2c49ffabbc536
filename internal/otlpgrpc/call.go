package otlpgrpc

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/selfobs"
)

// The metadata of an answer, named as the headers of HTTP answers.
const (
	requestIDKey = "x-request-id"
	receiptKey   = "x-sonde-receipt"
)

// call is one export.
type call struct {
	*Server
	method  string
	id      string
	project string
	stream  grpc.ServerStream
	sent    metadata.MD   // what the client sent
	proved  bool          // its key came with the secret
	bytes   int64         // of the message
	worked  time.Duration // since the message was there
	outcome ingest.Outcome
}

// observed serves one call, survives its panics and tells what became of it.
func (s *Server) observed(method string, stream grpc.ServerStream, take Accept) (err error) {
	began := time.Now()
	ctx := stream.Context()
	sent, _ := metadata.FromIncomingContext(ctx)
	c := &call{Server: s, method: method, id: rand.Text(), stream: stream, sent: sent}
	defer func() {
		if cause := recover(); cause != nil {
			s.Log.LogAttrs(ctx, slog.LevelError, "handler panicked", slog.String("request_id", c.id), slog.String("route", method),
				slog.String("panic", fmt.Sprint(cause)), slog.String("stack", string(debug.Stack())))
			err = status.Error(codes.Internal, internalText)
		}
		c.report(ctx, began, err)
		if s.Observe != nil {
			s.Observe(c.shown(began, err))
		}
	}()
	// Answers are small, and clients in this process share codings that leave what they receive
	// compressed.
	if err := grpc.SetSendCompressor(ctx, "identity"); err != nil {
		return c.failed(ctx, err)
	}
	if err := c.serve(ctx, take); err != nil {
		return c.failed(ctx, err)
	}
	return nil
}

// shown is what the server shows of a call to its operator.
func (c *call) shown(began time.Time, err error) selfobs.Request {
	request := selfobs.Request{
		ID: c.id, Protocol: selfobs.GRPC, Route: c.method, Status: httpStatus(status.Convert(err)), Began: began, Took: time.Since(began), SDK: ingest.ReadSDK(c.header).SDKName,
	}
	if err == nil && c.outcome.Accepted > 0 {
		request.Acknowledged = c.worked
	}
	return request
}

// serve looks at the key, then takes the message through the door, then answers.
func (c *call) serve(ctx context.Context, take Accept) error {
	if err := c.stream.SetHeader(metadata.Pairs(requestIDKey, c.id)); err != nil {
		return err
	}
	caller, err := c.Auth.Authenticate(ctx, c.header("authorization"))
	if err != nil {
		return err
	}
	c.project, c.proved = caller.Project.ID, caller.Access == auth.Project
	if caller.Access != auth.Project || !caller.Scope.Allows(model.ScopeIngest) {
		return fault.New(fault.Forbidden, "Access denied - insufficient permissions for this endpoint")
	}
	if c.Cells != nil {
		if err := c.Cells.Takes(ctx, c.project); err != nil {
			return err
		}
	}
	client, err := ingest.ReadClient(c.header)
	if err != nil {
		return err
	}
	visit, err := c.Door.Admit(ctx, c.project)
	if err != nil {
		return err
	}
	defer visit.Leave()
	if err := visit.Expect(ctx); err != nil {
		return err
	}
	received, err := c.receive()
	if err != nil {
		return err
	}
	c.bytes = int64(len(received.bytes))
	if err := visit.Hold(ctx, received.bytes); err != nil {
		return err
	}
	in := ingest.Submission{ProjectID: caller.Project.ID, SDKName: client.SDKName, SDKVersion: client.SDKVersion}
	var out ingest.Outcome
	whole := time.Now()
	err = visit.Work(ctx, received.coding, func(body []byte) (err error) {
		in.Body = body
		out, err = take(ctx, in)
		return err
	})
	c.outcome, c.worked = out, time.Since(whole)
	if out.Receipt != "" { // also where nothing could be used: it tells why
		err = errors.Join(err, c.stream.SetHeader(metadata.Pairs(receiptKey, out.Receipt)))
	}
	if err != nil {
		return err
	}
	return c.stream.SendMsg(answer(ingest.AppendExportAnswer(nil, out.Rejected, out.Reason)))
}

// receive reads the message of the call. A receive ends when the client is gone, and one that takes
// too long when the call returns.
func (c *call) receive() (*message, error) {
	var m message
	received := make(chan error, 1)
	go func() { received <- c.stream.RecvMsg(&m) }()
	timer := time.NewTimer(c.ReceiveWithin)
	defer timer.Stop()
	select {
	case err := <-received:
		return &m, err
	case <-timer.C:
		return nil, status.Error(codes.DeadlineExceeded, "The message came too slowly")
	}
}

// header returns the first value of a key.
func (c *call) header(name string) string {
	if values := c.sent.Get(name); len(values) > 0 {
		return values[0]
	}
	return ""
}
