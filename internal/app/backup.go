package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/audit"
	"github.com/sondehq/sonde/internal/backup"
	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/blob/dirblob"
	"github.com/sondehq/sonde/internal/blob/s3blob"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/selfobs"
)

const (
	// operatorFile is the file in the data directory that tells commands how to reach the running server.
	operatorFile = "operator.json"
	// unfinishedFile is there from the begin of a restore to its end. No server starts beside it.
	unfinishedFile = "restore.unfinished"
)

// secretFiles are files of the data directory that a backup takes along only when it is told to.
var secretFiles = []string{keyFile}

// operator is what operatorFile holds.
type operator struct {
	Address string `json:"address"`
	Token   string `json:"token"`
}

// writeOperator leaves the way to the operator's listener where the owner of the data directory finds it.
func (n *node) writeOperator() error {
	n.operatorToken = rand.Text()
	text, err := json.Marshal(operator{Address: loopbackOf(n.config.MetricsListen), Token: n.operatorToken})
	if err == nil {
		err = os.WriteFile(n.dir(operatorFile), text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write how to reach this server: %w", err)
	}
	return nil
}

// loopbackOf is how to reach a listener from its own machine.
func loopbackOf(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// backUp makes a backup of the running server; a stop of the server ends it.
func (n *node) backUp(ctx context.Context, request api.BackupRequest, tell func(backup.Progress)) (backup.Manifest, error) {
	if !n.backingUp.TryLock() {
		return backup.Manifest{}, fault.New(fault.Conflict, "a backup is being made already")
	}
	defer n.backingUp.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(n.serving, cancel)() //nolint:contextcheck // the life of the server, beside the caller's
	from, err := n.backupSources(request)
	if err != nil {
		return backup.Manifest{}, err
	}
	if inside(n.config.DataDir, request.To) {
		return backup.Manifest{}, errors.New("a backup in the data directory would be lost with it: choose another place")
	}
	to, err := placeFor(request.To, request.S3)
	if err != nil {
		return backup.Manifest{}, err
	}
	if request.Onto != "" {
		if from.Base, err = baseFor(ctx, request); err != nil {
			return backup.Manifest{}, err
		}
	}
	event := byOperator("backup.create")
	event.ObjectName, event.Detail = request.To, fmt.Sprintf("with secrets %t, deletes only %t", request.WithSecrets, request.DeletesOnly)
	audit.New(n.meta, n.logger).Record(ctx, event) // before it is made: who tried counts, too
	if request.DeletesOnly {
		return backup.MakeDeletes(ctx, from, to, tell)
	}
	return backup.Make(ctx, from, to, tell)
}

func inside(dir, path string) bool {
	relative, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(relative)
}

func (n *node) backupSources(request api.BackupRequest) (backup.Sources, error) {
	if n.log == nil || n.store == nil {
		return backup.Sources{}, errors.New("this node has no log or no trace store: ask one with the role write")
	}
	from := backup.Sources{Version: selfobs.Version, Log: n.log, Deletes: n.store, Metadata: n.meta, Blobs: n.blobs, Secrets: map[string]string{}}
	switch {
	case request.WithoutStore || request.DeletesOnly:
	case n.engine == nil:
		return backup.Sources{}, errors.New("the trace store is outside: say --without-store, and have ClickHouse make its own backup afterwards; see docs/operate/backup.md")
	default:
		from.Store, from.Stage = n.store, n.engine.Backups()
	}
	if request.WithAnswers {
		from.Answers = n.answers
	}
	for _, name := range secretFiles {
		if _, err := os.Stat(n.dir(name)); request.WithSecrets && err == nil {
			from.Secrets[name] = n.dir(name)
		}
	}
	return from, nil
}

// placeFor opens a directory, or a place in a bucket.
func placeFor(name string, access api.S3Access) (blob.Store, error) {
	rest, inBucket := strings.CutPrefix(name, "s3://")
	if !inBucket {
		return dirblob.New(name)
	}
	bucket, prefix, _ := strings.Cut(rest, "/")
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	return s3blob.New(s3blob.Config{
		Endpoint: access.Endpoint, Region: access.Region, Bucket: bucket, Prefix: prefix,
		AccessKey: access.AccessKey, SecretKey: access.SecretKey, PathStyle: access.PathStyle,
	})
}

// baseFor opens the backup that a new one stands on.
func baseFor(ctx context.Context, request api.BackupRequest) (*backup.Base, error) {
	base, err := openBackup(ctx, request.Onto, request.S3)
	if err != nil {
		return nil, err
	}
	place, err := placeBeside(request.Onto, request.To)
	if err != nil {
		return nil, err
	}
	return &backup.Base{Backup: base, Place: place}, nil
}

// placeBeside is the place of one backup relative to that of another, so that both may be moved together.
func placeBeside(onto, to string) (string, error) {
	bucketOf := func(name string) string {
		rest, inBucket := strings.CutPrefix(name, "s3://")
		bucket, _, _ := strings.Cut(rest, "/")
		if !inBucket {
			return ""
		}
		return bucket
	}
	if bucketOf(onto) != bucketOf(to) {
		return "", errors.New("a backup and the one it stands on must lie in the same bucket, or both in directories")
	}
	relative, err := filepath.Rel(strings.TrimPrefix(to, "s3://"), strings.TrimPrefix(onto, "s3://"))
	if err != nil || relative == "." {
		return "", fmt.Errorf("%s cannot stand on %s: choose another place", to, onto)
	}
	return filepath.ToSlash(relative), nil
}

// openBackup finds a backup; a directory that is not there must not be made.
func openBackup(ctx context.Context, name string, access api.S3Access) (*backup.Backup, error) {
	place, err := existingPlace(name, access)
	if err != nil {
		return nil, fmt.Errorf("find the backup: %w", err)
	}
	found, err := backup.Open(ctx, place, func(beside string) (blob.Store, error) {
		rest, inBucket := strings.CutPrefix(name, "s3://")
		if inBucket {
			return placeFor("s3://"+path.Join(rest, beside), access)
		}
		return existingPlace(filepath.Join(name, filepath.FromSlash(beside)), access)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return found, nil
}

func existingPlace(name string, access api.S3Access) (blob.Store, error) {
	if _, err := os.Stat(name); err != nil && !strings.HasPrefix(name, "s3://") {
		return nil, err
	}
	return placeFor(name, access)
}

// refuseUnfinished keeps a server from half of its data.
func (n *node) refuseUnfinished() error {
	_, err := os.Stat(n.dir(unfinishedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("a restore into %s did not come to its end: empty the directory and restore again", n.config.DataDir)
}
