package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/export"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// maxExportBody bounds the settings of an export.
const maxExportBody = 64 << 10

// exportRoutes are the routes of exports to blob storage. They are for keys of organizations.
func (s *server) exportRoutes() []route {
	const path = "/api/public/integrations/blob-storage"
	return []route{
		{method: http.MethodGet, path: path, handle: s.listExports, level: organizationLevel, least: model.Admin},
		{method: http.MethodPut, path: path, handle: s.putExport, level: organizationLevel},
		{method: http.MethodGet, path: path + "/{projectId}", handle: s.exportStatus, level: organizationLevel, least: model.Admin},
		{method: http.MethodDelete, path: path + "/{projectId}", handle: s.deleteExport, level: organizationLevel},
	}
}

// organizationOf is whose exports a caller reaches.
func organizationOf(caller auth.Principal) string { return caller.Project.Organization.ID }

// storageExport is an export as clients read it; the secret is never shown.
type storageExport struct {
	ID                string   `json:"id"`
	ProjectID         string   `json:"projectId"`
	Type              string   `json:"type"`
	BucketName        string   `json:"bucketName"`
	Endpoint          *string  `json:"endpoint"`
	Region            string   `json:"region"`
	AccessKeyID       *string  `json:"accessKeyId"`
	Prefix            string   `json:"prefix"`
	ExportFrequency   string   `json:"exportFrequency"`
	Enabled           bool     `json:"enabled"`
	ForcePathStyle    bool     `json:"forcePathStyle"`
	FileType          string   `json:"fileType"`
	ExportMode        string   `json:"exportMode"`
	ExportStartDate   *string  `json:"exportStartDate"`
	Compressed        bool     `json:"compressed"`
	ExportSource      string   `json:"exportSource"`
	ExportFieldGroups []string `json:"exportFieldGroups"`
	NextSyncAt        *string  `json:"nextSyncAt"`
	LastSyncAt        *string  `json:"lastSyncAt"`
	LastError         *string  `json:"lastError"`
	LastErrorAt       *string  `json:"lastErrorAt"`
	CreatedAt         string   `json:"createdAt"`
	UpdatedAt         string   `json:"updatedAt"`
}

func (s *server) exportOf(e model.Export) storageExport {
	c := e.Settings
	groups := c.FieldGroups
	if len(groups) == 0 {
		groups = export.Groups
	}
	return storageExport{
		ID: e.ID, ProjectID: e.ProjectID, Type: c.Type, BucketName: c.Bucket, Endpoint: orNull(c.Endpoint), Region: c.Region,
		AccessKeyID: orNull(c.AccessKeyID), Prefix: c.Prefix, ExportFrequency: c.Frequency, Enabled: c.Enabled, ForcePathStyle: c.ForcePathStyle,
		FileType: c.FileType, ExportMode: c.Mode, ExportStartDate: stampOrNull(c.StartDate), Compressed: c.Compressed, ExportSource: c.Source,
		ExportFieldGroups: groups, NextSyncAt: stampOrNull(s.Exports.NextSync(e, time.Now())), LastSyncAt: stampOrNull(e.LastSyncAt),
		LastError: orNull(e.LastError), LastErrorAt: stampOrNull(e.LastErrorAt), CreatedAt: stamp(e.CreatedAt), UpdatedAt: stamp(e.UpdatedAt),
	}
}

// exportBody is an export as clients write it. Null is not given.
type exportBody struct {
	ProjectID         string   `json:"projectId"`
	Type              string   `json:"type"`
	BucketName        string   `json:"bucketName"`
	Endpoint          *string  `json:"endpoint"`
	Region            string   `json:"region"`
	AccessKeyID       *string  `json:"accessKeyId"`
	SecretAccessKey   *string  `json:"secretAccessKey"`
	Prefix            *string  `json:"prefix"`
	ExportFrequency   string   `json:"exportFrequency"`
	Enabled           *bool    `json:"enabled"`
	ForcePathStyle    *bool    `json:"forcePathStyle"`
	FileType          string   `json:"fileType"`
	ExportMode        string   `json:"exportMode"`
	ExportStartDate   *string  `json:"exportStartDate"`
	Compressed        *bool    `json:"compressed"`
	ExportSource      *string  `json:"exportSource"`
	ExportFieldGroups []string `json:"exportFieldGroups"`
}

