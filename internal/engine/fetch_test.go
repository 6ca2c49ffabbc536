package engine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// archive is a .tar.gz of one file, with another one before it.
func archive(t *testing.T, name, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	tarred := tar.NewWriter(packed)
	for _, file := range [][2]string{{"package/README.md", "read me"}, {name, text}} {
		header := &tar.Header{Name: file[0], Mode: 0o644, Size: int64(len(file[1]))}
		if err := tarred.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := tarred.Write([]byte(file[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := tarred.Close(); err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// The library comes out of an archive whatever lies around it, from a file and over HTTP.
func TestFetch(t *testing.T) {
	t.Parallel()
	body := archive(t, "package/lib/libchdb.so", "the library")
	file := filepath.Join(t.TempDir(), "engine.tgz")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
	defer server.Close()
	for _, from := range []string{file, server.URL + "/engine.tgz"} {
		target := filepath.Join(t.TempDir(), "lib", "sonde", "libchdb.so")
		var read int64
		if err := Fetch(t.Context(), from, sumOf("the library"), target, func(n, _ int64) { read = n }); err != nil {
			t.Fatal(err)
		}
		if !HasSum(target, sumOf("the library")) || read == 0 {
			t.Errorf("from %s: a wrong file, or no progress (%d bytes)", from, read)
		}
		if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("from %s: %v, %v", from, info, err)
		}
	}
}

// What is not the library is not kept, and what was there before stays.
func TestFetchKeepsNothingWrong(t *testing.T) {
	t.Parallel()
	whole := archive(t, "libchdb.so", strings.Repeat("the library", 1000))
	for name, c := range map[string]struct {
		body []byte
		want string
	}{
		"another library":        {archive(t, "libchdb.so", "evil"), "it was not kept"},
		"no library":             {archive(t, "libchdb.so.txt", "x"), "it holds no libchdb.so"},
		"not an archive":         {[]byte("<html>"), "it is not a .tar.gz archive"},
		"an archive that is cut": {whole[:len(whole)-20], "unexpected EOF"},
	} {
		dir := t.TempDir()
		file, target := filepath.Join(t.TempDir(), "a.tgz"), filepath.Join(dir, "libchdb.so")
		for path, text := range map[string][]byte{file: c.body, target: []byte("old")} {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := Fetch(t.Context(), file, sumOf(strings.Repeat("the library", 1000)), target, func(_, _ int64) {})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		left, _ := os.ReadDir(dir)
		if old, _ := os.ReadFile(target); string(old) != "old" || len(left) != 1 {
			t.Errorf("%s: it left %v with %q", name, left, old)
		}
	}
	missing := httptest.NewServer(http.NotFoundHandler())
	defer missing.Close()
	if err := Fetch(t.Context(), missing.URL, sumOf(""), filepath.Join(t.TempDir(), "x"), nil); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("from an address without an archive: %v", err)
	}
}

// Every platform that is released for has its line, and the library that tests use has its sum.
func TestPublished(t *testing.T) {
	t.Parallel()
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"} {
		system, arch, _ := strings.Cut(platform, "/")
		got, err := PublishedFor(system, arch)
		if err != nil || got.Version == "" || !strings.HasPrefix(got.Package, "@chdb/lib-"+system) {
			t.Errorf("%s: got %+v, %v", platform, got, err)
		}
		if got.SHA256 != "" && len(got.SHA256) != 64 {
			t.Errorf("%s: %q is no sum", platform, got.SHA256)
		}
	}
	if got, err := PublishedFor("linux", "amd64"); err != nil || got.SHA256 == "" || got.Archive() != "sonde-engine_"+got.Version+"_linux_amd64.tar.gz" {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := PublishedFor("plan9", "mips"); err == nil {
		t.Error("there is a library for everything")
	}
}
