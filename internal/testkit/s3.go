package testkit

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// s3Program names the environment variable with the S3 server to start instead of the one that
// `make s3server` builds.
const s3Program = "SONDE_TEST_S3SERVER"

const startWithin = 60 * time.Second // a busy machine; an idle one needs less than one

// S3Server is an S3 server of a test with one empty bucket.
type S3Server struct {
	Endpoint             string
	Region               string
	Bucket               string
	AccessKey, SecretKey string
	// Dir is where the server keeps the bucket's objects as files.
	Dir string
}

// S3 starts a server that keeps objects as files and ends with the test.
func S3(t testing.TB) S3Server {
	t.Helper()
	program := builtTool(t, s3Program, "s3server")
	dir := t.TempDir()
	s := S3Server{
		Endpoint: "http://" + freeAddress(t), Region: "us-east-1", Bucket: "test",
		AccessKey: "access", SecretKey: rand.Text(), Dir: filepath.Join(dir, "test"),
	}
	if err := os.Mkdir(s.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	command := s.Command(program, t.TempDir())
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatalf("start the S3 server: %v", err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // says that it was killed
	})
	if err := awaitOK(t.Context(), s.Endpoint+"/health"); err != nil {
		_ = command.Process.Kill()
		_ = command.Wait()
		t.Fatalf("start the S3 server: %v\n%s", err, output.String())
	}
	return s
}

// Command runs the program as this server; sidecar is a directory for what it notes of objects.
func (s S3Server) Command(program, sidecar string) *exec.Cmd {
	command := exec.Command(program, "--port", strings.TrimPrefix(s.Endpoint, "http://"), "--region", s.Region, "--quiet",
		"--health", "/health", "posix", "--sidecar", sidecar, filepath.Dir(s.Dir))
	command.Env = []string{"ROOT_ACCESS_KEY=" + s.AccessKey, "ROOT_SECRET_KEY=" + s.SecretKey, "PATH=" + os.Getenv("PATH")}
	return command
}

// awaitOK waits until an address of a server that was started answers 200.
func awaitOK(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	var client http.Client // ctx bounds it
	defer client.CloseIdleConnections()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("it answers %s", response.Status)
		}
		select {
		case <-ctx.Done():
			return err
		case <-again.C:
		}
	}
}

// freeAddress is an address of this machine that nobody listened on a moment ago.
func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// builtTool is a program that the environment names, or where `make NAME` puts it.
func builtTool(t testing.TB, environment, name string) string {
	t.Helper()
	if path := os.Getenv(environment); path != "" {
		return path
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		path := filepath.Join(dir, ".cache", "tools", name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Fatalf("there is no .cache/tools/%s: run make %s", name, name)
	return ""
}