func (b *exportBody) input() (export.Input, error) {
	var start time.Time
	if b.ExportStartDate != nil {
		var err error
		if start, err = time.Parse(time.RFC3339, *b.ExportStartDate); err != nil {
			return export.Input{}, fault.Invalidf("exportStartDate", "must be a time like 2026-05-01T00:00:00Z")
		}
	}
	if b.Enabled == nil || b.ForcePathStyle == nil {
		return export.Input{}, fault.Invalidf("enabled", "and forcePathStyle must be true or false")
	}
	return export.Input{ProjectID: b.ProjectID, Secret: b.SecretAccessKey, Settings: model.ExportSettings{
		Type: b.Type, Bucket: b.BucketName, Endpoint: valueOf(b.Endpoint), Region: b.Region, AccessKeyID: valueOf(b.AccessKeyID), Prefix: valueOf(b.Prefix),
		Frequency: b.ExportFrequency, Enabled: *b.Enabled, ForcePathStyle: *b.ForcePathStyle, FileType: b.FileType, Mode: b.ExportMode,
		StartDate: start.UTC(), Compressed: b.Compressed == nil || *b.Compressed, Source: valueOf(b.ExportSource), FieldGroups: b.ExportFieldGroups,
	}}, nil
}

// listExports serves GET /api/public/integrations/blob-storage.
func (s *server) listExports(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	list, err := s.Exports.List(r.Context(), organizationOf(caller))
	if err != nil {
		return err
	}
	data := make([]storageExport, 0, len(list))
	for _, e := range list {
		data = append(data, s.exportOf(e))
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": data})
	return nil
}

// putExport serves PUT /api/public/integrations/blob-storage.
func (s *server) putExport(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var in export.Input
	err := s.bodies.read(w, r, func(body []byte) (err error) {
		if len(body) > maxExportBody {
			return fault.New(fault.TooLarge, "The request body is larger than %d bytes", maxExportBody)
		}
		var asked exportBody
		if err := json.Unmarshal(body, &asked); err != nil {
			return fault.New(fault.Invalid, "The request body is not a JSON object with the settings of an export").Because(err)
		}
		in, err = asked.input()
		return err
	})
	if err != nil {
		return err
	}
	e, err := s.Exports.Upsert(r.Context(), organizationOf(caller), in)
	if err != nil {
		return err
	}
	*noted(r) = note{object: e.ProjectID, detail: fmt.Sprintf("%s %s, enabled %t", e.Settings.Type, e.Settings.Bucket, e.Settings.Enabled)}
	writeJSON(w, http.StatusOK, s.exportOf(e))
	return nil
}

// exportStatus serves GET /api/public/integrations/blob-storage/{projectId}.
func (s *server) exportStatus(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	status, err := s.Exports.Status(r.Context(), organizationOf(caller), r.PathValue("projectId"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"id": status.ID, "projectId": status.ProjectID, "syncStatus": status.Sync, "enabled": status.Settings.Enabled,
		"lastSyncAt": stampOrNull(status.LastSyncAt), "nextSyncAt": stampOrNull(s.Exports.NextSync(status.Export, time.Now())),
		"lastError": orNull(status.LastError), "lastErrorAt": stampOrNull(status.LastErrorAt),
	})
	return nil
}

// deleteExport serves DELETE /api/public/integrations/blob-storage/{projectId}.
func (s *server) deleteExport(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	if err := s.Exports.Delete(r.Context(), organizationOf(caller), r.PathValue("projectId")); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]string{"message": "Blob storage integration successfully deleted"})
	return nil
}
