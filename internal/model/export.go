package model

import "time"

// ExportSettings say what of a project is exported, where to and how often. Their texts are stored as
// clients write them: never change one.
type ExportSettings struct {
	Type           string    `json:"type"`
	Bucket         string    `json:"bucket"`
	Endpoint       string    `json:"endpoint,omitempty"`
	Region         string    `json:"region,omitempty"`
	AccessKeyID    string    `json:"access_key_id,omitempty"`
	Prefix         string    `json:"prefix,omitempty"`
	Frequency      string    `json:"frequency"`
	Enabled        bool      `json:"enabled"`
	ForcePathStyle bool      `json:"force_path_style,omitempty"`
	FileType       string    `json:"file_type"`
	Mode           string    `json:"mode"`
	StartDate      time.Time `json:"start_date,omitzero"`
	Compressed     bool      `json:"compressed"`
	Source         string    `json:"source"`
	FieldGroups    []string  `json:"field_groups,omitempty"` // empty: all
}

// Export is the scheduled export of a project and how far it came.
type Export struct {
	ProjectID      string
	OrganizationID string // of the project
	ID             string
	Settings       ExportSettings
	SealedSecret   []byte // of the access key; empty: none

	// Until is the end of the last window that was exported whole; zero: none was.
	Until time.Time
	// Progress is where the window that is being exported stands, the exporter's own; empty: none is.
	Progress    string
	LastSyncAt  time.Time // when a window was last completed
	LastError   string    // empty once a window went well
	LastErrorAt time.Time

	CreatedAt, UpdatedAt time.Time
	// Revision rises with every change. It belongs to the store; zero: not stored yet.
	Revision int64
}
