package e2e_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
)

const storagePath = "/api/public/integrations/blob-storage"

// organization is a client with a key of the first project's organization, made past the running server.
func (s *server) organization() *client {
	s.t.Helper()
	store := s.metadata()
	first, err := store.KeyByPublic(s.t.Context(), publicKey)
	if err != nil {
		s.t.Fatal(err)
	}
	public, secret := auth.NewKeyPair()
	salt, hash := auth.Hash(secret)
	key := model.Key{
		ID: uuid.NewString(), Project: model.Project{Organization: first.Project.Organization}, PublicKey: public, SecretHash: hash, Salt: salt,
		Display: auth.Display(secret), Scope: model.ScopeAll, CreatedAt: time.Now().UTC(),
	}
	if err := errors.Join(store.CreateKey(s.t.Context(), key), store.Close()); err != nil {
		s.t.Fatal(err)
	}
	return s.clientWith(basicAuth(public, secret))
}

// exportTo says where the project is exported to, by the key of its organization.
func (s *server) exportTo(bucket testkit.S3Server, fileType string) {
	s.t.Helper()
	settings := fmt.Sprintf(`{"projectId":%q,"type":"S3_COMPATIBLE","bucketName":%q,"endpoint":%q,"region":%q,"accessKeyId":%q,"secretAccessKey":%q,
		"prefix":"Some Prefix/","exportFrequency":"every_20_minutes","enabled":false,"forcePathStyle":true,"fileType":%q,"exportMode":"FULL_HISTORY"}`,
		projectID, bucket.Bucket, bucket.Endpoint, bucket.Region, bucket.AccessKey, bucket.SecretKey, fileType)
	a, err := s.organization().do(http.MethodPut, storagePath, []byte(settings), "Content-Type", "application/json")
	if err != nil || a.err() != nil {
		s.t.Fatal(err, a.err(), a.body)
	}
}

// exported are the rows of observations in all Parquet files of the bucket.
func exported(t *testing.T, bucket testkit.S3Server) (rows []row, files int) {
	t.Helper()
	err := filepath.WalkDir(bucket.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(path, "/observations/") {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		reader := parquet.NewGenericReader[exportedRow](bytes.NewReader(data))
		defer func() { _ = reader.Close() }()
		for {
			some := make([]exportedRow, 100)
			n, err := reader.Read(some)
			for _, r := range some[:n] {
				rows = append(rows, row{ID: r.ID, TraceID: r.TraceID, ProjectID: r.ProjectID, StartTime: r.StartTime.UTC(), Name: r.Name, Input: r.Input, Output: r.Output})
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, files
}

type exportedRow struct {
	ID        string    `parquet:"id,optional"`
	TraceID   string    `parquet:"traceId,optional"`
	ProjectID string    `parquet:"projectId,optional"`
	StartTime time.Time `parquet:"startTime,optional,timestamp(millisecond)"`
	Name      string    `parquet:"name,optional"`
	Input     string    `parquet:"input,optional"`
	Output    string    `parquet:"output,optional"`
}

// The server is killed again and again while it exports to a real S3 server. In the end every row is in the
// bucket once, as the API shows it.
func TestExportSurvivesKill(t *testing.T) {
	t.Parallel()
	const count = 20_000
	bucket := testkit.S3(t)
	s := startNode(t, "--export-endpoints", bucket.Endpoint, "--export-lag", "1s")
	c := s.client()
	spans := newSpans(count)
	for i := range spans {
		spans[i].attributes = map[string]string{"langfuse.observation.input": fmt.Sprintf("=input of %d, \"quoted\"\n", i)}
	}
	for part := range slices.Chunk(spans, 5000) {
		c.send(inProtobuf(t, part...))
	}
	c.showsWithin(time.Minute, spans)
	s.exportTo(bucket, "PARQUET")
	pause(1500 * time.Millisecond) // the lag
	from, to := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	j, err := c.job(http.MethodPost, "", fmt.Sprintf(`{"kind":"export","from":%q,"to":%q}`, from, to))
	if err != nil {
		t.Fatal(err)
	}
	attempts := 0
	for _, after := range []time.Duration{50 * time.Millisecond, 400 * time.Millisecond} {
		j = c.awaitJob(j.ID, time.Minute, "the job is under way", func(j job) bool { return j.Attempts > attempts })
		attempts = j.Attempts
		pause(after)
		s.signal(s.pid(), syscall.SIGKILL)
		<-s.exited
		_, files := exported(t, bucket) // whole ones
		t.Logf("killed with %d files written", files)
		s.start()
	}
	restarted := time.Now()
	j = c.awaitJob(j.ID, time.Minute, "the job is done", func(j job) bool { return j.State == "done" || j.State == "failed" })
	t.Logf("done %v after the restart, in attempt %d", time.Since(restarted), j.Attempts)
	if j.State != "done" {
		t.Fatalf("%+v", j)
	}
	got, _ := exported(t, bucket)
	want, err := c.walk(url.Values{"fields": {"core,basic,io"}}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, want, got)
}

func sameRows(t *testing.T, want, got []row) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%d rows in the bucket, %d by the API", len(got), len(want))
	}
	byKey := map[string]row{}
	for _, r := range want {
		r.StartTime = r.StartTime.UTC()
		byKey[r.key()] = r
	}
	bad := 0
	for _, r := range got {
		if other, ok := byKey[r.key()]; (!ok || other != r) && bad < 5 {
			bad++
			t.Errorf("in the bucket %+v, by the API %+v", r, other)
		}
		delete(byKey, r.key())
	}
	if len(byKey) > 0 {
		t.Errorf("%d rows are not in the bucket", len(byKey))
	}
}

// Large spans and media live in a bucket, and nothing in the data directory.
func TestBlobsInS3(t *testing.T) {
	t.Parallel()
	bucket := testkit.S3(t)
	s := startNode(t, "--blob-s3-bucket", bucket.Bucket, "--blob-s3-endpoint", bucket.Endpoint, "--blob-s3-prefix", "sonde/", "--blob-s3-path-style",
		"--blob-s3-access-key", bucket.AccessKey, "--blob-s3-secret-key", bucket.SecretKey)
	c := s.client()
	spans := newSpans(1)
	spans[0].attributes = map[string]string{"langfuse.observation.input": noise(6 << 20)}
	c.send(inProtobuf(t, spans...))
	c.showsWithin(time.Minute, spans)
	rows, err := c.walk(url.Values{"fields": {"core,basic,io"}}, 10)
	if err != nil || len(rows) != 1 || rows[0].Input != spans[0].attributes["langfuse.observation.input"] {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "blobs")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("blobs in the data directory: %v", err)
	}
}
