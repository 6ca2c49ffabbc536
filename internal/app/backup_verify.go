package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/backup"
)

// backupVerifyCommand proves that a backup brings everything back.
type backupVerifyCommand struct {
	Backup  string `arg:"" placeholder:"DIR|s3://BUCKET/PREFIX" help:"The backup, with those that it needs where they were."`
	Against string `placeholder:"DIR" help:"Compare with the server that runs on this data directory, rather than with the answers in the backup. Nothing may have been sent to it since the backup."`
	WorkDir string `placeholder:"DIR" help:"Where the restored server lies meanwhile; needs room for all of its data. In the directory for temporary files unless given."`
	KeyFile string `name:"encryption-key-file" placeholder:"FILE" help:"The encryption.key that belongs to the backup, when it holds secrets of projects and not the key."`

	s3Flags `embed:""`
}

// errNotRestored ends a verification that failed; what differs was shown.
var errNotRestored = errors.New("the restored server does not answer what it should")

// Run restores, asks and compares. Nothing of the restored server stays.
func (c *backupVerifyCommand) Run(ctx context.Context, std streams) (err error) {
	began := time.Now()
	from, err := openBackup(ctx, c.Backup, c.access())
	if err != nil {
		return err
	}
	if from.Manifest.DeletesOnly || from.Manifest.WithoutStore {
		return errors.New("this backup does not hold everything: restore it beside what it lacks, see docs/operate/backup.md")
	}
	want, err := c.wanted(ctx, from)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(c.WorkDir, "sonde-verify-")
	if err != nil {
		return fmt.Errorf("make a directory for the restored server: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	got, err := c.restored(ctx, dir, std.err)
	if err != nil {
		return err
	}
	verdict := backup.Compare(want, got)
	if len(want) == 0 { // then there is nothing to compare with, but everything must be answered
		verdict = backup.Compare(unanswered(got), got)
	}
	return c.show(std.out, verdict, len(want) > 0, time.Since(began))
}

// wanted are the answers to compare with.
func (c *backupVerifyCommand) wanted(ctx context.Context, from *backup.Backup) ([]backup.Answer, error) {
	if c.Against != "" {
		return answersOf(ctx, c.Against)
	}
	return from.Answers(ctx)
}

// unanswered takes every answer for right that is no failure of the server.
func unanswered(got []backup.Answer) []backup.Answer {
	list := slices.Clone(got)
	for i := range list {
		if list[i].Status >= http.StatusInternalServerError {
			list[i].Status = http.StatusOK
		}
	}
	return list
}

// restored is what a server with the backup's data answers.
func (c *backupVerifyCommand) restored(ctx context.Context, dir string, show io.Writer) (answers []backup.Answer, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program: %w", err)
	}
	data := filepath.Join(dir, "data")
	place, err := absolutePlace(c.Backup)
	if err != nil {
		return nil, err
	}
	restore := exec.CommandContext(ctx, program, "restore", "--from", place, "--data-dir", data)
	restore.Env = append(ownSettings(), c.environment()...)
	restore.Stdout, restore.Stderr = show, show
	if err := restore.Run(); err != nil {
		return nil, fmt.Errorf("the backup cannot be restored: %w", err)
	}
	if c.KeyFile != "" {
		text, err := os.ReadFile(c.KeyFile)
		if err == nil {
			err = os.WriteFile(filepath.Join(data, keyFile), text, 0o600)
		}
		if err != nil {
			return nil, fmt.Errorf("put the encryption key beside the data: %w", err)
		}
	}
	fmt.Fprintln(show, "asking the restored server")
	server := &restoredServer{program: program, dir: dir, data: data}
	if err := server.start(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	return answersOf(ctx, data)
}

// environment says how to reach the bucket; secrets are nothing for a command line.
func (c *backupVerifyCommand) environment() []string {
	variables := []string{"AWS_REGION=" + c.Region, "AWS_ACCESS_KEY_ID=" + c.AccessKey, "AWS_SECRET_ACCESS_KEY=" + c.SecretKey}
	if c.Endpoint != "" {
		variables = append(variables, "SONDE_S3_ENDPOINT="+c.Endpoint)
	}
	if c.PathStyle {
		variables = append(variables, "SONDE_S3_PATH_STYLE=true")
	}
	return variables
}

// ownSettings is the environment without settings of the server that is in use: what is restored must not come near its
// databases. Where the engine is, and the key that secrets are sealed with, stay.
func ownSettings() (kept []string) {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "SONDE_") || slices.Contains([]string{"SONDE_ENGINE_LIBRARY", "SONDE_ENGINE_BINARY", "SONDE_ENCRYPTION_KEY"}, name) {
			kept = append(kept, variable)
		}
	}
	return kept
}

