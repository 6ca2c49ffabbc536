package live

import (
	"container/list"
	"slices"
	"sync"
)

// MaxRequests is how many requests of a project are told, and MaxUnproved how many of them may be
// such that anybody can cause.
const (
	MaxRequests = 200
	MaxUnproved = 50
)

const (
	maxProjects = 256
	maxUnknown  = 50
)

// Recent is what nodes remember of a project.
type Recent struct {
	Proved   []Request `json:"proved"`   // newest first, as the others
	Unproved []Request `json:"unproved"` // the secret was wrong or not looked at
	Unknown  []Unknown `json:"unknown"`  // of the whole installation
}

// Requests returns the newest of both kinds together.
func (r Recent) Requests() []Request {
	unproved := r.Unproved[:min(len(r.Unproved), MaxUnproved)]
	proved := r.Proved[:min(len(r.Proved), MaxRequests-len(unproved))]
	return newest(slices.Concat(proved, unproved), MaxRequests)
}

// with merges what another node remembers.
func (r Recent) with(other Recent) Recent {
	unknown := slices.Concat(r.Unknown, other.Unknown)
	slices.SortStableFunc(unknown, func(a, b Unknown) int { return b.At.Compare(a.At) })
	return Recent{
		Proved:   newest(slices.Concat(r.Proved, other.Proved), MaxRequests),
		Unproved: newest(slices.Concat(r.Unproved, other.Unproved), MaxUnproved),
		Unknown:  unknown[:min(len(unknown), maxUnknown)],
	}
}

func newest(requests []Request, limit int) []Request {
	slices.SortStableFunc(requests, func(a, b Request) int { return b.At.Compare(a.At) })
	return requests[:min(len(requests), limit)]
}

// memory remembers the newest requests of the projects that sent last, and unknown keys.
type memory struct {
	mu       sync.Mutex
	projects map[string]*list.Element // of *remembered
	byUse    list.List                // the last used in front
	unknown  []Unknown                // oldest first
}

type remembered struct {
	projectID        string
	proved, unproved ring
}

func newMemory() *memory { return &memory{projects: map[string]*list.Element{}} }

func (m *memory) add(r Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	element, known := m.projects[r.ProjectID]
	if !known {
		if m.byUse.Len() >= maxProjects {
			oldest := m.byUse.Back()
			delete(m.projects, oldest.Value.(*remembered).projectID)
			m.byUse.Remove(oldest)
		}
		element = m.byUse.PushFront(&remembered{
			projectID: r.ProjectID, proved: ring{limit: MaxRequests}, unproved: ring{limit: MaxUnproved},
		})
		m.projects[r.ProjectID] = element
	}
	m.byUse.MoveToFront(element)
	of := element.Value.(*remembered)
	if r.Proved {
		of.proved.add(r)
	} else {
		of.unproved.add(r)
	}
}

// addUnknown counts repetitions of one key on one path as one.
func (m *memory) addUnknown(u Unknown) {
	m.mu.Lock()
	defer m.mu.Unlock()
	same := func(known Unknown) bool { return known.Prefix == u.Prefix && known.Path == u.Path }
	if i := slices.IndexFunc(m.unknown, same); i >= 0 {
		u.Count += m.unknown[i].Count
		m.unknown = slices.Delete(m.unknown, i, i+1)
	}
	if len(m.unknown) >= maxUnknown {
		m.unknown = slices.Delete(m.unknown, 0, 1)
	}
	m.unknown = append(m.unknown, u)
}

func (m *memory) of(projectID string) (r Recent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r.Unknown = slices.Clone(m.unknown)
	slices.Reverse(r.Unknown)
	if element, known := m.projects[projectID]; known {
		of := element.Value.(*remembered)
		r.Proved, r.Unproved = of.proved.newest(), of.unproved.newest()
	}
	return r
}

// ring keeps the last limit requests; it grows only as far as it is used.
type ring struct {
	limit int
	next  int // where the oldest lies once it is full
	list  []Request
}

func (r *ring) add(one Request) {
	if len(r.list) < r.limit {
		r.list = append(r.list, one)
		return
	}
	r.list[r.next] = one
	r.next = (r.next + 1) % r.limit
}

func (r *ring) newest() []Request {
	all := slices.Concat(r.list[r.next:], r.list[:r.next])
	slices.Reverse(all)
	return all
}
