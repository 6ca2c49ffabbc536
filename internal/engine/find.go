package engine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// LibraryVariable names the environment variable that may hold the path of libchdb.
const LibraryVariable = "SONDE_ENGINE_LIBRARY"

// Source is what can run the engine: exactly one of the two is set.
type Source struct {
	Binary  string // a clickhouse program, run as a server
	Library string // a libchdb file, loaded by Main
}

// Find picks what runs the engine. What a person named comes first (Config.Binary, Config.Library,
// LibraryVariable) and must exist; then a clickhouse program in PATH; then libchdb where LibraryPlace
// says, beside the executable, or in the .engine folder next to the executable's own.
// The error is two lines: what is missing, and what to do about it.
func Find(cfg Config) (Source, error) {
	if cfg.Binary != "" {
		path, err := exec.LookPath(cfg.Binary)
		if err != nil {
			return Source{}, missing("the clickhouse binary " + cfg.Binary + " cannot be run")
		}
		return absolute(Source{Binary: path})
	}
	for _, named := range []string{cfg.Library, os.Getenv(LibraryVariable)} {
		if named == "" {
			continue
		}
		if !isFile(named) {
			return Source{}, missing("the library " + named + " does not exist")
		}
		return absolute(Source{Library: named})
	}
	if path, err := exec.LookPath("clickhouse"); err == nil {
		return absolute(Source{Binary: path})
	}
	for _, path := range nearby(cfg.Executable) {
		if isFile(path) {
			return absolute(Source{Library: path})
		}
	}
	return Source{}, missing("there is no clickhouse in PATH and no " + libraryNames()[0] + " beside the program")
}

func missing(what string) error {
	return fmt.Errorf("no ClickHouse engine: %s\n"+
		"run `sonde engine fetch`, put %s beside the sonde binary, or set engine.address to a ClickHouse server",
		what, libraryNames()[0])
}

// nearby lists where a package, a release archive and a checkout keep the library.
func nearby(executable string) []string {
	if executable == "" {
		path, err := os.Executable()
		if err != nil {
			return nil
		}
		executable = path
	}
	if target, err := filepath.EvalSymlinks(executable); err == nil {
		executable = target
	}
	dir := filepath.Dir(executable)
	folders := []string{dir, filepath.Join(filepath.Dir(dir), ".engine")}
	if filepath.Base(dir) == "bin" {
		folders = append([]string{filepath.Join(filepath.Dir(dir), "lib", "sonde")}, folders...)
	}
	var paths []string
	for _, folder := range folders {
		for _, name := range libraryNames() {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	return paths
}

// libraryNames has two names on macOS: the packages there ship a Mach-O file named .so as well.
func libraryNames() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libchdb.dylib", "libchdb.so"}
	}
	return []string{"libchdb.so"}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// absolute frees the child from the parent's working directory.
func absolute(s Source) (Source, error) {
	path := &s.Library
	if s.Binary != "" {
		path = &s.Binary
	}
	abs, err := filepath.Abs(*path)
	*path = abs
	return s, err
}
