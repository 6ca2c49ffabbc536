// Package s3blob keeps blobs in S3-compatible object storage.
//
// The blob a/b lies in the object PREFIX a/b SUFFIX of one bucket. The bucket must be there; the
// package neither makes nor looks for it, so that credentials need no more rights than to read,
// write, list and delete objects. A put that ends with the process leaves parts of an upload that
// nobody sees; a lifecycle rule of the bucket (AbortIncompleteMultipartUpload) removes them.
package s3blob

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/sondehq/sonde/internal/blob"
)

// Config is a place in a bucket and how to get there.
type Config struct {
	// Endpoint is the address of the server, like https://s3.example.com:9000, without a path.
	// Empty: Amazon S3 in the region.
	Endpoint string
	Region   string
	Bucket   string
	// Prefix comes before each key and Suffix behind it, as they are. Servers that keep objects as
	// files cannot hold the objects a and a/b; with a suffix that no key has, like "~", they can.
	Prefix, Suffix string
	// AccessKey and SecretKey sign the requests. Without them those of the environment do
	// (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY).
	AccessKey, SecretKey string
	// PathStyle names the bucket in the path rather than in the host.
	PathStyle bool
	// PublicOnly refuses to connect to addresses of this machine and of private networks, for
	// endpoints that strangers name. It looks at the address dialed, whatever the name resolved to.
	PublicOnly bool
}

// Store is a blob.Store in a bucket.
type Store struct {
	core           *minio.Core
	transport      *http.Transport
	bucket         string
	prefix, suffix string
}

var _ blob.Store = (*Store)(nil)

// maxTries is how often a request that may be repeated is sent.
const maxTries = 4

// New makes a store. It connects to nothing: Check does.
func New(c Config) (*Store, error) {
	endpoint := c.Endpoint
	if endpoint == "" {
		endpoint = "https://s3." + c.Region + ".amazonaws.com"
	}
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read S3 endpoint: %w", err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.User != nil || u.RawQuery != "":
		return nil, fmt.Errorf("an S3 endpoint looks like https://s3.example.com, got %q", u.Redacted())
	case c.Bucket == "":
		return nil, errors.New("an S3 bucket must be named")
	}
	signer := credentials.NewStaticV4(c.AccessKey, c.SecretKey, "")
	if c.AccessKey == "" {
		signer = credentials.NewEnvAWS()
	}
	lookup := minio.BucketLookupAuto
	if c.PathStyle {
		lookup = minio.BucketLookupPath
	}
	region := c.Region
	if region == "" || region == "auto" {
		region = "us-east-1" // what servers without regions expect
	}
	through := transport(c.PublicOnly)
	core, err := minio.NewCore(u.Host, &minio.Options{
		Creds: signer, Secure: u.Scheme == "https", Region: region, BucketLookup: lookup,
		Transport: through, MaxRetries: maxTries,
	})
	if err != nil {
		return nil, fmt.Errorf("open S3 endpoint: %w", err)
	}
	return &Store{core: core, transport: through, bucket: c.Bucket, prefix: c.Prefix, suffix: c.Suffix}, nil
}

// Check tells whether the bucket can be reached with the credentials.
func (s *Store) Check(ctx context.Context) error {
	ok, err := s.core.BucketExists(ctx, s.bucket)
	if err != nil {
		return fmt.Errorf("look for S3 bucket %s: %w", s.bucket, err)
	}
	if !ok {
		return fmt.Errorf("there is no S3 bucket %s", s.bucket)
	}
	return nil
}

// Close gives up idle connections. The store may be used further.
func (s *Store) Close() { s.transport.CloseIdleConnections() }

// Delete removes a blob.
func (s *Store) Delete(ctx context.Context, key string) error {
	object, err := s.object(key)
	if err != nil {
		return err
	}
	err = s.core.RemoveObject(ctx, s.bucket, object, minio.RemoveObjectOptions{})
	if err != nil && !absent(err) {
		return fmt.Errorf("delete blob %s: %w", key, err)
	}
	return nil
}

// List asks for a page of names at a time.
func (s *Store) List(ctx context.Context, dir string, each func(key string) error) error {
	prefix := s.prefix
	if dir != "" {
		if err := blob.CheckKey(dir); err != nil {
			return err
		}
		prefix += dir + "/"
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing when each does
	for info := range s.core.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if info.Err != nil {
			return fmt.Errorf("list blobs: %w", info.Err)
		}
		key, ours := strings.CutSuffix(strings.TrimPrefix(info.Key, s.prefix), s.suffix)
		if !ours || blob.CheckKey(key) != nil {
			continue // somebody else's object
		}
		if err := each(key); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (s *Store) object(key string) (string, error) {
	if err := blob.CheckKey(key); err != nil {
		return "", err
	}
	return s.prefix + key + s.suffix, nil
}

// absent reports whether err says that an object is not there.
func absent(err error) bool {
	var answer minio.ErrorResponse
	return errors.As(err, &answer) && (answer.Code == minio.NoSuchKey || answer.StatusCode == http.StatusNotFound && answer.Code != minio.NoSuchBucket)
}
