package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// file is a file with the forms in which the build stored it.
type file struct {
	kind                string // its content type
	hash                string
	plain, gzip, brotli []byte
}

// kinds are the content types of what the build makes. The table of the machine is not asked: it
// may be missing or say otherwise.
var kinds = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".json":  "application/json",
	".svg":   "image/svg+xml",
	".txt":   "text/plain; charset=utf-8",
	".woff2": "font/woff2",
}

func readFiles(files fs.FS) (map[string]file, error) {
	found := map[string]file{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == indexName || path.Ext(name) == ".gz" || path.Ext(name) == ".br" {
			return err
		}
		kind, known := kinds[path.Ext(name)]
		if !known {
			return fmt.Errorf("file %s of the UI has no content type: add one to the table", name)
		}
		f := file{kind: kind}
		if f.plain, err = fs.ReadFile(files, name); err != nil {
			return err
		}
		sum := sha256.Sum256(f.plain)
		f.hash = hex.EncodeToString(sum[:8])
		f.gzip, _ = fs.ReadFile(files, name+".gz") // small files have no other form
		f.brotli, _ = fs.ReadFile(files, name+".br")
		found[name] = f
		return nil
	})
	return found, err
}

func (f file) packed() bool { return f.gzip != nil || f.brotli != nil }

// best is the smallest form that the header Accept-Encoding allows, with its coding.
func (f file) best(accept string) (coding string, content []byte) {
	switch {
	case f.brotli != nil && accepts(accept, "br"):
		return "br", f.brotli
	case f.gzip != nil && accepts(accept, "gzip"):
		return "gzip", f.gzip
	}
	return "", f.plain
}

// accepts reads a list such as "gzip;q=0.8, br, *;q=0".
func accepts(list, coding string) bool {
	byStar := false
	for entry := range strings.SplitSeq(list, ",") {
		name, params, _ := strings.Cut(entry, ";")
		weight := 1.0
		if _, q, found := strings.Cut(params, "="); found {
			if parsed, err := strconv.ParseFloat(strings.TrimSpace(q), 64); err == nil {
				weight = parsed
			}
		}
		switch name = strings.TrimSpace(name); {
		case strings.EqualFold(name, coding):
			return weight > 0
		case name == "*":
			byStar = weight > 0
		}
	}
	return byStar
}
