package engine

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// runLibrary loads libchdb and serves until the parent asks for an end.
//
// The library's command line is that of clickhouse-local, which can open a server's listener by a
// statement and then has nothing more to do. It must believe that a person sits at a terminal: without
// one it ends the process at the first exception that leaves a connection's thread, and a wrong password
// or a stray byte on the port is enough for that. With one it reports and goes on, and waits at its
// prompt, at no cost, until the terminal is hung up.
func runLibrary(path string, files layout, port int, p *parent) error {
	runtime.LockOSThread()
	// Ignored, not handled: the kernel then never interrupts a thread of the library.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	handle, err := purego.Dlopen(path, purego.RTLD_LAZY|purego.RTLD_LOCAL)
	if err != nil {
		return fmt.Errorf("load library: %w", err)
	}
	if err := guardWrites(handle); err != nil {
		return err
	}
	terminal, err := openTerminal()
	if err != nil {
		return err
	}
	go func() {
		select {
		case <-p.served:
			releaseCode(path)
		case <-p.stop:
		}
		<-p.stop
		terminal.Close()
	}()
	return call(handle, []string{
		"clickhouse",
		"--config-file=" + files.config(),
		"--path=" + files.data(),
		"--listen_host=" + loopback,
		"--tcp_port=" + strconv.Itoa(port),
		"--logger.console", "--log-level=warning",
		"--interactive", "--disable_suggestion", "--progress=off", "--history_file=" + os.DevNull,
		"--query=SYSTEM START LISTEN TCP",
	})
}

// call runs the library's command line and returns when it does.
func call(handle uintptr, args []string) error {
	var (
		enableSignalHandlers func(bool)
		commandLine          func(argc int32, argv unsafe.Pointer) uintptr
		resultError          func(result uintptr) string
	)
	for name, function := range map[string]any{
		"chdb_set_signal_handlers_enabled": &enableSignalHandlers,
		"chdb_query_cmdline":               &commandLine,
		"chdb_result_error":                &resultError,
	} {
		symbol, err := purego.Dlsym(handle, name)
		if err != nil {
			return fmt.Errorf("library is too old: %w", err)
		}
		purego.RegisterFunc(function, symbol)
	}
	enableSignalHandlers(false) // before anything else: signals belong to the Go runtime

	argv := make([]*byte, len(args)+1)
	for i, arg := range args {
		argv[i] = unsafe.StringData(arg + "\x00") //nolint:gosec // the library takes C strings
	}
	result := commandLine(int32(len(args)), unsafe.Pointer(&argv[0])) //nolint:gosec // and an array of them
	runtime.KeepAlive(argv)
	if result == 0 {
		return errors.New("library returned nothing")
	}
	if text := strings.TrimSpace(resultError(result)); text != "" {
		return errors.New(text)
	}
	return nil
}
