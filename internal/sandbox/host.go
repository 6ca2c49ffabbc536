package sandbox

import (
	"context"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// callKey finds the state of a call in its context.
type callKey struct{}

// state is what the host knows of a call.
type state struct {
	now   time.Time
	steps int // that are left
}

func stateOf(ctx context.Context) *state {
	s, _ := ctx.Value(callKey{}).(*state)
	if s == nil {
		return &state{}
	}
	return s
}

// Answers of system calls.
const (
	success      = 0
	badFile      = 8
	notSupported = 52
)

// hostModules offers the interpreter the functions that it cannot be without. This is all that programs could ever
// reach: none of them touches anything outside of the interpreter's memory.
func hostModules(ctx context.Context, r wazero.Runtime) error {
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	system := r.NewHostModuleBuilder("wasi_snapshot_preview1")
	for name, f := range map[string]struct {
		do     api.GoModuleFunc
		params []api.ValueType
	}{
		"clock_time_get": {clockTime, []api.ValueType{i32, i64, i32}},
		"random_get":     {noRandom, []api.ValueType{i32, i32}},
		"fd_close":       {noFile, []api.ValueType{i32}},
		"fd_fdstat_get":  {noFile, []api.ValueType{i32, i32}},
		"fd_seek":        {noFile, []api.ValueType{i32, i64, i32, i32}},
		"fd_write":       {noFile, []api.ValueType{i32, i32, i32, i32}},
	} {
		system.NewFunctionBuilder().WithGoModuleFunction(f.do, f.params, []api.ValueType{i32}).Export(name)
	}
	if _, err := system.Instantiate(ctx); err != nil {
		return err
	}
	env := r.NewHostModuleBuilder("env")
	for name, params := range map[string]int{
		"host_get_timezone_offset": 2, "host_module_normalize": 2, "host_module_load": 2, "host_call": 5,
	} {
		none := func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = 0 }
		env.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(none), repeat(i32, params), []api.ValueType{i32}).Export(name)
	}
	env.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(interrupt), nil, []api.ValueType{i32}).Export("host_interrupt")
	ignore := func(context.Context, api.Module, []uint64) {}
	env.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(ignore), repeat(i32, 3), nil).Export("host_promise_rejection")
	_, err := env.Instantiate(ctx)
	return err
}

func repeat(t api.ValueType, n int) []api.ValueType {
	list := make([]api.ValueType, n)
	for i := range list {
		list[i] = t
	}
	return list
}

// clockTime writes the time of the call, which stands still.
func clockTime(ctx context.Context, module api.Module, stack []uint64) {
	now, nanos := stateOf(ctx).now, uint64(0)
	if !now.IsZero() {
		nanos = uint64(now.UnixNano())
	}
	at := uint32(stack[2])
	stack[0] = success
	if !module.Memory().WriteUint64Le(at, nanos) {
		stack[0] = notSupported
	}
}

// noFile answers what is asked of a file: there is none.
func noFile(_ context.Context, _ api.Module, stack []uint64) { stack[0] = badFile }

// noRandom fills with zeros: the prelude has random numbers of its own.
func noRandom(_ context.Context, module api.Module, stack []uint64) {
	at, size := uint32(stack[0]), uint32(stack[1])
	stack[0] = success
	if !module.Memory().Write(at, make([]byte, min(size, pageBytes))) {
		stack[0] = notSupported
	}
}

// interrupt counts the steps of a program, and ends one that has no more of them. The interpreter asks every few
// thousand instructions, and while it looks for a regular expression.
func interrupt(ctx context.Context, _ api.Module, stack []uint64) {
	s := stateOf(ctx)
	s.steps--
	stack[0] = 0
	if s.steps < 0 {
		stack[0] = 1
	}
}
