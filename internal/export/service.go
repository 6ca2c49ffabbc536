package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/seal"
)

// The types of places. Directory is our own: a directory of this server's.
const (
	S3           = "S3"
	S3Compatible = "S3_COMPATIBLE"
	Google       = "GOOGLE_CLOUD_STORAGE"
	Azure        = "AZURE_BLOB_STORAGE"
	Directory    = "DIRECTORY"
)

// ObservationsV2 is the source of the contract that we have.
const ObservationsV2 = "OBSERVATIONS_V2"

var legacySources = []string{"LEGACY_TRACES_OBSERVATIONS", "LEGACY_TRACES_AND_ENRICHED_OBSERVATIONS"}

const (
	maxListed = 1000
	maxText   = 1000
	maxPrefix = 300
	maxSecret = 2000
	// upsertTries is how often an upsert competes with a run that keeps its progress.
	upsertTries = 20
)

// Jobs is what the service asks of jobs.
type Jobs interface {
	Create(ctx context.Context, projectID, kind string, parameters json.RawMessage) (jobs.Job, error)
	List(ctx context.Context, projectID string, limit int) ([]jobs.Job, error)
}

// Service keeps the settings of exports.
//
// Promises: an organization reaches the exports of its own projects only. A secret is stored sealed and
// never given out.
type Service struct {
	exports metastore.Exports
	box     *seal.Box
	targets Targets
	jobs    Jobs // nil: this node does not know of jobs
	lag     time.Duration
}

// NewService makes the service. The lag is how long after its end a window is exported at the earliest.
func NewService(exports metastore.Exports, box *seal.Box, targets Targets, list Jobs, lag time.Duration) *Service {
	return &Service{exports, box, targets, list, lag}
}

// Input is an export as a client writes it.
type Input struct {
	ProjectID string
	Settings  model.ExportSettings
	Secret    *string // nil: as it was
}

// Upsert makes or changes the export of a project. A changed mode or start date begins anew; another place
// or file type begins the window under way anew.
func (s *Service) Upsert(ctx context.Context, organizationID string, in Input) (model.Export, error) {
	settings, err := s.check(in)
	if err != nil {
		return model.Export{}, err
	}
	for range upsertTries {
		now := time.Now().UTC().Truncate(time.Millisecond)
		old, err := s.exports.Export(ctx, in.ProjectID)
		switch {
		case errors.Is(err, metastore.ErrNotFound):
			old = model.Export{ProjectID: in.ProjectID, OrganizationID: organizationID, ID: uuid.NewString(), CreatedAt: now}
		case err != nil:
			return model.Export{}, err
		case old.OrganizationID != organizationID:
			return model.Export{}, notFound()
		}
		e := changed(old, settings, now)
		if in.Secret != nil {
			if e.SealedSecret, err = s.box.Seal([]byte(*in.Secret), secretPlace(e.ProjectID)); err != nil {
				return model.Export{}, fmt.Errorf("seal the secret: %w", err)
			}
		}
		if len(e.SealedSecret) == 0 && settings.AccessKeyID != "" {
			return model.Export{}, fault.Invalidf("secretAccessKey", "must be given with a new accessKeyId")
		}
		e.Revision, err = s.exports.SaveExport(ctx, e)
		switch {
		case errors.Is(err, metastore.ErrExportChanged):
			continue
		case errors.Is(err, metastore.ErrNotFound):
			return model.Export{}, notFound()
		}
		return e, err
	}
	return model.Export{}, fault.Unavailablef("the export changes too fast to be replaced").Hint("try again")
}

func notFound() error { return fault.New(fault.NotFound, "Project not found") }

// changed is the export with new settings.
func changed(e model.Export, settings model.ExportSettings, now time.Time) model.Export {
	before := e.Settings
	if settings.Mode == FromToday {
		settings.StartDate = boundary(Daily, now)
		if before.Mode == FromToday {
			settings.StartDate = before.StartDate
		}
	}
	if before.Mode != settings.Mode || !before.StartDate.Equal(settings.StartDate) {
		e.Until, e.Progress = time.Time{}, ""
	}
	elsewhere := before.Type != settings.Type || before.Bucket != settings.Bucket || before.Endpoint != settings.Endpoint ||
		before.Prefix != settings.Prefix || before.FileType != settings.FileType || before.Compressed != settings.Compressed
	if elsewhere {
		e.Progress = ""
	}
	if before.AccessKeyID != settings.AccessKeyID {
		e.SealedSecret = nil
	}
	e.Settings, e.UpdatedAt = settings, now
	e.LastError, e.LastErrorAt = "", time.Time{} // it is tried again at once
	return e
}

