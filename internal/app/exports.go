package app

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/blob/dirblob"
	"github.com/sondehq/sonde/internal/blob/s3blob"
	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/export"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/model"
)

// exportService is what the API offers.
func (n *node) exportService() *export.Service {
	var list export.Jobs
	if service := n.jobService(); service != nil {
		list = service
	}
	return export.NewService(n.meta, n.secrets, exportTargets{n.config.Export}, list, n.config.Export.Lag)
}

func (n *node) exportHandler() jobs.Handler {
	return export.NewHandler(n.store, n.meta, logHorizon{n.log, n.config.Export.Lag}, exportTargets{n.config.Export}, n.secrets)
}

// schedulerPart starts exports when they are due.
func (n *node) schedulerPart() part {
	return background("export scheduler", "the export scheduler did not end in time", func(context.Context) func(context.Context) {
		return func(ctx context.Context) {
			if n.awaitMigrated(ctx) {
				export.NewScheduler(n.meta, n.jobService(), logHorizon{n.log, n.config.Export.Lag}, n.logger).Run(ctx)
			}
		}
	})
}

// logHorizon tells by the log how far the store is: what was accepted before the oldest record that waits
// is stored. The lag covers the moment between acceptance and the log, and clocks that differ.
type logHorizon struct {
	log eventlog.Log
	lag time.Duration
}

// Settled implements export.Horizon.
func (h logHorizon) Settled(ctx context.Context) (time.Time, error) {
	status, err := h.log.Status(ctx)
	if err != nil {
		return time.Time{}, fault.Unavailablef("the log does not answer").Because(err)
	}
	at := time.Now()
	if status.Pending > 0 && status.OldestPending.Before(at) {
		at = status.OldestPending
	}
	return at.Add(-h.lag).UTC(), nil
}

// exportTargets are the places that the operator lets exports write to.
type exportTargets struct{ config config.Export }

const googleEndpoint = "https://storage.googleapis.com"

// Check implements export.Targets.
func (t exportTargets) Check(s model.ExportSettings) error {
	if s.Type == export.Directory {
		return t.checkDirectory(s)
	}
	foreign := func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_", r) }
	switch {
	case len(s.Region) > 64 || strings.ContainsFunc(s.Region, foreign):
		return fault.Invalidf("region", "must be a name like eu-central-1")
	case s.Endpoint == "" && s.Type == export.S3Compatible:
		return fault.Invalidf("endpoint", "must be given with the type %s", export.S3Compatible)
	case s.Endpoint == "" && s.Type == export.S3 && (s.Region == "" || s.Region == "auto"):
		return fault.Invalidf("region", "must be given with the type %s", export.S3)
	case s.AccessKeyID == "":
		return fault.Invalidf("accessKeyId", "must be given: exports never use the server's own credentials")
	}
	endpoint := t.endpoint(s)
	if !t.allowed(endpoint) {
		if len(t.config.Endpoints) > 0 {
			return fault.Invalidf("endpoint", "is not among those that this server may export to").Hint("ask its operator: --export-endpoints")
		}
		if !strings.HasPrefix(endpoint, "https://") {
			return fault.Invalidf("endpoint", "must begin with https://").Hint("the operator of this server may allow others: --export-endpoints")
		}
	}
	if _, err := s3blob.New(t.place(s, "")); err != nil {
		return fault.Invalidf("endpoint", "must look like https://s3.example.com").Because(err)
	}
	return nil
}

func (t exportTargets) checkDirectory(s model.ExportSettings) error {
	switch {
	case t.config.Dir == "":
		return fault.Invalidf("type", "%s is not offered by this server", export.Directory).Hint("its operator may set --export-dir")
	case s.Prefix != "" || s.Endpoint != "" || s.Bucket != "":
		return fault.Invalidf("prefix", "must be empty with the type %s, as endpoint and bucketName", export.Directory)
	}
	return nil
}

func (t exportTargets) endpoint(s model.ExportSettings) string {
	switch {
	case s.Endpoint != "":
		return s.Endpoint
	case s.Type == export.Google:
		return googleEndpoint
	}
	return "https://s3." + s.Region + ".amazonaws.com"
}

// allowed reports whether the operator named the endpoint.
func (t exportTargets) allowed(endpoint string) bool {
	origin := originOf(endpoint)
	for _, listed := range t.config.Endpoints {
		if origin != "" && originOf(listed) == origin {
			return true
		}
	}
	return false
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

func (t exportTargets) place(s model.ExportSettings, secret string) s3blob.Config {
	endpoint := t.endpoint(s)
	return s3blob.Config{
		Endpoint: endpoint, Region: s.Region, Bucket: s.Bucket, Prefix: s.Prefix,
		AccessKey: s.AccessKeyID, SecretKey: secret, PathStyle: s.ForcePathStyle, PublicOnly: !t.allowed(endpoint),
	}
}

// Open implements export.Targets.
func (t exportTargets) Open(s model.ExportSettings, secret string) (blob.Store, func(), error) {
	if s.Type == export.Directory {
		store, err := dirblob.NewPlain(t.config.Dir)
		return store, func() {}, err
	}
	store, err := s3blob.New(t.place(s, secret))
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}

// openBlobs opens where media and large spans are kept.
func (n *node) openBlobs(ctx context.Context) error {
	s3 := n.config.BlobS3
	if s3.Bucket == "" {
		store, err := dirblob.New(n.blobDir())
		n.blobs = countedBlobs{store, n.metrics}
		return err
	}
	store, err := s3blob.New(s3blob.Config{
		Endpoint: s3.Endpoint, Region: s3.Region, Bucket: s3.Bucket, Prefix: s3.Prefix, Suffix: "~",
		AccessKey: s3.AccessKey, SecretKey: s3.SecretKey.Reveal(), PathStyle: s3.PathStyle,
	})
	if err != nil {
		return err
	}
	if err := store.Check(ctx); err != nil {
		return fmt.Errorf("blob-s3: %w", err)
	}
	n.blobs = countedBlobs{store, n.metrics}
	return nil
}

// blobsShared reports whether other nodes see the blobs of this one.
func (n *node) blobsShared() bool { return n.config.BlobDir != "" || n.config.BlobS3.Bucket != "" }
