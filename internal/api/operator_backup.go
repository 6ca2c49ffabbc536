package api

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/backup"
	"github.com/sondehq/sonde/internal/fault"
)

// BackupRequest is what an operator wants backed up, and where to.
type BackupRequest struct {
	To           string   `json:"to"`             // a directory of the server's machine, or s3://bucket/prefix
	Onto         string   `json:"onto,omitempty"` // an earlier backup, of the same kind of place
	S3           S3Access `json:"s3"`
	WithAnswers  bool     `json:"with_answers,omitempty"`
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

// AnswerLine is a line of GET /answers: an answer, and last whether these are all.
type AnswerLine struct {
	Answer *backup.Answer `json:"answer,omitempty"`
	All    bool           `json:"all,omitempty"`
	Error  string         `json:"error,omitempty"`
}

// NewAnswers returns what the operator's listener serves as GET /answers: what the server answers to every read of every
// project, in checksums. It takes the token of backups: whoever has it may have everything.
func NewAnswers(token string, answers func(ctx context.Context, each func(backup.Answer) error) error, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /answers", func(w http.ResponseWriter, r *http.Request) {
		if err := ownerAsks(r, token); err != nil {
			status, body := describe(err)
			writeJSON(w, status, body)
			return
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		lines, flush := json.NewEncoder(w), http.NewResponseController(w)
		err := answers(r.Context(), func(a backup.Answer) error {
			return errors.Join(lines.Encode(AnswerLine{Answer: &a}), flush.Flush()) // one by one: a silent answer is cut off
		})
		last := AnswerLine{All: true}
		if err != nil {
			log.WarnContext(r.Context(), "not everything was answered", "error", err)
			last = AnswerLine{Error: err.Error()} // the operator may know causes
		}
		_ = lines.Encode(last) // a caller who is gone knows
	})
	return mux
}

// ownerAsks refuses everybody but who can read the data directory of the server on the same machine.
func ownerAsks(r *http.Request, token string) error {
	if !local(r) {
		return errNotLocal
	}
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+token)) != 1 {
		return fault.New(fault.Unauthenticated, "only who can read the data directory may ask for everything")
	}
	return nil
}

func readBackupRequest(r *http.Request, token string) (request BackupRequest, err error) {
	if err := ownerAsks(r, token); err != nil {
		return request, err
	}
	if err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxBackupRequest)).Decode(&request); err != nil {
		return request, fault.Invalidf("body", "must be JSON: %v", err)
	}
	if request.To == "" {
		return request, fault.Invalidf("to", "must name a directory or s3://bucket/prefix")
	}
	return request, nil
}
