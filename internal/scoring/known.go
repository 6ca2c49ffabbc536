package scoring

import (
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

const (
	// maxAge is how old the configs of a project may be.
	maxAge = time.Second
	// maxProjects is how many projects are remembered.
	maxProjects = 10_000
)

// known remembers the configs of projects for a moment, so that requests with scores ask the
// database about once a second.
type known struct {
	mu       sync.Mutex
	projects map[string]project
	forgot   int // how often something was forgotten
}

// project is the configs of one by id; nobody changes them.
type project struct {
	configs map[string]*model.ScoreConfig
	read    time.Time
}

func (k *known) get(projectID string, now time.Time) (configs map[string]*model.ScoreConfig, fresh bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p, found := k.projects[projectID]
	return p.configs, found && now.Sub(p.read) < maxAge
}

func (k *known) changes() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.forgot
}

// put remembers what was read, unless something changed since the reading began.
func (k *known) put(projectID string, p project, changes int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.forgot != changes {
		return
	}
	if len(k.projects) >= maxProjects {
		clear(k.projects)
	}
	k.projects[projectID] = p
}

// forget is called after every change that this process makes.
func (k *known) forget(projectID string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forgot++
	delete(k.projects, projectID)
}
