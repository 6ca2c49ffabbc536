package e2e_test

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The engine's library is put where serve finds it, once, and only with the sum that was asked for.
// Not in parallel: a program that was just written cannot be run while another test starts one.
func TestEngineFetch(t *testing.T) {
	root := t.TempDir()
	binary, archive := filepath.Join(root, "bin", "sonde"), filepath.Join(root, "engine.tar.gz")
	if err := os.Mkdir(filepath.Dir(binary), 0o700); err != nil {
		t.Fatal(err)
	}
	copyFile(t, program(t), binary)
	library := emptyLibrary()
	writeArchive(t, archive, "libchdb.so", library)
	sum := sha256.Sum256([]byte(library))
	good, place := hex.EncodeToString(sum[:]), filepath.Join(root, "lib", "sonde", "libchdb.so")
	for _, step := range []struct {
		name, sum string
		code      int
		want      string
	}{
		{"the sum that this version knows", "", 1, "it was not kept"},
		{"a sum that is none", "abc", 1, "must be 64 hexadecimal digits"},
		{"the right sum", good, 0, "is at " + place + "."},
		{"again", good, 0, "is at " + place + " already."},
	} {
		args := []string{"engine", "fetch", "--from", archive}
		if step.sum != "" {
			args = append(args, "--sha256", step.sum)
		}
		got := runIn(t, root, binary, bareEnvironment(), args...)
		if got.code != step.code || !strings.Contains(got.stdout+got.stderr, step.want) {
			t.Errorf("%s: code %d, %s%s", step.name, got.code, got.stdout, got.stderr)
		}
	}
	if text, err := os.ReadFile(place); err != nil || string(text) != library {
		t.Errorf("got %q, %v", text, err)
	}
	checked := runIn(t, root, binary, append(bareEnvironment(), "PATH="), "doctor")
	if !strings.Contains(checked.stdout, "ok    engine "+place) {
		t.Errorf("serve would not find it:\n%s", checked.stdout)
	}
}

// emptyLibrary is a shared object for this machine without anything in it.
func emptyLibrary() string {
	head := make([]byte, 64)
	copy(head, "\x7fELF\x02\x01\x01") // 64 bits, little-endian
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	head[16], head[18], head[20] = byte(elf.ET_DYN), byte(machine), byte(elf.EV_CURRENT)
	head[52], head[54], head[58] = 64, 56, 64 // sizes of its parts
	return string(head)
}

func writeArchive(t *testing.T, path, name, text string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	packed := gzip.NewWriter(file)
	files := tar.NewWriter(packed)
	if err := files.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	for _, part := range []interface{ Close() error }{files, packed, file} {
		if err := part.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
