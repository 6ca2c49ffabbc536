// Package sandbox runs small programs of strangers: TypeScript or JavaScript, in an interpreter that is itself
// WebAssembly, so that they reach nothing but the bytes they are given.
//
// Promises:
//   - A program sees no file, no network, no environment and no other program. The clock stands at the time it is
//     given, and random numbers follow from a seed: the same call gives the same answer on every machine.
//   - Time, memory, the size of the answer and the depth of calls are bounded; a program that runs into a bound ends
//     with an *Error, and the next one starts in a fresh interpreter.
//
// Limit: there are no modules, timers or promises that wait for anything outside.
package sandbox

import (
	"context"
	_ "embed" // the interpreter and the remover of types
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
)

// interpreter is QuickJS-ng as WebAssembly, from the npm package quickjs-wasi 3.6.2 (MIT); see README.md.
//
//go:embed quickjs.wasm
var interpreter []byte

// remover takes the types out of TypeScript, from the npm package sucrase 3.35.1 (MIT); see README.md.
//
//go:embed strip.js
var remover string

// Limits bound a program. Zero values become the defaults.
type Limits struct {
	// Steps bound the work of a call, the same on every machine however busy it is. One is some thousand instructions.
	Steps    int
	Time     time.Duration // of a call, when counting steps does not end it
	Memory   uint32        // of the interpreter with everything in it, in bytes
	Input    int           // bytes of JSON
	Output   int           // bytes of JSON
	Source   int           // bytes
	Parallel int           // programs that run at once
	// Cache is a directory that keeps the interpreter as machine code from one start to the next; empty: there is none.
	Cache string
}

// The defaults: enough for a check of one observation, far too little to disturb a server.
const (
	defaultSteps    = 1_000
	defaultTime     = 20 * time.Second
	defaultMemory   = 64 << 20
	defaultInput    = 8 << 20
	defaultOutput   = 256 << 10
	defaultSource   = 256 << 10
	defaultParallel = 2

	pageBytes = 64 << 10
	// stripWithin and stripSteps bound the removal of types: the remover is a large program.
	stripWithin = 30 * time.Second
	stripSteps  = 1_000_000
	// stackBytes is how deep programs may call themselves; the interpreter's own stack is larger.
	stackBytes = 256 << 10
)

// Reason says what a program ran into.
type Reason string

// The reasons. Their texts are stored and shown: never change one.
const (
	Syntax Reason = "syntax" // it is no program
	Threw  Reason = "threw"  // it ended with an error of its own
	Time   Reason = "time"
	Memory Reason = "memory"
	Depth  Reason = "depth"
	Input  Reason = "input"  // what it is given is too large
	Output Reason = "output" // what it gives is too large, or is no JSON
)

// Error is the end of a program that gave no answer. Its text is for whoever wrote the program.
type Error struct {
	Reason Reason
	Text   string
}

func (e *Error) Error() string { return e.Text }

// Program is code that can be run. Make one with Sandbox.Compile.
type Program struct{ code string }

// Call is one run of a program.
type Call struct {
	Input []byte    // a JSON text: the argument of the function
	Now   time.Time // what the clock says, all the time
	Seed  uint64    // of random numbers
}

// Sandbox runs programs. It starts the interpreter when the first program needs it.
type Sandbox struct {
	limits Limits
	turns  chan struct{}

	start    sync.Once
	startErr error
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	fresh    []byte // the memory of an interpreter that has run nothing yet
	stripper []byte // the memory of one that has run the remover of types
}

// New makes a sandbox. Close ends it.
func New(limits Limits) *Sandbox {
	for value, otherwise := range map[*int]int{
		&limits.Steps: defaultSteps, &limits.Input: defaultInput, &limits.Output: defaultOutput, &limits.Source: defaultSource, &limits.Parallel: defaultParallel,
	} {
		if *value == 0 {
			*value = otherwise
		}
	}
	if limits.Time == 0 {
		limits.Time = defaultTime
	}
	if limits.Memory == 0 {
		limits.Memory = defaultMemory
	}
	return &Sandbox{limits: limits, turns: make(chan struct{}, limits.Parallel)}
}

