package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// A program becomes an expression whose value is its function. exports and module are there for sources with export.
const (
	opening = `((exports) => { const module = { exports }, require = (name) => { throw new Error("there are no modules: " + name) };
`
	closing = `
;return typeof evaluate === "function" ? evaluate : module.exports.evaluate || module.exports.default; })({})`
)

// prelude is the world of a program. What it needs of the language it keeps for itself, so that a program that
// changes the language harms nobody but itself.
const prelude = `
(() => {
  let state = BigInt(seed) | 1n;
  Math.random = () => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    return Number(state >> 11n) / 9007199254740992;
  };
  globalThis.console = Object.freeze(Object.fromEntries(["log", "info", "warn", "error", "debug"].map((name) => [name, () => {}])));
  const { parse, stringify } = JSON, text = String, given = input, promise = Promise.resolve();
  delete globalThis.seed; delete globalThis.input; delete globalThis.performance;
  let done = false, failed = false, value;
  const describe = (error) => {
    try { return error instanceof Error ? text(error.name) + ": " + text(error.message) : "threw " + text(error); } catch { return "threw something that has no text"; }
  };
  globalThis.begin = (program) => {
    promise.then(() => program(parse(given))).then(
      (result) => { value = stringify(result); done = true; },
    ).catch((error) => { value = describe(error); failed = done = true; });
  };
  globalThis.outcome = () => {
    if (!done) throw new Error("the evaluator waits for something that never happens");
    if (failed) { const error = new Error(value); error.name = "evaluator"; throw error; }
    return value === undefined ? "null" : value;
  };
})()`

// jobsPerStep makes work that is put off count, too.
const jobsPerStep = 100

// vm is an interpreter of one program.
type vm struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one call
	module api.Module
	limits Limits
	state  *state
}

// begin starts an interpreter and keeps its memory, before and after it has run the remover of types. All that it is lies there:
// between calls its stack is empty, and its tables never change.
func (s *Sandbox) begin(ctx context.Context) (err error) {
	module, err := s.runtime.InstantiateModule(ctx, s.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		return fmt.Errorf("start the interpreter: %w", err)
	}
	defer func() { err = errors.Join(err, module.Close(ctx)) }()
	known := &state{steps: stripSteps}
	machine := &vm{ctx: context.WithValue(ctx, callKey{}, known), module: module, limits: s.limits, state: known}
	if failed, err := machine.call("qjs_init"); err != nil || failed != 0 {
		return fmt.Errorf("start the interpreter (%d): %w", failed, err)
	}
	// The last eighth is for the interpreter itself: it must be able to say that memory is used up.
	if _, err := machine.call("qjs_set_memory_limit", uint64(s.limits.Memory/8*7)); err != nil {
		return err
	}
	if _, err := machine.call("qjs_set_max_stack_size", stackBytes); err != nil {
		return err
	}
	if _, err := machine.call("qjs_set_interrupt_handler", 1); err != nil {
		return err
	}
	s.fresh = machine.memory()
	if _, err := machine.eval(remover, "remover"); err != nil {
		return fmt.Errorf("run the remover of types: %w", err)
	}
	s.stripper = machine.memory()
	return nil
}

// memory is a copy of all that an interpreter is.
func (v *vm) memory() []byte {
	all, _ := v.module.Memory().Read(0, v.module.Memory().Size()) // which is as much as there is
	return bytes.Clone(all)
}

// instance makes an interpreter with the given memory for work, and throws it away.
func (s *Sandbox) instance(ctx context.Context, steps int, kept []byte, work func(*vm) error) (err error) {
	module, err := s.runtime.InstantiateModule(ctx, s.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return fmt.Errorf("start the interpreter: %w", err)
	}
	defer func() { err = errors.Join(err, module.Close(context.WithoutCancel(ctx))) }()
	memory := module.Memory()
	more := (uint32(len(kept)) - memory.Size()) / pageBytes
	if _, ok := memory.Grow(more); !ok || !memory.Write(0, kept) {
		return errors.New("start the interpreter: there is no room for its memory")
	}
	known := &state{steps: steps}
	return work(&vm{ctx: context.WithValue(ctx, callKey{}, known), module: module, limits: s.limits, state: known})
}

// prepare makes the world that a program sees.
func (v *vm) prepare(call Call) error {
	v.state.now = call.Now
	if err := v.setGlobal("input", call.Input); err != nil {
		return err
	}
	if err := v.setGlobal("seed", strconv.AppendUint(nil, call.Seed, 10)); err != nil {
		return err
	}
	_, err := v.eval(prelude, "prelude")
	return err
}

