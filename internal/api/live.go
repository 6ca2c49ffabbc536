package api

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/live"
)

// LiveLimits bounds the streams of news of a node; what is zero has its default.
type LiveLimits struct {
	Streams    int           // of all projects; 500
	PerProject int           // 50
	Heartbeat  time.Duration // between two signs of life; 15 s
	Recheck    time.Duration // between two looks whether the caller may still listen; 5 s
	Write      time.Duration // that a client takes to read an event; 10 s
}

func (l LiveLimits) withDefaults() LiveLimits {
	or := func(value *time.Duration, otherwise time.Duration) {
		if *value == 0 {
			*value = otherwise
		}
	}
	or(&l.Heartbeat, 15*time.Second)
	or(&l.Recheck, 5*time.Second)
	or(&l.Write, 10*time.Second)
	if l.Streams == 0 {
		l.Streams = 500
	}
	if l.PerProject == 0 {
		l.PerProject = 50
	}
	return l
}

const livePath = "/api/public/live"

// liveRoute is also what the caller of a stream is held to while it runs.
func (s *server) liveRoute() route {
	return route{method: http.MethodGet, path: livePath, handle: s.listen, role: liveNode, admin: true}
}

func (s *server) liveRoutes() []route {
	return []route{
		s.liveRoute(),
		{method: http.MethodGet, path: "/api/public/ingest-requests", handle: s.ingestRequests, role: liveNode, admin: true},
	}
}

// listen serves GET /api/public/live.
func (s *server) listen(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	infoOf(r).account.silent = true // who listens does not want to hear of itself
	p, err := readParams(r)
	if err != nil {
		return err
	}
	project, named := p.text("project")
	traceID, _ := p.text("traceId")
	if err := p.err(); err != nil {
		return err
	}
	if named && project != caller.Project.ID {
		return authError{fault.New(fault.Forbidden, "The key belongs to another project").Hint("leave project out")}
	}
	leave, err := s.streams.enter(caller.Project.ID)
	if err != nil {
		return err
	}
	defer leave()
	heard := []string{caller.Project.ID}
	installation := traceID == "" && s.hearsInstallation(r, caller)
	if installation {
		heard = append(heard, live.Installation)
	}
	news, err := s.Live.Listen(r.Context(), heard...)
	if err != nil {
		return err
	}
	defer news.Close()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	out := &eventWriter{to: w, control: http.NewResponseController(w), within: s.LiveLimits.Write}
	if out.send("retry: 3000\n\n") && out.event(live.NewReady(caller.Project.ID)) {
		s.follow(r, news, out, traceID, func() bool {
			return s.stillMay(r) && s.inCell(r, caller) == nil && (!installation || s.hearsInstallation(r, caller))
		})
	}
	return nil
}

// follow writes news until the caller leaves, falls behind or may not listen any more, or the server stops.
func (s *server) follow(r *http.Request, news *live.Stream, out *eventWriter, traceID string, may func() bool) {
	heartbeat, recheck := time.NewTicker(s.LiveLimits.Heartbeat), time.NewTicker(s.LiveLimits.Recheck)
	defer heartbeat.Stop()
	defer recheck.Stop()
	for ok := true; ok; {
		select {
		case <-r.Context().Done():
			return
		case <-s.Stopping:
			return
		case <-news.Behind():
			return
		case <-heartbeat.C:
			ok = out.send(": heartbeat\n\n")
		case <-recheck.C:
			ok = may()
		case event := <-news.Events():
			about := true
			if traceID != "" {
				event, about = event.About(traceID)
			}
			if about {
				ok = out.event(event)
			}
		}
	}
}

// stillMay asks again who calls. While nobody can tell, the stream goes on.
func (s *server) stillMay(r *http.Request) bool {
	ctx, cancel := context.WithTimeout(r.Context(), s.LiveLimits.Recheck)
	defer cancel()
	_, err := s.authenticate(r.WithContext(ctx), s.liveRoute())
	return err == nil || fault.Is(err, fault.Unavailable)
}

// hearsInstallation reports whether a caller is told what belongs to no project: the operator, who acts as one with the
// admin key, and people who administer the only organization. No key is: it says nothing about who administers the installation.
func (s *server) hearsInstallation(r *http.Request, caller auth.Principal) bool {
	if s.AdminKey.Matches(r.Header.Get(adminHeader)) {
		return true
	}
	if caller.User.ID == "" {
		return false
	}
	alone, err := s.SignIn.AdministersAll(r.Context(), caller.User.ID, caller.Project.Organization.ID)
	return alone && err == nil // what cannot be asked is not told
}

// eventWriter sends events, each at once.
type eventWriter struct {
	to      http.ResponseWriter
	control *http.ResponseController
	within  time.Duration
}

// event reports whether the caller still reads.
func (e *eventWriter) event(event live.Event) bool {
	return e.send(fmt.Sprintf("id: %s\nevent: %s\ndata: %s\n\n", event.ID, event.Type, event.Data))
}

func (e *eventWriter) send(text string) bool {
	_ = e.control.SetWriteDeadline(time.Now().Add(e.within)) // what has no connection has no deadline
	if _, err := e.to.Write([]byte(text)); err != nil {
		return false
	}
	return e.control.Flush() == nil
}

// streams counts who listens.
type streams struct {
	limits LiveLimits

	mu      sync.Mutex
	all     int
	project map[string]int
}

// enter makes room for one more stream, or refuses it.
func (s *streams) enter(projectID string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.project[projectID] >= s.limits.PerProject:
		return nil, fault.New(fault.Limited, "this project has %d streams of news", s.limits.PerProject).Hint("close one, or share one between tabs")
	case s.all >= s.limits.Streams:
		return nil, fault.Unavailablef("too many streams of news on this node").Hint("try again later, or on another node")
	}
	s.all++
	s.project[projectID]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.project[projectID]--; s.project[projectID] == 0 {
			delete(s.project, projectID)
		}
	}, nil
}
