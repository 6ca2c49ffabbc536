package engine

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// machines are the architectures of libraries by Go's names.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// CheckLibrary finds out whether a library can be loaded here, without loading it: whether it is one, for this
// architecture, and as it was fetched, where a stamp beside it says so.
func CheckLibrary(path string) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	file, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%s is no shared library: %w", path, err)
	}
	defer func() { _ = file.Close() }()
	if want, known := machines[runtime.GOARCH]; known && file.Machine != want {
		return fmt.Errorf("%s is for another architecture: %s, this program is for %s", path, file.Machine, want)
	}
	return checkStamp(path)
}

// checkStamp compares a library with what was fetched: the sum only when size or time tell that it is another file.
func checkStamp(path string) error {
	text, err := os.ReadFile(strings.TrimSuffix(path, filepath.Ext(path)) + ".stamp")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) != 3 {
		return nil // there is none where it was not fetched by our script
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if fmt.Sprintf("%d %d", info.Size(), info.ModTime().Unix()) == fields[1]+" "+fields[2] {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != fields[0] {
		return fmt.Errorf("%s has the checksum %s, and %s when it was fetched", path, got, fields[0])
	}
	return nil
}
