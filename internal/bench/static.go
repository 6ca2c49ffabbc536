package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Static answers every request with the same bytes until ctx ends: what a read of a prompt is compared with.
func Static(ctx context.Context, listen string, answer io.Reader) error {
	text, err := io.ReadAll(answer)
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	server := &http.Server{
		Addr: listen, ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = w.Write(text) // an error means that the caller is gone
		}),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve the answer: %w", err)
	case <-ctx.Done():
		return server.Close()
	}
}

// static is a process that runs Static.
type static struct {
	url string
	cmd *exec.Cmd
}

// startStatic runs this program as a bare handler of the answer.
func (s *server) startStatic(ctx context.Context, answer []byte) (*static, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program: %w", err)
	}
	listen, err := freeAddress()
	if err != nil {
		return nil, err
	}
	b := &static{url: "http://" + listen}
	b.cmd = exec.CommandContext(context.WithoutCancel(ctx), program, "bench", "static", "--listen", listen)
	b.cmd.Stdin, b.cmd.Stderr = bytes.NewReader(answer), s.log
	if err := b.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the bare handler: %w", err)
	}
	waiting, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		var got bytes.Buffer
		if _, err := get(waiting, b.url, &got); err == nil && bytes.Equal(got.Bytes(), answer) {
			return b, nil
		}
		if err := sleep(waiting, 5*time.Millisecond); err != nil {
			return nil, errors.Join(fmt.Errorf("the bare handler does not answer: %w\n%s", err, strings.TrimSpace(s.tail())), b.stop())
		}
	}
}

func (b *static) stop() error {
	if err := b.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop the bare handler: %w", err)
	}
	_ = b.cmd.Wait() // it was told to end
	return nil
}
