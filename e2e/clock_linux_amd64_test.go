package e2e_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// wrongClock moves the wall clock of one process, while it runs, by whole seconds; nobody else's clock changes. Go asks the
// code that the kernel maps into each process for the time. In this process that code is replaced by one that asks the kernel
// and adds the seconds. The returned function puts it back.
func wrongClock(pid int, by time.Duration) (undo func() error, err error) {
	base, asked, err := clockCode(pid)
	if err != nil {
		return nil, err
	}
	code := []byte{
		0xb8, 0xe4, 0, 0, 0, // mov eax, clock_gettime
		0x0f, 0x05, // syscall
		0x85, 0xff, // test edi, edi: CLOCK_REALTIME is 0
		0x75, 0x07, // jne +7
		0x48, 0x81, 0x06, 0, 0, 0, 0, // add qword ptr [rsi], seconds
		0xc3, // ret
	}
	binary.LittleEndian.PutUint32(code[14:], uint32(int32(by/time.Second))) // in two's complement
	if asked.Size < uint64(len(code)) {
		return nil, fmt.Errorf("the code that tells the time has %d bytes only", asked.Size)
	}
	at := base + int64(asked.Value)
	before := make([]byte, len(code))
	memory, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	if _, err := memory.ReadAt(before, at); err != nil {
		return nil, err
	}
	return func() error { return rewrite(pid, at, int64(asked.Size), before) }, rewrite(pid, at, int64(asked.Size), code)
}

// clockCode finds the code that tells the time in a process.
func clockCode(pid int) (base int64, asked elf.Symbol, err error) {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0, asked, err
	}
	var end int64
	for line := range strings.Lines(string(maps)) {
		if strings.Contains(line, "[vdso]") {
			_, err = fmt.Sscanf(line, "%x-%x", &base, &end)
		}
	}
	if err != nil || end == 0 {
		return 0, asked, errors.Join(err, errors.New("the process has no code of the kernel"))
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return 0, asked, err
	}
	defer memory.Close()
	image := make([]byte, end-base)
	if _, err := memory.ReadAt(image, base); err != nil {
		return 0, asked, err
	}
	file, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return 0, asked, err
	}
	symbols, err := file.DynamicSymbols()
	for _, symbol := range symbols {
		if symbol.Name == "__vdso_clock_gettime" {
			return base, symbol, nil
		}
	}
	return 0, asked, errors.Join(err, errors.New("the kernel's code does not tell the time"))
}

// rewrite changes code while the process is stopped and no thread is in it.
func rewrite(pid int, at, size int64, code []byte) (err error) {
	memory, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer memory.Close()
	for range 100 {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			return err
		}
		if outside(pid, at, at+size) {
			_, err = memory.WriteAt(code, at)
			return errors.Join(err, syscall.Kill(pid, syscall.SIGCONT))
		}
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			return err
		}
		pause(time.Millisecond)
	}
	return fmt.Errorf("process %d asks for the time all the time", pid)
}

// outside reports whether all threads are stopped, none of them between two addresses.
func outside(pid int, from, to int64) bool {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
	if err != nil || len(tasks) == 0 {
		return false
	}
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		fields := strings.Fields(string(text))
		if err != nil || len(fields) < 3 { // "running", or gone
			return false
		}
		pc, err := strconv.ParseInt(strings.TrimPrefix(fields[len(fields)-1], "0x"), 16, 64)
		if err != nil || pc >= from && pc < to {
			return false
		}
	}
	return true
}
