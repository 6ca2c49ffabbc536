package api

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/backup"
	"github.com/sondehq/sonde/internal/fault"
)

// BackupRequest is what an operator wants backed up, and where to.
type BackupRequest struct {
	To           string   `json:"to"` // a directory of the server's machine, or s3://bucket/prefix
	S3           S3Access `json:"s3"`
	WithSecrets  bool     `json:"with_secrets,omitempty"`
	WithoutStore bool     `json:"without_store,omitempty"`
	DeletesOnly  bool     `json:"deletes_only,omitempty"`
}

// S3Access is how to reach a bucket.
type S3Access struct {
	Endpoint  string `json:"endpoint,omitempty"`
	Region    string `json:"region,omitempty"`
	AccessKey string `json:"access_key,omitempty"`
	SecretKey string `json:"secret_key,omitempty"`
	PathStyle bool   `json:"path_style,omitempty"`
}

// BackupLine is a line of the answer: progress, and last the manifest or what went wrong.
type BackupLine struct {
	Progress *backup.Progress `json:"progress,omitempty"`
	Manifest *backup.Manifest `json:"manifest,omitempty"`
	Error    string           `json:"error,omitempty"`
}

const (
	maxBackupRequest = 64 << 10
	// toldEvery is the time between two lines of progress.
	toldEvery = 500 * time.Millisecond
)

// NewBackups returns what the operator's listener serves as POST /backup: it makes a backup while the caller
// waits, and tells how far it is. A caller who hangs up ends it.
//
// A backup is everything that everybody stored. So being on this machine is not enough: the caller must know
// the token, which lies in the data directory for whoever may read that.
func NewBackups(token string, backUp func(context.Context, BackupRequest, func(backup.Progress)) (backup.Manifest, error), log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /backup", func(w http.ResponseWriter, r *http.Request) {
		request, err := readBackupRequest(r, token)
		if err != nil {
			status, body := describe(err)
			writeJSON(w, status, body)
			return
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		lines, flush := json.NewEncoder(w), http.NewResponseController(w)
		var told backup.Progress
		var at time.Time
		manifest, err := backUp(r.Context(), request, func(p backup.Progress) {
			if p.Step == told.Step && time.Since(at) < toldEvery {
				return
			}
			told, at = p, time.Now()
			_ = lines.Encode(BackupLine{Progress: &p}) // a caller who is gone ends the context
			_ = flush.Flush()
		})
		last := BackupLine{Manifest: &manifest}
		if err != nil {
			last = BackupLine{Error: err.Error()} // the operator may know causes
		}
		log.InfoContext(r.Context(), "backup made", "to", request.To, "files", manifest.Files, "bytes", manifest.Bytes, "error", err)
		_ = lines.Encode(last) // see above
	})
	return mux
}

func readBackupRequest(r *http.Request, token string) (request BackupRequest, err error) {
	if !local(r) {
		return request, errNotLocal
	}
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+token)) != 1 {
		return request, fault.New(fault.Unauthenticated, "only who can read the data directory may make a backup")
	}
	if err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxBackupRequest)).Decode(&request); err != nil {
		return request, fault.Invalidf("body", "must be JSON: %v", err)
	}
	if request.To == "" {
		return request, fault.Invalidf("to", "must name a directory or s3://bucket/prefix")
	}
	return request, nil
}
