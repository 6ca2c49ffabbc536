package s3blob_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/blob/blobtest"
	"github.com/sondehq/sonde/internal/blob/s3blob"
	"github.com/sondehq/sonde/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func configOf(server testkit.S3Server) s3blob.Config {
	return s3blob.Config{
		Endpoint: server.Endpoint, Region: server.Region, Bucket: server.Bucket, PathStyle: true,
		AccessKey: server.AccessKey, SecretKey: server.SecretKey,
	}
}

func open(t *testing.T, c s3blob.Config) *s3blob.Store {
	t.Helper()
	s, err := s3blob.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestContract(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	var stores atomic.Int64
	each := func(suffix string) blobtest.Open {
		return func(t *testing.T) blob.Store {
			c := configOf(server)
			c.Prefix, c.Suffix = "Prefix "+string(rune('a'+stores.Add(1)))+"/", suffix
			return open(t, c)
		}
	}
	t.Run("apart", func(t *testing.T) {
		t.Parallel()
		blobtest.Run(t, each("~"))
	})
	t.Run("plain", func(t *testing.T) {
		t.Parallel()
		blobtest.RunPlain(t, each(""))
	})
}

// endless yields bytes until it is told to stop, with an error or by ending ctx.
type endless struct {
	left int
	end  func() error
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, e.end()
	}
	e.left -= len(p)
	return len(p), nil
}

func TestAnUploadThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	s := open(t, configOf(server))
	failure := errors.New("the source broke")
	if err := s.Put(t.Context(), "a/b", &endless{20 << 20, func() error { return failure }}); !errors.Is(err, failure) {
		t.Errorf("put of a broken stream of several parts: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Put(ctx, "a/b", &endless{20 << 20, func() error {
		cancel()
		return nil
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("put of several parts whose context ends: %v", err)
	}
	err = filepath.WalkDir(server.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			t.Errorf("the server still has %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestASeekDoesNotMixTwoBlobs(t *testing.T) {
	t.Parallel()
	s := open(t, configOf(testkit.S3(t)))
	put := func(data string) {
		t.Helper()
		if err := s.Put(t.Context(), "k", strings.NewReader(data)); err != nil {
			t.Fatal(err)
		}
	}
	put("old old old")
	r, err := s.Get(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	put("new new new")
	if _, err := r.Seek(4, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(r); err == nil && string(rest) != "old old" {
		t.Errorf("a reader of the old blob got %q", rest)
	}
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	if err := open(t, configOf(server)).Check(t.Context()); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*s3blob.Config){
		"no such bucket": func(c *s3blob.Config) { c.Bucket = "other" },
		"wrong secret":   func(c *s3blob.Config) { c.SecretKey = "guess" },
		"private":        func(c *s3blob.Config) { c.PublicOnly = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := configOf(server)
			spoil(&c)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			s := open(t, c)
			if err := s.Check(ctx); err == nil {
				t.Error("Check found nothing")
			}
			if err := s.Put(ctx, "k", strings.NewReader("x")); err == nil {
				t.Error("Put went well")
			}
		})
	}
}

func TestEndpointsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{"s3.example.com", "file:///etc", "ftp://a", "https://", "https://a/path", "https://u:p@a", "https://a?x=y", "http://a b", "\x00"} {
		if _, err := s3blob.New(s3blob.Config{Endpoint: endpoint, Bucket: "b"}); err == nil {
			t.Errorf("%q is taken", endpoint)
		}
	}
	if _, err := s3blob.New(s3blob.Config{Region: "eu-central-1", Bucket: "bucket"}); err != nil {
		t.Errorf("Amazon's own by region: %v", err)
	}
}
