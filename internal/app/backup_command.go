package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/backup"
)

// s3Flags say how to reach a bucket.
type s3Flags struct {
	Endpoint  string `name:"s3-endpoint" env:"SONDE_S3_ENDPOINT" placeholder:"URL" help:"Address of the S3 server; Amazon's unless given."`
	Region    string `name:"s3-region" default:"us-east-1" env:"AWS_REGION" help:"Region of the bucket."`
	AccessKey string `name:"s3-access-key" env:"AWS_ACCESS_KEY_ID" help:"Access key for the bucket."`
	SecretKey string `name:"s3-secret-key" env:"AWS_SECRET_ACCESS_KEY" help:"Secret key for the bucket; better in the environment than on the command line."`
	PathStyle bool   `name:"s3-path-style" env:"SONDE_S3_PATH_STYLE" help:"Name the bucket in the path rather than in the host; most servers but Amazon's need it."`
}

func (f s3Flags) access() api.S3Access {
	return api.S3Access{Endpoint: f.Endpoint, Region: f.Region, AccessKey: f.AccessKey, SecretKey: f.SecretKey, PathStyle: f.PathStyle}
}

// backupCommand makes backups and proves them.
type backupCommand struct {
	Make   backupMakeCommand   `cmd:"" default:"withargs" help:"Have the running server write everything it keeps to a directory or a bucket. The word make may be left out."`
	Verify backupVerifyCommand `cmd:"" help:"Restore a backup into an empty server of its own, ask that everything, and compare its answers."`
}

// backupMakeCommand has the running server make a backup, and shows how far it is.
type backupMakeCommand struct {
	To      string `required:"" placeholder:"DIR|s3://BUCKET/PREFIX" help:"Where the backup goes: a directory of the server's machine, or a place in a bucket. There must be no backup yet."`
	DataDir string `default:"sonde-data" env:"SONDE_DATA_DIR" placeholder:"DIR" help:"Data directory of the running server; ${default} unless given."`

	Onto string `placeholder:"DIR|s3://BUCKET/PREFIX" help:"An earlier backup: what it holds in the same state is not written again. Both are needed then, and may be moved together only."`

	WithAnswers  bool `help:"Take checksums of what the server answers to every read of every project along, for \"sonde backup verify\". Everything is asked twice."`
	WithSecrets  bool `help:"Take the encryption key of the data directory along. Who has such a backup can read every secret that is kept for projects."`
	WithoutStore bool `help:"Leave out the trace store: for servers whose ClickHouse is outside and makes its own backups."`
	DeletesOnly  bool `help:"Only list what was deleted, for a later restore with --deletes: small, and so made often."`

	s3Flags `embed:""`
}

// Run asks the server and follows its answer. Ctrl-C ends the backup.
func (c *backupMakeCommand) Run(ctx context.Context, std streams) error {
	to, err := absolutePlace(c.To)
	if err != nil {
		return err
	}
	onto, err := absolutePlace(c.Onto)
	if err != nil {
		return err
	}
	body, err := json.Marshal(api.BackupRequest{To: to, Onto: onto, S3: c.access(), WithAnswers: c.WithAnswers, WithSecrets: c.WithSecrets, WithoutStore: c.WithoutStore, DeletesOnly: c.DeletesOnly})
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	began := time.Now()
	answer, err := c.ask(ctx, body)
	if err != nil {
		return err
	}
	defer answer.Close()
	manifest, err := followBackup(answer, std.err)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.DataDir, secretFiles[0])); err == nil && !c.WithSecrets && !c.DeletesOnly {
		fmt.Fprintf(std.err, "not in the backup: %s; keep it elsewhere, a restored server needs it to open what it sealed\n", secretFiles[0])
	}
	_, err = fmt.Fprintf(std.out, "backed up to %s: %d files, %s, %.1f s\n", c.To, manifest.Files, megabytes(manifest.Bytes), time.Since(began).Seconds())
	if err == nil && len(manifest.Needs) > 0 {
		_, err = fmt.Fprintf(std.out, "%s of it were written now; the rest lies in %s: keep these as long as this one\n",
			megabytes(manifest.Written), strings.Join(manifest.Needs, ", "))
	}
	return err
}

// absolutePlace is a place as the server, which has another working directory, finds it.
func absolutePlace(name string) (string, error) {
	if name == "" || strings.HasPrefix(name, "s3://") {
		return name, nil
	}
	absolute, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", name, err)
	}
	return absolute, nil
}

func (c *backupMakeCommand) ask(ctx context.Context, body []byte) (io.ReadCloser, error) {
	return askOperator(ctx, c.DataDir, http.MethodPost, "/backup", body)
}

// askOperator asks the server that runs on a data directory, by its operator's listener.
func askOperator(ctx context.Context, dataDir, method, path string, body []byte) (io.ReadCloser, error) {
	text, err := os.ReadFile(filepath.Join(dataDir, operatorFile))
	if err != nil {
		return nil, fmt.Errorf("find the server; name its data directory with --data-dir, and let it listen on --metrics-listen: %w", err)
	}
	var server operator
	if err := json.Unmarshal(text, &server); err != nil {
		return nil, fmt.Errorf("read %s: %w", operatorFile, err)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+server.Address+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask the server: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+server.Token)
	var client http.Client // without a timeout: a backup takes its time, and ctx ends it
	answer, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("the server does not answer on %s; is it running?: %w", server.Address, err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer.Body, nil
	}
	defer answer.Body.Close()
	var refusal struct{ Message string }
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&refusal); err != nil {
		return nil, fmt.Errorf("the server answers %s", answer.Status)
	}
	return nil, errors.New(refusal.Message)
}

// followBackup shows progress until the last line.
func followBackup(answer io.Reader, show io.Writer) (backup.Manifest, error) {
	lines := json.NewDecoder(answer)
	for {
		var line api.BackupLine
		if err := lines.Decode(&line); err != nil {
			return backup.Manifest{}, fmt.Errorf("the server ended before the backup did; there is none: %w", err)
		}
		switch {
		case line.Error != "":
			return backup.Manifest{}, fmt.Errorf("there is no backup: %s", line.Error)
		case line.Manifest != nil:
			return *line.Manifest, nil
		case line.Progress != nil:
			showProgress(show, *line.Progress)
		}
	}
}

func showProgress(w io.Writer, p backup.Progress) {
	fmt.Fprintf(w, "%-10s %d files, %s\n", p.Step, p.Files, megabytes(p.Bytes))
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
