package engine

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// maxLibraryBytes is more than any library has; what is larger is not one.
	maxLibraryBytes = 4 << 30
	// fetchWithin is enough for 200 MB at 1 Mbit/s.
	fetchWithin = 30 * time.Minute
)

// LibraryPlace is the file that Find looks at first when nobody names a library: below lib/sonde for a program
// in a folder bin, as packages install it, and beside the program otherwise.
func LibraryPlace(executable string) (string, error) {
	places := nearby(executable)
	if len(places) == 0 {
		return "", errors.New("this program does not know where it is; name a file with --to")
	}
	return places[0], nil
}

// HasSum reports whether the file is there and has the checksum.
func HasSum(file, sum string) bool {
	in, err := os.Open(file)
	if err != nil {
		return false
	}
	defer in.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, in)
	return err == nil && hex.EncodeToString(hash.Sum(nil)) == sum
}

// Fetch takes the library out of a gzipped tar archive, which is a file or an address, and puts it at target.
// The file is at target whole and with the right checksum, or as it was before. Progress gets the bytes of the archive
// that are read so far, and how many it has, or -1.
func Fetch(ctx context.Context, from, sum, target string, progress func(read, total int64)) error {
	archive, total, err := openArchive(ctx, from)
	if err != nil {
		return err
	}
	defer archive.Close()
	packed, err := gzip.NewReader(&counted{in: archive, total: total, tell: progress})
	if err != nil {
		return fmt.Errorf("read %s: it is not a .tar.gz archive: %w", from, err)
	}
	files := tar.NewReader(packed)
	for {
		entry, err := files.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("read %s: it holds no %s", from, libraryNames()[0])
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", from, err)
		}
		if entry.Typeflag == tar.TypeReg && slices.Contains(libraryNames(), path.Base(entry.Name)) {
			return place(files, from, sum, target)
		}
	}
}

func openArchive(ctx context.Context, from string) (io.ReadCloser, int64, error) {
	if !strings.HasPrefix(from, "https://") && !strings.HasPrefix(from, "http://") {
		file, err := os.Open(from)
		if err != nil {
			return nil, 0, fmt.Errorf("open the engine's archive: %w", err)
		}
		info, err := file.Stat()
		if err != nil {
			return nil, 0, errors.Join(fmt.Errorf("open the engine's archive: %w", err), file.Close())
		}
		return file, info.Size(), nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, http.NoBody)
	if err != nil {
		return nil, 0, fmt.Errorf("ask for %s: %w", from, err)
	}
	client := http.Client{Timeout: fetchWithin, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return nil, 0, fmt.Errorf("fetch the engine: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, 0, errors.Join(fmt.Errorf("fetch the engine: %s answers %s", from, answer.Status), answer.Body.Close())
	}
	return answer.Body, answer.ContentLength, nil
}

// place writes the library beside target and renames it once its checksum is right.
func place(library io.Reader, from, sum, target string) (err error) {
	//nolint:gosec // other users run the server
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return fmt.Errorf("make room for the engine: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(target), ".engine-")
	if err != nil {
		return fmt.Errorf("make room for the engine: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close(), os.Remove(file.Name()))
		}
	}()
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(file, hash), io.LimitReader(library, maxLibraryBytes+1))
	if err != nil {
		return fmt.Errorf("take the library out of %s: %w", from, err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); n > maxLibraryBytes || got != sum {
		return fmt.Errorf("the library in %s has the checksum %s, not %s: it was not kept", from, got, sum)
	}
	if err := errors.Join(file.Chmod(0o755), file.Sync()); err != nil {
		return fmt.Errorf("keep the library: %w", err)
	}
	if err := os.Rename(file.Name(), target); err != nil {
		return fmt.Errorf("keep the library: %w", err)
	}
	return file.Close()
}

// counted tells how much of the archive was read.
type counted struct {
	in          io.Reader
	read, total int64
	tell        func(read, total int64)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.read += int64(n)
	c.tell(c.read, c.total)
	return n, err
}
