package eventlog

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/google/uuid"
)

// BlobDir is where payloads lie that are larger than a record.
const BlobDir = "oversize"

// NewBlobKey names such a payload: a directory of its project, and an id that tells when it was made.
func NewBlobKey(projectID string) string {
	return ProjectBlobDir(projectID) + "/" + uuid.Must(uuid.NewV7()).String()
}

// ProjectBlobDir is where the payloads of a project lie.
func ProjectBlobDir(projectID string) string { return BlobDir + "/" + projectDir(projectID) }

func projectDir(projectID string) string {
	sum := sha256.Sum256([]byte(projectID))
	return hex.EncodeToString(sum[:16])
}

// BlobMade reads a key: when it was made, and whether it is the project's. Keys of earlier releases name a day in
// place of a project.
func BlobMade(key, projectID string) (at time.Time, own, ok bool) {
	rest, found := strings.CutPrefix(key, BlobDir+"/")
	dir, name, _ := strings.Cut(rest, "/")
	id, err := uuid.Parse(name)
	if !found || err != nil || id.Version() != 7 {
		return time.Time{}, false, false
	}
	seconds, nanos := id.Time().UnixTime()
	return time.Unix(seconds, nanos).UTC(), dir == projectDir(projectID), true
}
