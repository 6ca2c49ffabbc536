package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/sandbox"
)

var (
	// box is shared: compiling the interpreter takes seconds. Its clock is slow, so that on a busy machine, too, the other bounds
	// are what ends programs. Its steps are few, which is the same on every machine; those of hurried are as many as servers have.
	box *sandbox.Sandbox
	// cache has the interpreter for other sandboxes.
	cache string
)

func TestMain(m *testing.M) {
	var err error
	if cache, err = os.MkdirTemp("", "sandbox"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	box = sandbox.New(sandbox.Limits{Steps: 200, Memory: 32 << 20, Output: 64 << 10, Time: 5 * time.Minute, Cache: cache})
	code := m.Run()
	if err := errors.Join(box.Close(context.Background()), os.RemoveAll(cache)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

var at = time.Date(2026, 11, 15, 12, 30, 0, 0, time.UTC)

func run(t *testing.T, source, input string) (string, error) {
	t.Helper()
	p, err := box.Compile(t.Context(), source)
	if err != nil {
		t.Fatalf("compile: %v", err)
	}
	answer, err := box.Run(t.Context(), p, sandbox.Call{Input: []byte(input), Now: at, Seed: 42})
	return string(answer), err
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, input, want string }{
		"a function": {`function evaluate(ctx) { return { n: ctx.a.length } }`, `{"a":"four"}`, `{"n":4}`},
		"types are taken out": {
			`interface Context { a: string } type Out = { ok: boolean };
			 function evaluate(ctx: Context): Out { const a = ctx.a as string; return { ok: a!.startsWith("f") } satisfies Out; }`,
			`{"a":"four"}`, `{"ok":true}`,
		},
		"types without a declaration": {`function evaluate(ctx: EvaluationContext): EvaluationResult { return { scores: [] } }`, `{}`, `{"scores":[]}`},
		"an exported function":        {`export function evaluate(ctx: any) { return 1 }`, `{}`, `1`},
		"a default export":            {`export default (ctx: any) => 2`, `{}`, `2`},
		"an arrow function":           {`const evaluate = ({ a }: { a: number }) => a + 1`, `{"a":2}`, `3`},
		"a promise":                   {`async function evaluate(ctx) { await null; return await Promise.resolve(ctx.a) }`, `{"a":"x"}`, `"x"`},
		"enums":                       {`enum Grade { Bad, Good } function evaluate() { return Grade.Good }`, `{}`, `1`},
		"nothing":                     {`function evaluate() {}`, `{}`, `null`},
		"text beyond ASCII":           {`function evaluate(ctx) { return ctx.a + "é🙂" }`, `{"a":"ü"}`, `"üé🙂"`},
		"the clock is what it is given": {
			`function evaluate() { return [new Date().toISOString(), Date.now() === Date.now(), new Date(0).getTimezoneOffset()] }`, `{}`,
			`["2026-11-15T12:30:00.000Z",true,0]`,
		},
		"nothing of a host": {
			`function evaluate() { return ["fetch","require","process","Deno","std","os","XMLHttpRequest","WebSocket","setTimeout","performance","read","load","print"].filter(n => typeof globalThis[n] !== "undefined") }`,
			`{}`, `[]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := run(t, c.source, c.input)
			if err != nil || got != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
		})
	}
}

func TestRandomFollowsTheSeed(t *testing.T) {
	t.Parallel()
	p, err := box.Compile(t.Context(), `function evaluate() { return [Math.random(), Math.random()] }`)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, seed := range []uint64{7, 7, 8, 1<<64 - 1} {
		answer, err := box.Run(t.Context(), p, sandbox.Call{Input: []byte("{}"), Now: at, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		seen[string(answer)]++
	}
	if len(seen) != 3 {
		t.Errorf("got %v, want the same numbers for the same seed only", seen)
	}
}

func TestNoPrograms(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"empty":            ``,
		"no function":      `const x: number = 1`,
		"broken":           `function evaluate( {`,
		"broken types":     `function evaluate(ctx: ) { return 1 }`,
		"an import":        `import fs from "fs"; export function evaluate() { return fs.readFileSync("/etc/passwd") }`,
		"throws at once":   `throw new Error("no"); function evaluate() {}`,
		"runs for ever":    `for (;;) {} function evaluate() {}`,
		"closes the frame": `})({}); (() => { function evaluate() {} `,
		"too large":        `function evaluate() {} //` + strings.Repeat("x", 300<<10),
		"nested too deep":  `function evaluate() { return ` + strings.Repeat("(", 100_000) + strings.Repeat(")", 100_000) + ` }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := box.Compile(t.Context(), source)
			if e := (*sandbox.Error)(nil); !errors.As(err, &e) {
				t.Errorf("got %v, want an *Error", err)
			}
		})
	}
}

// TestContained has the ways out of a sandbox, and of its bounds. Each must end with a reason, in time, and leave the
// sandbox as good as it was.
func TestContained(t *testing.T) {
	t.Parallel()
	next, err := box.Compile(t.Context(), `function evaluate(ctx) { return ctx.ok }`)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		source string
		want   sandbox.Reason
	}{
		"a file by require":       {`function evaluate() { return require("fs").readFileSync("/etc/passwd") }`, sandbox.Threw},
		"a file by import":        {`async function evaluate() { return await import("/etc/passwd") }`, sandbox.Threw},
		"a file by std":           {`async function evaluate() { const s = await import("std"); return s.loadFile("/etc/passwd") }`, sandbox.Threw},
		"network by fetch":        {`async function evaluate() { return await fetch("http://127.0.0.1/") }`, sandbox.Threw},
		"network by socket":       {`function evaluate() { return new WebSocket("ws://127.0.0.1/") }`, sandbox.Threw},
		"a process":               {`function evaluate() { return process.env }`, sandbox.Threw},
		"code of a constructor":   {`function evaluate() { return (() => {}).constructor("return process")() }`, sandbox.Threw},
		"an error":                {`function evaluate() { throw new Error("I am sorry") }`, sandbox.Threw},
		"an error without text":   {`function evaluate() { throw { toString() { throw 1 } } }`, sandbox.Threw},
		"no error":                {`function evaluate() { throw null }`, sandbox.Threw},
		"a loop":                  {`function evaluate() { for (;;) {} }`, sandbox.Time},
		"a loop that catches":     {`function evaluate() { for (;;) { try { for (;;) {} } catch {} finally { continue } } }`, sandbox.Time},
		"promises for ever":       {`async function evaluate() { for (;;) await null }`, sandbox.Time},
		"waiting by the clock":    {`function evaluate() { const t = Date.now(); while (Date.now() < t + 10) {} return 1 }`, sandbox.Time},
		"a regular expression":    {`function evaluate() { return /^(a+)+$/.test("a".repeat(40) + "!") }`, sandbox.Time},
		"a promise never kept":    {`function evaluate() { return new Promise(() => {}) }`, sandbox.Threw},
		"a text that doubles":     {`function evaluate() { let s = "x"; for (;;) { s += s; s.charCodeAt(s.length - 1); [...s.slice(0, 9)] } }`, sandbox.Memory},
		"a buffer":                {`function evaluate() { return new ArrayBuffer(1 << 30).byteLength }`, sandbox.Memory},
		"recursion":               {`function evaluate() { const f = () => f() + 1; return f() }`, sandbox.Depth},
		"recursion by JSON":       {`function evaluate() { let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return o }`, sandbox.Depth},
		"recursion by a getter":   {`function evaluate() { const o = { get toJSON() { return () => JSON.stringify(o) } }; return o }`, sandbox.Depth},
		"a huge answer":           {`function evaluate() { return "x".repeat(1 << 20) }`, sandbox.Output},
		"a huge error":            {`function evaluate() { throw new Error("x".repeat(1 << 20)) }`, sandbox.Output},
		"a circle":                {`function evaluate() { const o = {}; o.o = o; return o }`, sandbox.Threw},
		"a big integer":           {`function evaluate() { return 1n }`, sandbox.Threw},
		"an answer that explodes": {`function evaluate() { return { toJSON() { throw new Error("boom") } } }`, sandbox.Threw},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			got, err := run(t, c.source, `{}`)
			e := (*sandbox.Error)(nil)
			// Whether depth or time ends a deep recursion first depends on the machine.
			either := errors.As(err, &e) && c.want == sandbox.Depth && e.Reason == sandbox.Time
			if !errors.As(err, &e) || e.Reason != c.want && !either {
				t.Errorf("got %.80q, %v; want the reason %s", got, err, c.want)
			}
			if e != nil && (e.Text == "" || len(e.Text) > 600) {
				t.Errorf("got %d bytes of text, want some and not too many", len(e.Text))
			}
			if took := time.Since(began); took > 10*time.Minute {
				t.Errorf("it took %s", took)
			}
			if got, err := box.Run(t.Context(), next, sandbox.Call{Input: []byte(`{"ok":true}`), Now: at}); err != nil || string(got) != "true" {
				t.Errorf("the next program got %s, %v", got, err)
			}
		})
	}
}

func TestProgramsChangeNothingForOthers(t *testing.T) {
	t.Parallel()
	spoil := `JSON.stringify = () => "spoiled"; JSON.parse = () => ({}); Promise.prototype.then = () => {}; globalThis.secret = 1;
		Object.prototype.x = 1; function evaluate(ctx) { return { mine: ctx.a } }`
	if got, err := run(t, spoil, `{"a":1}`); err != nil && got != "" {
		t.Logf("the spoiler got %s, %v", got, err)
	}
	got, err := run(t, `function evaluate(ctx) { return [typeof secret, ({}).x === undefined, ctx.a] }`, `{"a":1}`)
	if want := `["undefined",true,1]`; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestInputIsBounded(t *testing.T) {
	t.Parallel()
	_, err := run(t, `function evaluate() {}`, `"`+strings.Repeat("x", 9<<20)+`"`)
	if e := (*sandbox.Error)(nil); !errors.As(err, &e) || e.Reason != sandbox.Input {
		t.Errorf("got %v, want the reason input", err)
	}
}

func TestWhoLeavesIsNotAProgramsFault(t *testing.T) {
	t.Parallel()
	p, err := box.Compile(t.Context(), `function evaluate() { for (;;) {} }`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = box.Run(ctx, p, sandbox.Call{Input: []byte("{}")})
	if e := (*sandbox.Error)(nil); err == nil || errors.As(err, &e) {
		t.Errorf("got %v, want the context's error", err)
	}
}
