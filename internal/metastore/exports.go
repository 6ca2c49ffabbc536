package metastore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// ErrExportChanged is returned by SaveExport when the export is not any more as the caller read it.
var ErrExportChanged = errors.New("the export changed meanwhile")

// maxSealed bounds a sealed secret.
const maxSealed = 8 << 10

// Exports keeps the settings of scheduled exports, one per project, and how far each came.
type Exports interface {
	// SaveExport replaces the export of a project, its id and time of creation apart, if its revision is
	// still the one given, and makes it when that is zero; it returns the new revision. Of several that
	// replace the same revision exactly one does, the others get ErrExportChanged. ErrNotFound when the
	// organization has no such project.
	SaveExport(ctx context.Context, export model.Export) (revision int64, err error)
	// Export returns the export of a project. ErrNotFound.
	Export(ctx context.Context, projectID string) (model.Export, error)
	// Exports returns those of all projects of an organization, by project, at most limit, after the
	// given project id.
	Exports(ctx context.Context, organizationID, after string, limit int) ([]model.Export, error)
	// EnabledExports returns those of the installation that are enabled and not being erased, by project, likewise.
	EnabledExports(ctx context.Context, after string, limit int) ([]model.Export, error)
	// DeleteExport forgets the export of a project. ErrNotFound.
	DeleteExport(ctx context.Context, projectID string) error
}

// ExportText renders the settings as they are kept, or refuses with fault.Invalid an export that cannot be.
func ExportText(e model.Export) (string, error) {
	text, err := json.Marshal(e.Settings)
	if err != nil {
		return "", fmt.Errorf("encode export settings: %w", err)
	}
	if len(e.SealedSecret) > maxSealed {
		return "", fault.Invalidf("secretAccessKey", "must not be longer than %d bytes", maxSealed/2)
	}
	return string(text), first(
		CheckID("projectId", e.ProjectID),
		CheckID("organization id", e.OrganizationID),
		CheckID("id", e.ID),
		checkDocument("settings", string(text)),
		checkDocument("progress", e.Progress),
		checkDocument("error", e.LastError),
	)
}
