package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The keys of the project that every bench server starts with.
const (
	projectID = "bench"
	publicKey = "pk-lf-bench"
	secretKey = "sk-lf-bench"
)

// keyPair is an API key with its secret.
type keyPair struct{ public, secret string }

// server is a sonde that a bench started, in a directory of its own.
type server struct {
	dir     string // our own files
	data    string // its data directory
	url     string
	metrics string
	flags   []string // of serve, beyond those of every bench
	key     keyPair  // reads with it
	cmd     *exec.Cmd
	exited  chan error
	log     *os.File
}

// newServer makes the directory and picks addresses; start runs it.
func newServer(flags ...string) (*server, error) {
	dir, err := os.MkdirTemp("", "sonde-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the server: %w", err)
	}
	return newServerIn(dir, filepath.Join(dir, "data"), flags...)
}

// newServerIn is a server on a data directory that may be there already; stop it, do not remove it.
func newServerIn(dir, data string, flags ...string) (*server, error) {
	api, err := freeAddress()
	if err != nil {
		return nil, err
	}
	metrics, err := freeAddress()
	if err != nil {
		return nil, err
	}
	return &server{dir: dir, data: data, url: "http://" + api, metrics: "http://" + metrics, flags: flags, key: keyPair{publicKey, secretKey}}, nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// as is the same server, read with another project's key.
func (s *server) as(key keyPair) *server {
	other := *s
	other.key = key
	return &other
}

// start runs the program this process was started from and waits until it is ready.
func (s *server) start(ctx context.Context) (time.Duration, error) {
	program, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("find the program: %w", err)
	}
	s.log, err = os.OpenFile(filepath.Join(s.dir, "server.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, fmt.Errorf("open the server's log: %w", err)
	}
	args := append([]string{
		"serve", "--data-dir", s.data, "--listen", strings.TrimPrefix(s.url, "http://"),
		"--metrics-listen", strings.TrimPrefix(s.metrics, "http://"), "--grpc-listen=",
	}, s.flags...)
	s.cmd = exec.CommandContext(context.WithoutCancel(ctx), program, args...)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.Env = append(os.Environ(), "SONDE_INIT_PROJECT_ID="+projectID,
		"SONDE_INIT_PROJECT_PUBLIC_KEY="+publicKey, "SONDE_INIT_PROJECT_SECRET_KEY="+secretKey)
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return 0, fmt.Errorf("start the server: %w", err)
	}
	s.exited = make(chan error, 1)
	go func(cmd *exec.Cmd, exited chan<- error) { exited <- cmd.Wait() }(s.cmd, s.exited)
	if err := s.waitReady(ctx, 60*time.Second); err != nil {
		return 0, err
	}
	return time.Since(began), nil
}

func (s *server) waitReady(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for {
		if status, err := get(ctx, s.url+"/api/public/ready", nil); err == nil && status == http.StatusOK {
			return nil
		}
		select {
		case err := <-s.exited:
			s.exited <- err
			return fmt.Errorf("the server ended before it was ready: %w\n%s", errors.Join(err, errEnded), s.tail())
		case <-ctx.Done():
			return fmt.Errorf("the server is not ready after %s\n%s", within, s.tail())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

var errEnded = errors.New("server ended")

// tail is the end of the server's log, for error messages.
func (s *server) tail() string {
	text, err := os.ReadFile(filepath.Join(s.dir, "server.log"))
	if err != nil {
		return ""
	}
	return string(text[max(0, len(text)-2000):])
}

func (s *server) pid() int { return s.cmd.Process.Pid }

// enginePid is the child that serves ClickHouse's protocol.
func (s *server) enginePid() (int, error) {
	tree, err := processTree(s.pid())
	if err != nil {
		return 0, err
	}
	if len(tree) < 2 {
		return 0, errors.New("the server has no engine process")
	}
	return tree[1], nil
}

// kill ends processes at once, as a power cut would.
func (s *server) kill(pids ...int) error {
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("kill %d: %w", pid, err)
		}
	}
	return nil
}

// waitExit waits for the server process itself.
func (s *server) waitExit() {
	err := <-s.exited
	s.exited <- err
	_ = s.log.Close() // only the server wrote to it
}

// stop ends the server in good order and reports how long that took.
func (s *server) stop() (time.Duration, error) {
	if s.cmd == nil {
		return 0, nil
	}
	began := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return 0, fmt.Errorf("stop the server: %w", err)
	}
	select {
	case err := <-s.exited:
		s.exited <- err
		_ = s.log.Close() // only the server wrote to it
		return time.Since(began), nil
	case <-time.After(60 * time.Second):
		return 0, errors.Join(errors.New("the server did not stop within a minute"), s.cmd.Process.Kill())
	}
}

// remove ends the server and takes its directory away.
func (s *server) remove() error {
	_, err := s.stop()
	return errors.Join(err, os.RemoveAll(s.dir))
}

// get fetches an address without credentials; into, when given, receives the body.
func get(ctx context.Context, address string, into io.Writer) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if into == nil {
		into = io.Discard
	}
	if _, err := io.Copy(into, resp.Body); err != nil {
		return 0, err
	}
	return resp.StatusCode, nil
}

// client keeps as many connections as the busiest bench needs.
var client = &http.Client{
	Timeout:   60 * time.Second,
	Transport: &http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256, DisableCompression: true},
}
