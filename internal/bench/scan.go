package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Finding is a file in which a marker was found.
type Finding struct {
	Place string `json:"place"` // what kind of file: see placeOf
	File  string `json:"file"`
	How   string `json:"how"` // what had to be undone to see it
}

// ScanResult says where in a data directory a marker lies.
type ScanResult struct {
	Files   int            `json:"files"`
	Bytes   int64          `json:"bytes"`   // on disk
	Decoded int64          `json:"decoded"` // bytes that decoding made of them
	Places  map[string]int `json:"places"`  // files with the marker, by kind
	Found   []Finding      `json:"found"`   // at most maxFindings
}

// maxFindings bounds the list of a result.
const maxFindings = 100

// Scan looks for a marker in every file below a data directory, as it is and with everything undone that the
// programs did to it: the engine's compressed blocks, the log's records and their envelopes. Letters count the
// same in either case, because the index of words has lower ones. Of a word in that index the front may be
// missing, which it shares with its neighbor: so only the second half of the marker is looked for.
func Scan(ctx context.Context, dir, marker string) (ScanResult, error) {
	s := &scan{dir: dir, needle: []byte(strings.ToLower(marker[len(marker)/2:])), result: ScanResult{Places: map[string]int{}}}
	if len(s.needle) < minNeedle {
		return s.result, fmt.Errorf("scan for %q: a marker has at least %d characters", marker, 2*minNeedle)
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // went meanwhile
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if err := s.file(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return ctx.Err()
	})
	if err != nil {
		return s.result, fmt.Errorf("scan %s: %w", dir, err)
	}
	return s.result, nil
}

// minNeedle keeps chance from finding something.
const minNeedle = 8

type scan struct {
	dir    string
	needle []byte
	result ScanResult
}

func (s *scan) file(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s.result.Files++
	s.result.Bytes += int64(len(data))
	name, err := filepath.Rel(s.dir, path)
	if err != nil {
		return err
	}
	place := placeOf(name)
	switch how := s.look(place, data); how {
	case "":
	default:
		s.result.Places[place]++
		if len(s.result.Found) < maxFindings {
			s.result.Found = append(s.result.Found, Finding{place, name, how})
		}
	}
	return nil
}

// look returns how the marker was found in a file, empty when it was not.
func (s *scan) look(place string, data []byte) string {
	if s.in(data) {
		return "as it is"
	}
	if found, decoded := s.inBlocks(data); decoded && found {
		return "in compressed blocks"
	}
	if strings.HasPrefix(place, "log") && s.inRecords(data) {
		return "in records"
	}
	return ""
}

func (s *scan) in(data []byte) bool { return bytes.Contains(bytes.ToLower(data), s.needle) }

// inBlocks undoes compression of blocks, one behind the other, and looks across their edges. decoded says that
// the file is made of such blocks.
func (s *scan) inBlocks(data []byte) (found, decoded bool) {
	var tail []byte
	for len(data) > 0 {
		block, rest, err := nextBlock(data)
		if err != nil {
			return found, decoded && found
		}
		decoded = true
		s.result.Decoded += int64(len(block))
		found = found || s.in(slices.Concat(tail, block))
		tail = slices.Clone(block[max(0, len(block)-len(s.needle)):])
		data = rest
	}
	return found, decoded
}

// placeOf names the kind of a file by where it lies.
func placeOf(name string) string {
	parts := strings.Split(filepath.ToSlash(name), "/")
	switch parts[0] {
	case "engine":
		return "engine"
	case "log":
		for _, p := range parts {
			if strings.HasPrefix(p, "SONDE_DEAD") {
				return "log: dead letters"
			}
			if strings.HasPrefix(p, "SONDE_JOBS") {
				return "log: jobs"
			}
		}
		return "log"
	case "blobs":
		if len(parts) > 1 {
			return "blobs: " + parts[1]
		}
	}
	if strings.HasPrefix(parts[0], "metadata.sqlite") {
		return "metadata"
	}
	return "other"
}