// answersOf asks the server that runs on a data directory.
func answersOf(ctx context.Context, dataDir string) ([]backup.Answer, error) {
	body, err := askOperator(ctx, dataDir, http.MethodGet, "/answers", nil)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	var answers []backup.Answer
	for lines := json.NewDecoder(body); ; {
		var line api.AnswerLine
		if err := lines.Decode(&line); err != nil {
			return nil, fmt.Errorf("the server ended before it had answered everything: %w", err)
		}
		switch {
		case line.Error != "":
			return nil, errors.New(line.Error)
		case line.All:
			return answers, nil
		case line.Answer != nil:
			answers = append(answers, *line.Answer)
		}
	}
}

// show prints a table, and what differs.
func (c *backupVerifyCommand) show(out io.Writer, verdict backup.Comparison, compared bool, took time.Duration) error {
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "PROJECT OR ORGANIZATION\tSAME\tDIFFERENT\tCHANGED DURING THE BACKUP")
	for _, o := range verdict.Owners {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\n", o.Owner, o.Same, o.Different, o.Moving)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, d := range verdict.Different {
		fmt.Fprintf(out, "different: %s %s: status %d, now %d\n", d.Want.Owner+d.Got.Owner, d.Want.Path, d.Want.Status, d.Got.Status)
	}
	switch failed := verdict.Failed(); {
	case failed > 0:
		return fmt.Errorf("%w: %d answers differ", errNotRestored, failed)
	case verdict.Same() == 0:
		return fmt.Errorf("%w: there is not one answer to compare", errNotRestored)
	case !compared:
		fmt.Fprintf(out, "restored and answering: %d answers, %.1f s; the backup has none to compare with: make it --with-answers, or name a server with --against\n", verdict.Same(), took.Seconds())
	default:
		fmt.Fprintf(out, "restored and the same: %d answers, 0 different, %.1f s\n", verdict.Same(), took.Seconds())
	}
	return nil
}

// restoredServer is a process of its own on the restored data. It has no role for jobs: nothing of what it holds may be
// evaluated, exported, alerted about or removed once more.
type restoredServer struct {
	program, dir, data string
	cmd                *exec.Cmd
	exited             chan error
}

// restoredReady is how long it may take to get ready.
const restoredReady = 5 * time.Minute

func (s *restoredServer) start(ctx context.Context) error {
	listen, err := freePort(ctx)
	if err != nil {
		return err
	}
	metrics, err := freePort(ctx)
	if err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(s.dir, "server.log"))
	if err != nil {
		return fmt.Errorf("write the log of the restored server: %w", err)
	}
	defer log.Close()
	s.cmd = exec.CommandContext(context.WithoutCancel(ctx), s.program, "serve", "--data-dir", s.data, "--role", "write", "--role", "read",
		"--listen", listen, "--metrics-listen", metrics, "--grpc-listen=", "--drain-for", "0s")
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = ownSettings(), log, log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt at the terminal is for us, who end it
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start the restored server: %w", err)
	}
	s.exited = make(chan error, 1)
	go func() { s.exited <- s.cmd.Wait() }()
	if err := s.ready(ctx, "http://"+listen+"/api/public/ready"); err != nil {
		return errors.Join(err, s.stop())
	}
	return nil
}

func (s *restoredServer) ready(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, restoredReady)
	defer cancel()
	client := http.Client{Timeout: healthWithin}
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
		if err != nil {
			return fmt.Errorf("ask the restored server: %w", err)
		}
		answer, err := client.Do(request)
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case err := <-s.exited:
			s.exited <- err
			return fmt.Errorf("the restored server ended: %w\n%s", errors.Join(err, errors.New("see what it said")), s.said())
		case <-ctx.Done():
			return fmt.Errorf("the restored server does not get ready: %w\n%s", ctx.Err(), s.said())
		case <-time.After(settlePoll):
		}
	}
}

// said is the end of what it printed.
func (s *restoredServer) said() string {
	text, err := os.ReadFile(filepath.Join(s.dir, "server.log"))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

// stop ends it in good order, or by force when that takes too long.
func (s *restoredServer) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop the restored server: %w", err)
	}
	select {
	case <-s.exited:
		return nil
	case <-time.After(time.Minute):
		return errors.Join(errors.New("the restored server did not stop within a minute"), s.cmd.Process.Kill())
	}
}

func freePort(ctx context.Context) (string, error) {
	var listening net.ListenConfig
	l, err := listening.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}