// call calls a function of the interpreter. A trap inside of it is the end of the program.
func (v *vm) call(name string, args ...uint64) (uint64, error) {
	results, err := v.module.ExportedFunction(name).Call(v.ctx, args...)
	switch {
	case err == nil && len(results) > 0:
		return results[0], nil
	case err == nil:
		return 0, nil
	case strings.Contains(err.Error(), "stack overflow"):
		return 0, &Error{Depth, "The evaluator calls itself too deeply"}
	case v.ctx.Err() != nil:
		return 0, v.ctx.Err()
	}
	return 0, &Error{Memory, "The evaluator broke its interpreter: it ran out of memory, most likely"}
}

// write copies a text into the interpreter, with the NUL that C wants behind it.
func (v *vm) write(text []byte) (at uint64, err error) {
	at, err = v.call("wasm_malloc", uint64(len(text))+1)
	if err != nil {
		return 0, err
	}
	if at == 0 || !v.module.Memory().Write(uint32(at), text) || !v.module.Memory().WriteByte(uint32(at)+uint32(len(text)), 0) {
		return 0, &Error{Memory, fmt.Sprintf("The evaluator has no room for %d bytes", len(text))}
	}
	return at, nil
}

// setGlobal gives a text to the program under a name.
func (v *vm) setGlobal(name string, text []byte) error {
	at, err := v.write(text)
	if err != nil {
		return err
	}
	value, err := v.call("qjs_new_string", at, uint64(len(text)))
	if err != nil {
		return err
	}
	global, err := v.call("qjs_get_global")
	if err != nil {
		return err
	}
	under, err := v.write([]byte(name))
	if err != nil {
		return err
	}
	if _, err := v.call("qjs_set_prop_string", global, under, value); err != nil {
		return err
	}
	_, err = v.call("wasm_free", at)
	return err
}

// eval runs a script and returns its value.
func (v *vm) eval(script, name string) (value uint64, err error) {
	at, err := v.write([]byte(script))
	if err != nil {
		return 0, err
	}
	file, err := v.write([]byte(name))
	if err != nil {
		return 0, err
	}
	value, err = v.call("qjs_eval", at, uint64(len(script)), file, 0)
	if err != nil {
		return 0, err
	}
	failed, err := v.call("qjs_is_exception", value)
	if err != nil || failed == 0 {
		return value, err
	}
	return 0, v.exception()
}

// evalText runs a script whose value is a text.
func (v *vm) evalText(script, name string) (string, error) {
	value, err := v.eval(script, name)
	if err != nil {
		return "", err
	}
	return v.text(value, v.limits.Output)
}

// settle runs what the program has put off until nothing is left.
func (v *vm) settle() error {
	for jobs := 1; ; jobs++ {
		pending, err := v.call("qjs_is_job_pending")
		if err != nil || pending == 0 {
			return err
		}
		if _, err := v.call("qjs_execute_pending_job"); err != nil {
			return err
		}
		if jobs%jobsPerStep == 0 {
			v.state.steps--
		}
		if v.state.steps < 0 {
			return v.tooLong()
		}
	}
}

// text reads a value as text, at most most bytes.
func (v *vm) text(value uint64, most int) (string, error) {
	room, err := v.write(make([]byte, 8))
	if err != nil {
		return "", err
	}
	at, err := v.call("qjs_get_string_len", value, room)
	if err != nil {
		return "", err
	}
	size, ok := v.module.Memory().Read(uint32(room), 4)
	if at == 0 || !ok {
		return "", &Error{Memory, "The evaluator ran out of memory"}
	}
	length := binary.LittleEndian.Uint32(size)
	if uint64(length) > uint64(most) {
		return "", &Error{Output, fmt.Sprintf("The evaluator gave %d bytes, and at most %d are taken", length, most)}
	}
	text, ok := v.module.Memory().Read(uint32(at), length)
	if !ok {
		return "", &Error{Memory, "The evaluator ran out of memory"}
	}
	return strings.ToValidUTF8(string(text), "\uFFFD"), nil
}

func (v *vm) tooLong() error {
	return &Error{Time, "The evaluator takes too many steps: does it ever end?"}
}

// maxErrorText cuts what a program says of its own end.
const maxErrorText = 500

// exception is what the program threw.
func (v *vm) exception() error {
	thrown, err := v.call("qjs_get_exception")
	if err != nil {
		return err
	}
	text, err := v.text(thrown, v.limits.Output)
	if err != nil {
		return err
	}
	text = strings.TrimPrefix(text, "evaluator: ")
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	switch {
	case v.state.steps < 0:
		return v.tooLong()
	case strings.Contains(text, "Maximum call stack size exceeded"), strings.Contains(text, "stack overflow"):
		return &Error{Depth, "The evaluator calls itself too deeply"}
	case strings.Contains(text, "out of memory"):
		return &Error{Memory, fmt.Sprintf("The evaluator needs more than %d MiB of memory", v.limits.Memory>>20)}
	}
	return &Error{Threw, text}
}