// check reads the settings and fills in what is left out.
func (s *Service) check(in Input) (model.ExportSettings, error) {
	c := in.Settings
	if c.Source == "" {
		c.Source = ObservationsV2
	}
	if c.Mode != FromCustomDate {
		c.StartDate = time.Time{}
	}
	if err := metastore.CheckID("projectId", in.ProjectID); err != nil {
		return c, err
	}
	for name, value := range map[string]string{
		"bucketName": c.Bucket, "endpoint": c.Endpoint, "region": c.Region, "accessKeyId": c.AccessKeyID, "prefix": c.Prefix,
	} {
		if len(value) > maxText || !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' }) {
			return c, fault.Invalidf(name, "must be at most %d bytes of text without control characters", maxText)
		}
	}
	if in.Secret != nil && len(*in.Secret) > maxSecret {
		return c, fault.Invalidf("secretAccessKey", "must not be longer than %d bytes", maxSecret)
	}
	for _, err := range []error{
		checkPlace(c), checkGroups(c.FieldGroups), checkFrequency(c.Frequency), checkMode(c.Mode), checkFileType(c.FileType), s.targets.Check(c),
	} {
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// checkPlace refuses kinds of places and rows that there are not, and a start that is no time.
func checkPlace(c model.ExportSettings) error {
	switch start := c.StartDate; {
	case c.Type == Azure:
		return fault.Invalidf("type", "%s is not supported: this server speaks the S3 protocol", Azure).
			Hint("use S3, S3_COMPATIBLE, or GOOGLE_CLOUD_STORAGE with interoperability keys")
	case !slices.Contains([]string{S3, S3Compatible, Google, Directory}, c.Type):
		return fault.Invalidf("type", "must be one of %s, %s, %s, %s", S3, S3Compatible, Google, Directory)
	case slices.Contains(legacySources, c.Source):
		return fault.Invalidf("exportSource", "%s is not supported: this server has no traces apart from their observations", c.Source).
			Hint("use " + ObservationsV2 + ", whose rows carry what their trace says")
	case c.Source != ObservationsV2:
		return fault.Invalidf("exportSource", "must be %s", ObservationsV2)
	case c.Bucket == "" && c.Type != Directory:
		return fault.Invalidf("bucketName", "must not be empty")
	case len(c.Prefix) > maxPrefix || c.Prefix != "" && !strings.HasSuffix(c.Prefix, "/"):
		return fault.Invalidf("prefix", "must be empty or end with a slash, and have at most %d bytes", maxPrefix)
	case c.Mode == FromCustomDate && (start.Before(beginning) || start.Year() > 2200):
		return fault.Invalidf("exportStartDate", "must be a time between 1970 and 2200 with the mode %s", FromCustomDate)
	}
	return nil
}

func checkGroups(groups []string) error {
	for _, group := range groups {
		if !slices.Contains(Groups, group) {
			return fault.Invalidf("exportFieldGroups", "must be of %s", strings.Join(Groups, ", "))
		}
	}
	if len(groups) > len(Groups) {
		return fault.Invalidf("exportFieldGroups", "must name each group once")
	}
	return nil
}

// List returns the exports of an organization, at most a thousand.
func (s *Service) List(ctx context.Context, organizationID string) ([]model.Export, error) {
	return s.exports.Exports(ctx, organizationID, "", maxListed)
}

// Delete forgets the export of a project. Files stay where they are.
func (s *Service) Delete(ctx context.Context, organizationID, projectID string) error {
	if _, err := s.find(ctx, organizationID, projectID); err != nil {
		return err
	}
	err := s.exports.DeleteExport(ctx, projectID)
	if errors.Is(err, metastore.ErrNotFound) {
		return missing()
	}
	return err
}

func (s *Service) find(ctx context.Context, organizationID, projectID string) (model.Export, error) {
	e, err := s.exports.Export(ctx, projectID)
	if errors.Is(err, metastore.ErrNotFound) || err == nil && e.OrganizationID != organizationID {
		return model.Export{}, missing()
	}
	return e, err
}

func missing() error { return fault.New(fault.NotFound, "Blob storage integration not found") }

// Status is how an export stands.
type Status struct {
	model.Export

	Sync string // one of the words of the contract
}

// NextSync is when an export will write next at the earliest, zero when it never will.
func (s *Service) NextSync(e model.Export, now time.Time) time.Time {
	switch {
	case !e.Settings.Enabled:
		return time.Time{}
	case !e.LastErrorAt.IsZero():
		return e.LastErrorAt.Add(retryAfter)
	}
	frequency := e.Settings.Frequency
	last := boundary(frequency, now.Add(-s.lag))
	if reached(e).Before(last) {
		return last.Add(s.lag) // it is due
	}
	return following(frequency, later(reached(e), last)).Add(s.lag)
}

// Status returns how the export of a project stands.
func (s *Service) Status(ctx context.Context, organizationID, projectID string) (Status, error) {
	e, err := s.find(ctx, organizationID, projectID)
	if err != nil {
		return Status{}, err
	}
	status := Status{Export: e, Sync: "idle"}
	open, err := openJob(ctx, s.jobs, projectID)
	switch {
	case err != nil:
		return Status{}, err
	case !e.Settings.Enabled:
		status.Sync = "disabled"
	case open != "":
		status.Sync = string(open)
	case !e.LastErrorAt.IsZero():
		status.Sync = "error"
	case !e.LastSyncAt.IsZero():
		status.Sync = "up_to_date"
	}
	return status, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// openJob is the state of the unfinished export job of a project, empty when there is none.
func openJob(ctx context.Context, list Jobs, projectID string) (jobs.State, error) {
	if list == nil {
		return "", nil
	}
	all, err := list.List(ctx, projectID, jobs.MaxListed)
	if err != nil {
		return "", fmt.Errorf("list jobs: %w", err)
	}
	for _, job := range all {
		if job.Kind == Kind && !job.State.Final() {
			return job.State, nil
		}
	}
	return "", nil
}
