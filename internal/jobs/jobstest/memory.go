// Package jobstest holds the contract suite of the store of jobs, and a store in memory.
package jobstest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
)

var _ jobs.Store = (*Memory)(nil)

// Memory keeps jobs in memory. The zero value is empty and ready; it is safe for concurrent use.
type Memory struct {
	mu       sync.Mutex
	revision uint64
	byID     map[string]jobs.Job
}

// Create keeps a new job.
func (m *Memory) Create(ctx context.Context, job jobs.Job) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("create job: %w", err)
	}
	if tooLarge(job) {
		return jobs.ErrTooLarge
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.sorted(func(j jobs.Job) bool { return j.ProjectID == job.ProjectID })
	open := 0
	for _, j := range list {
		if !j.State.Final() {
			open++
		}
	}
	if open >= jobs.MaxOpen {
		return fault.New(fault.Limited, "this project has %d unfinished jobs", open)
	}
	for _, j := range list[:max(0, len(list)-jobs.MaxKept+1)] {
		if j.State.Final() {
			delete(m.byID, j.ID)
		}
	}
	if m.byID == nil {
		m.byID = map[string]jobs.Job{}
	}
	m.revision++
	job.Revision = m.revision
	m.byID[job.ID] = job
	return nil
}

func tooLarge(job jobs.Job) bool {
	text, err := json.Marshal(job)
	return err != nil || len(text) > jobs.MaxBytes
}

// sorted returns the jobs that meet the condition, oldest first.
func (m *Memory) sorted(where func(jobs.Job) bool) []jobs.Job {
	var list []jobs.Job
	for _, job := range m.byID {
		if where(job) {
			list = append(list, job)
		}
	}
	slices.SortFunc(list, func(a, b jobs.Job) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// Get returns a job.
func (m *Memory) Get(_ context.Context, projectID, id string) (jobs.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	job, ok := m.byID[id]
	if !ok || job.ProjectID != projectID {
		return jobs.Job{}, fault.New(fault.NotFound, "there is no such job in this project")
	}
	return job, nil
}

// List returns the newest jobs of a project.
func (m *Memory) List(_ context.Context, projectID string, limit int) ([]jobs.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.sorted(func(j jobs.Job) bool { return j.ProjectID == projectID })
	slices.Reverse(list)
	return list[:min(len(list), limit)], nil
}

// Update replaces a job.
func (m *Memory) Update(ctx context.Context, job jobs.Job) (jobs.Job, error) {
	if err := ctx.Err(); err != nil {
		return jobs.Job{}, fault.Unavailablef("canceled").Because(err)
	}
	if tooLarge(job) {
		return jobs.Job{}, jobs.ErrTooLarge
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if held, ok := m.byID[job.ID]; !ok || held.ProjectID != job.ProjectID || held.Revision != job.Revision {
		return jobs.Job{}, jobs.ErrChanged
	}
	m.revision++
	job.Revision = m.revision
	m.byID[job.ID] = job
	return job, nil
}

// Open visits unfinished jobs.
func (m *Memory) Open(_ context.Context, visit func(jobs.Job) bool) error {
	m.mu.Lock()
	list := m.sorted(func(j jobs.Job) bool { return !j.State.Final() })
	m.mu.Unlock()
	for _, job := range list {
		if !visit(job) {
			return nil
		}
	}
	return nil
}
