package engine

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
)

// runServer runs a clickhouse server as its own child until the parent asks for an end. It stands between
// the two because a server knows nothing of leashes.
func runServer(binary string, files layout, port int, p *parent) error {
	// Caught and dropped: an ignored signal would stay ignored in the server.
	dropped := make(chan os.Signal, 1)
	signal.Notify(dropped, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	cmd := exec.Command(binary, "server",
		"--config-file="+files.config(), "--", "--tcp_port="+strconv.Itoa(port))
	cmd.Env = append(os.Environ(), "CLICKHOUSE_WATCHDOG_ENABLE=0")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = dieWithParent()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start server: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return fmt.Errorf("server ended: %w", exitError(err))
	case <-p.stop:
		_ = cmd.Process.Signal(syscall.SIGTERM)
		return <-ended
	}
}
