package engine

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"text/template"
)

//go:embed config.xml.tmpl
var configText string

//go:embed users.xml.tmpl
var usersText string

var (
	configTemplate = template.Must(template.New("config.xml").Funcs(template.FuncMap{"xml": escape}).Parse(configText))
	usersTemplate  = template.Must(template.New("users.xml").Funcs(template.FuncMap{"xml": escape}).Parse(usersText))
)

// settings is what the templates see.
type settings struct {
	Data, Backups, Users string
	Memory               uint64
	Cores                int
	Cluster              string
	Shards               []Shard
	User, Reader         string
	PasswordHash         string
	SQL                  string   // the user who asks what people write
	SQLDatabase          string   // what it sees
	Database             string   // where the tables are
	SQLTables            []string // of which rows are seen
}

// Share is the n-th part of the memory bound.
func (s settings) Share(n uint64) uint64 { return s.Memory / n }

// Merges is how many merges and mutations run at once: enough to keep up with a writer, few enough
// to leave a small machine room for queries.
func (s settings) Merges() int { return min(max(2, s.Cores/2), 16) }

func newSettings(cfg Config, password string) settings {
	files := layout(cfg.Dir)
	hash := sha256.Sum256([]byte(password))
	return settings{
		Data: files.data(), Backups: files.backups(), Users: files.users(),
		Memory: cfg.MemoryBytes, Cores: runtime.NumCPU(),
		Cluster: Cluster, Shards: cfg.Shards,
		User: User, Reader: Reader, PasswordHash: hex.EncodeToString(hash[:]),
		SQL: SQL, SQLDatabase: SQLDatabase, Database: database, SQLTables: sqlTables,
	}
}

// prepare makes the data directory and writes the configuration; it returns the password.
func prepare(cfg Config) (string, error) {
	files := layout(cfg.Dir)
	for _, dir := range []string{cfg.Dir, files.data(), files.backups()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", fmt.Errorf("make engine directory: %w", err)
		}
	}
	password, err := keepPassword(files.password())
	if err != nil {
		return "", err
	}
	values := newSettings(cfg, password)
	if err := render(files.config(), configTemplate, values); err != nil {
		return "", err
	}
	return password, render(files.users(), usersTemplate, values)
}

// render writes a file only its owner may read: the cluster's passwords stand in it.
func render(path string, tmpl *template.Template, values settings) error {
	var text bytes.Buffer
	if err := tmpl.Execute(&text, values); err != nil {
		return fmt.Errorf("render %s: %w", path, err)
	}
	return replaceFile(path, text.Bytes())
}

// replaceFile never leaves a half-written file: an engine that is being restarted may read it.
func replaceFile(path string, data []byte) error {
	next := path + ".new"
	if err := os.WriteFile(next, data, 0o600); err != nil {
		return fmt.Errorf("write engine file: %w", err)
	}
	if err := os.Rename(next, path); err != nil {
		return fmt.Errorf("write engine file: %w", err)
	}
	return nil
}

// keepPassword returns the password of a data directory and makes one at the first start.
func keepPassword(path string) (string, error) {
	switch kept, err := os.ReadFile(path); {
	case err == nil && len(kept) > 0:
		return strings.TrimSpace(string(kept)), nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("read engine password: %w", err)
	}
	password := rand.Text()
	return password, replaceFile(path, []byte(password))
}

func escape(text string) (string, error) {
	var out strings.Builder
	err := xml.EscapeText(&out, []byte(text))
	return out.String(), err
}