// Close frees the interpreter. No program may run any more.
func (s *Sandbox) Close(ctx context.Context) error {
	s.start.Do(func() { s.startErr = errors.New("the sandbox is closed") })
	if s.runtime == nil {
		return nil
	}
	return s.runtime.Close(ctx)
}

// ready compiles the interpreter to machine code once, and starts one that the others are copies of. It takes a second or so, and goes on
// for the others when the first caller gives up.
func (s *Sandbox) ready(ctx context.Context) error {
	s.start.Do(func() {
		ctx := context.WithoutCancel(ctx)
		config := wazero.NewRuntimeConfig().WithCloseOnContextDone(true).WithMemoryLimitPages(s.limits.Memory / pageBytes)
		if s.limits.Cache != "" {
			cache, err := wazero.NewCompilationCacheWithDir(s.limits.Cache)
			if err != nil {
				s.startErr = fmt.Errorf("open the cache of the interpreter: %w", err)
				return
			}
			config = config.WithCompilationCache(cache)
		}
		s.runtime = wazero.NewRuntimeWithConfig(ctx, config)
		if err := hostModules(ctx, s.runtime); err != nil {
			s.startErr = fmt.Errorf("offer the interpreter its host: %w", err)
			return
		}
		compiled, err := s.runtime.CompileModule(ctx, interpreter)
		if err != nil {
			s.startErr = fmt.Errorf("compile the interpreter: %w", err)
			return
		}
		s.compiled = compiled
		s.startErr = s.begin(ctx)
	})
	return s.startErr
}

// Compile takes the types out of a source and checks that it is a program with a function evaluate. What its author
// must mend is an *Error.
func (s *Sandbox) Compile(ctx context.Context, source string) (Program, error) {
	if len(source) > s.limits.Source {
		return Program{}, &Error{Syntax, fmt.Sprintf("The source has more than %d bytes", s.limits.Source)}
	}
	var code string
	err := s.with(ctx, stripWithin, stripSteps, &s.stripper, func(vm *vm) (err error) {
		if err = vm.setGlobal("source", []byte(source)); err != nil {
			return err
		}
		code, err = vm.evalText(`strip(source)`, "evaluator")
		return err
	})
	if err != nil {
		return Program{}, asSyntax(err)
	}
	p := Program{code: opening + code + closing}
	err = s.with(ctx, s.limits.Time, s.limits.Steps, &s.fresh, func(vm *vm) error {
		if err := vm.prepare(Call{}); err != nil {
			return err
		}
		found, err := vm.evalText("typeof "+p.code, "evaluator")
		if err == nil && found != "function" {
			return &Error{Syntax, "There is no function evaluate: write function evaluate(ctx) { … }"}
		}
		return err
	})
	if err != nil {
		return Program{}, asSyntax(err)
	}
	return p, nil
}

// asSyntax is for errors of a program that was not called yet.
func asSyntax(err error) error {
	if e := (*Error)(nil); errors.As(err, &e) && e.Reason == Threw {
		return &Error{Syntax, e.Text}
	}
	return err
}

// Run calls the function of a program and returns its answer as JSON. How the program failed is an *Error; every
// other error is not its fault.
func (s *Sandbox) Run(ctx context.Context, p Program, call Call) (answer []byte, err error) {
	if len(call.Input) > s.limits.Input {
		return nil, &Error{Input, fmt.Sprintf("The observation has %d bytes, and an evaluator is given at most %d", len(call.Input), s.limits.Input)}
	}
	err = s.with(ctx, s.limits.Time, s.limits.Steps, &s.fresh, func(vm *vm) error {
		if err := vm.prepare(call); err != nil {
			return err
		}
		if _, err := vm.eval("begin("+p.code+")", "evaluator"); err != nil {
			return err
		}
		if err := vm.settle(); err != nil {
			return err
		}
		text, err := vm.evalText("outcome()", "evaluator")
		answer = []byte(text)
		return err
	})
	return answer, err
}

// with lends work an interpreter of its own for some time, a copy of one whose memory was kept.
func (s *Sandbox) with(ctx context.Context, within time.Duration, steps int, memory *[]byte, work func(*vm) error) error {
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	outside := ctx
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err := s.instance(ctx, steps, *memory, work)
	if err != nil && outside.Err() == nil && ctx.Err() != nil {
		return &Error{Time, fmt.Sprintf("The evaluator took longer than %s", within)}
	}
	return err
}
