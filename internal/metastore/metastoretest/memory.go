// Package metastoretest holds what tests need around metadata: a store in memory and the
// contract that every store must keep.
package metastoretest

import (
	"bytes"
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/price"
)

// Memory is a metastore.Store without durability.
type Memory struct {
	mu            sync.Mutex
	organizations map[string]model.Organization
	projects      map[string]model.Project
	keys          map[string]model.Key // by id
	public        map[string]string    // public key to id
	secrets       map[string][]byte
	models        map[string]map[string]price.Definition // by project and id
	media         map[mediaKey]metastore.Media
	links         map[metastore.MediaLink]time.Time
	scoreConfigs  map[string]map[string]model.ScoreConfig // by project and id
	tenants       tenants
	exports       map[string]model.Export // by project
	annotations
	evaluations
	savedViews  map[rowKey]model.SavedView
	dashboards  map[rowKey]model.Dashboard
	alerting    alertMemory
	connections map[rowKey]model.Connection
	keyChecks   map[string][]byte
	datasets    datasetMemory
	prompts     memoryPrompts
	attempts    map[string]attempts // by subject
	audit       []model.AuditEvent
	placements  map[string]model.Placement // by project; those that never moved have none
	erasures    []model.Erasure
}

var _ metastore.Store = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{
		organizations: map[string]model.Organization{},
		projects:      map[string]model.Project{},
		keys:          map[string]model.Key{},
		public:        map[string]string{},
		secrets:       map[string][]byte{},
		models:        map[string]map[string]price.Definition{},
		media:         map[mediaKey]metastore.Media{},
		links:         map[metastore.MediaLink]time.Time{},
		scoreConfigs:  map[string]map[string]model.ScoreConfig{},
		tenants:       newTenants(),
		exports:       map[string]model.Export{},
		annotations:   newAnnotations(),
		evaluations:   newEvaluations(),
		savedViews:    map[rowKey]model.SavedView{},
		dashboards:    map[rowKey]model.Dashboard{},
		alerting:      newAlerts(),
		connections:   map[rowKey]model.Connection{},
		keyChecks:     map[string][]byte{},
		attempts:      map[string]attempts{},
	}
}

// Ping implements metastore.Store.
func (m *Memory) Ping(ctx context.Context) error { return ctx.Err() }

// Plant implements metastore.Store.
func (m *Memory) Plant(ctx context.Context, seed metastore.Seed) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	seed, err := seed.Linked()
	if err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.organizations) > 0 {
		return false, nil
	}
	m.organizations[seed.Organization.ID] = stampedOrganization(seed.Organization)
	m.projects[seed.Project.ID] = stampedProject(seed.Project)
	m.keep(seed.Key)
	return true, nil
}

// CreateProject implements metastore.Store.
func (m *Memory) CreateProject(ctx context.Context, project model.Project) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := metastore.CheckProject(project); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.projects[project.ID]; taken {
		return metastore.ErrExists
	}
	if _, known := m.organizations[project.Organization.ID]; !known {
		return metastore.ErrNotFound
	}
	if m.nameTaken(project) {
		return metastore.ErrExists
	}
	if len(m.projects) >= metastore.MaxProjects {
		return metastore.TooMany(metastore.MaxProjects, "projects")
	}
	m.projects[project.ID] = stampedProject(project)
	return nil
}

// CreateKey implements metastore.Store.
func (m *Memory) CreateKey(ctx context.Context, key model.Key) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := metastore.CheckKey(key); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, idTaken := m.keys[key.ID]
	_, publicTaken := m.public[key.PublicKey]
	if idTaken || publicTaken {
		return metastore.ErrExists
	}
	if !m.adopted(&key) {
		return metastore.ErrNotFound
	}
	if len(m.keysOf(key.Project.Organization.ID, key.Project.ID)) >= metastore.MaxKeys {
		return metastore.TooMany(metastore.MaxKeys, "keys of a project or an organization")
	}
	m.keep(key)
	return nil
}

// KeyByPublic implements metastore.Store.
func (m *Memory) KeyByPublic(ctx context.Context, publicKey string) (model.Key, error) {
	if err := ctx.Err(); err != nil {
		return model.Key{}, err
	}
	if err := metastore.CheckID("public key", publicKey); err != nil {
		return model.Key{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	id, known := m.public[publicKey]
	if !known {
		return model.Key{}, metastore.ErrNotFound
	}
	return m.withOwner(m.keys[id]), nil
}

// RevokeKey implements metastore.Store.
func (m *Memory) RevokeKey(ctx context.Context, keyID string, at time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := metastore.CheckRevocation(keyID, at); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key, known := m.keys[keyID]
	if !known {
		return metastore.ErrNotFound
	}
	if key.RevokedAt.IsZero() {
		key.RevokedAt = at
		m.keep(key)
	}
	return nil
}

// Secret implements metastore.Store.
func (m *Memory) Secret(ctx context.Context, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := metastore.CheckID("secret name", name); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.secrets[name] == nil {
		m.secrets[name] = make([]byte, metastore.SecretBytes)
		_, _ = rand.Read(m.secrets[name]) // never fails
	}
	return bytes.Clone(m.secrets[name]), nil
}

func (m *Memory) keep(key model.Key) {
	key.CreatedAt = microsecond(key.CreatedAt)
	key.ExpiresAt, key.LastUsedAt, key.RevokedAt = microsecond(key.ExpiresAt), microsecond(key.LastUsedAt), microsecond(key.RevokedAt)
	m.keys[key.ID] = detached(key)
	m.public[key.PublicKey] = key.ID
}

// detached copies what a caller could change from outside.
func detached(key model.Key) model.Key {
	key.SecretHash = bytes.Clone(key.SecretHash)
	key.Salt = bytes.Clone(key.Salt)
	return key
}

// microsecond is the precision in which databases keep time.
func microsecond(t time.Time) time.Time { return time.UnixMicro(t.UnixMicro()).UTC() }
