package sandbox_test

import (
	"context"
	"errors"
	"runtime/metrics"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/sandbox"
)

// hurried gives up soon: it is for programs that are busy inside of one instruction, which counts no steps.
func hurried(t testing.TB) *sandbox.Sandbox {
	t.Helper()
	s := sandbox.New(sandbox.Limits{Memory: 32 << 20, Time: time.Second, Cache: cache})
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestNothingIsReached asks for everything that a program could reach of a host.
func TestNothingIsReached(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"timers": {
			`function evaluate() { return ["setTimeout", "setInterval", "setImmediate", "requestAnimationFrame"].map((n) => typeof globalThis[n]) }`,
			`["undefined","undefined","undefined","undefined"]`,
		},
		"names of hosts": {`function evaluate() { return ["std", "os", "bjson", "scriptArgs", "WebAssembly", "navigator", "Worker", "Buffer", "Bun", "gc", "__filename", "wasi", "host_call"].filter((n) => n in globalThis) }`, `[]`},
		"code from texts": {
			`function evaluate() { return [(0, eval)("typeof process"), new Function("return typeof fetch")(), (async () => {}).constructor("return 1").name] }`,
			`["undefined","undefined","anonymous"]`,
		},
		"the prelude's own": {`function evaluate() { return ["seed", "input", "source", "strip"].filter((n) => n in globalThis) }`, `[]`},
		"modules":           {`async function evaluate() { const tried = []; for (const m of ["fs", "std", "os", "/etc/passwd", "http://127.0.0.1/", "data:text/javascript,1"]) { try { await import(m); tried.push(m) } catch {} } return tried }`, `[]`},
		"a clock that moves": {
			`function evaluate() { const t = Date.now(); let n = 0; for (let i = 0; i < 1e4; i++) n += Math.sqrt(i); return [Date.now() - t, typeof performance, new Date().getFullYear()] }`,
			`[0,"undefined",2026]`,
		},
		"memory that is shared": {`function evaluate() { return [typeof SharedArrayBuffer === "undefined" || (() => { try { return Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0, 1e9) } catch { return true } })()] }`, `[true]`},
		"what is not JSON":      {`function evaluate() { return [() => 1, undefined, Symbol("s"), NaN, Infinity, new Map([[1, 2]]), new Uint8Array(2)] }`, `[null,null,null,null,null,{},{"0":0,"1":0}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := run(t, c.source, `{}`)
			if err != nil || got != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
		})
	}
}

// TestRunaways has programs that want more than they get of time, memory or depth. Whichever bound ends them first, one does, soon.
func TestRunaways(t *testing.T) {
	t.Parallel()
	soon := hurried(t)
	for name, source := range map[string]string{
		"a generator":                 `function evaluate() { function* all() { for (;;) yield 1 } let n = 0; for (const x of all()) n += x; return n }`,
		"an async generator":          `async function evaluate() { async function* all() { for (;;) yield 1 } let n = 0; for await (const x of all()) n += x; return n }`,
		"promises that make promises": `function evaluate() { const again = () => Promise.resolve().then(again); return again() }`,
		"a thenable without an end":   `function evaluate() { const o = { then(done) { done(o) } }; return o }`,
		"a regular expression":        `function evaluate() { return ("x".repeat(5000) + "y").replace(/(x*)*(x*)*z/g, "") }`,
		"a backreference":             `function evaluate() { return /(.*)(.*)(.*)(.*)(.*)\1\2\3\4\5!/.test("ab".repeat(200)) }`,
		"a look behind":               `function evaluate() { return /(?<=(a+)+)b/.test("a".repeat(3000) + "c".repeat(3000)) }`,
		"a big integer that grows":    `function evaluate() { let n = 3n; for (;;) n *= n }`,
		"a power":                     `function evaluate() { return String(7n ** 99999999n).length }`,
		"a number as text":            `function evaluate() { return ((1n << 20000000n) - 1n).toString().length }`,
		"a sparse array":              `function evaluate() { return new Array(4294967295).join("").length + new Array(4294967295).indexOf(1) }`,
		"a sort":                      `function evaluate() { const a = Array.from({ length: 1e6 }, (_, i) => -i); for (;;) a.sort(() => Math.random() - 0.5) }`,
		"a text that is padded":       `function evaluate() { return "x".padEnd(1 << 30).length }`,
		"texts that are kept":         `function evaluate() { const m = new Map(); for (let i = 0; ; i++) m.set(i, "x".repeat(1e5) + i) }`,
		"typed arrays":                `function evaluate() { const a = []; for (;;) a.push(new Uint8Array(1 << 20)) }`,
		"a buffer that grows":         `function evaluate() { const b = new ArrayBuffer(1, { maxByteLength: 1 << 30 }); b.resize(1 << 30); return b.byteLength }`,
		"closures":                    `function evaluate() { let f = () => 0; for (;;) { const g = f; f = () => g; f.a = new Array(100).fill(f) } }`,
		"errors that are kept":        `function evaluate() { const a = []; for (;;) { try { null.x } catch (e) { a.push(e) } } }`,
		"a proxy of itself":           `function evaluate() { const p = new Proxy({}, { get: (t, n, r) => r[n] }); return p.x }`,
		"texts of texts":              `function evaluate() { const o = { toString() { return "" + o } }; return "" + o }`,
		"JSON that is deep":           `function evaluate() { return JSON.parse("[".repeat(1e6) + "]".repeat(1e6)) }`,
		"an expression that is deep":  `function evaluate() { return new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("") }`,
		"code that is deep":           `function evaluate() { return eval("(".repeat(1e5) + "1" + ")".repeat(1e5)) }`,
		"a spread":                    `function evaluate() { return Math.max(...new Array(1e7).fill(1)) }`,
		"a loop in the answer":        `function evaluate() { return { toJSON() { for (;;) {} } } }`,
		"a loop in an error":          `function evaluate() { throw { toString() { for (;;) {} } } }`,
		"a getter that loops":         `function evaluate() { return { get x() { for (;;) {} } } }`,
		"then of the prototype":       `Object.prototype.then = function () { for (;;) {} }; function evaluate() { return {} }`,
		"a stack of an error":         `Error.prepareStackTrace = () => { for (;;) {} }; function evaluate() { throw new Error("x") }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := box.Compile(t.Context(), source) // which is not in a hurry
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			answer, err := soon.Run(t.Context(), p, sandbox.Call{Input: []byte(`{}`), Now: at})
			e := (*sandbox.Error)(nil)
			if !errors.As(err, &e) {
				t.Fatalf("got %.80q, %v after %s; want an *Error", answer, err, time.Since(began))
			}
			t.Logf("%s: %s, after %s", e.Reason, e.Text, time.Since(began).Round(time.Millisecond))
		})
	}
}

// TestPollution runs one program twice, and another after it: nothing that the first changed is left.
func TestPollution(t *testing.T) {
	t.Parallel()
	p, err := box.Compile(t.Context(), `
		globalThis.count = (globalThis.count ?? 0) + 1;
		Object.prototype.spoiled = Array.prototype.spoiled = true;
		Object.prototype.toJSON = function () { return "spoiled " + count };
		Date.now = () => 1; Math.max = () => 7;
		function evaluate(ctx) { const seen = [count, ctx.before]; ctx.before = "kept"; delete Object.prototype.toJSON; return seen }`)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := box.Run(t.Context(), p, sandbox.Call{Input: []byte(`{"before":"fresh"}`), Now: at}); err != nil || string(got) != `[1,"fresh"]` {
			t.Errorf("got %s, %v", got, err)
		}
	}
	got, err := run(t, `function evaluate() { return [typeof count, ({}).spoiled === undefined, [].spoiled === undefined, Date.now() > 1, Math.max(1, 2), JSON.stringify({ a: 1 })] }`, `{}`)
	if want := `["undefined",true,true,true,2,"{\"a\":1}"]`; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

// TestMemoryIsBounded measures what programs without a bound of their own take of the process.
func TestMemoryIsBounded(t *testing.T) { //nolint:paralleltest // it measures memory of the process
	taken := func() uint64 {
		sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	if _, err := run(t, `function evaluate() { return 1 }`, `{}`); err != nil { // the interpreter is there already
		t.Fatal(err)
	}
	before := taken()
	for _, source := range []string{
		`function evaluate() { const a = []; for (;;) a.push(new Array(1000).fill(1)) }`,
		`function evaluate() { const a = []; for (;;) a.push(new Uint8Array(1 << 20)) }`,
		`function evaluate() { let s = "x"; for (;;) { s += s; s.charCodeAt(s.length - 1) } }`,
	} {
		_, err := run(t, source, `{}`)
		if e := (*sandbox.Error)(nil); !errors.As(err, &e) || e.Reason != sandbox.Memory {
			t.Errorf("%s: %v, want the reason memory", source, err)
		}
	}
	// The collector gives memory back when it likes to: all of them may be there still, and copies from growing.
	const most = 8 * 32 << 20
	if grown := int64(taken()) - int64(before); grown > most {
		t.Errorf("three programs with 32 MiB each took %d MiB of the process, want at most %d", grown>>20, most>>20)
	} else {
		t.Logf("%d MiB", grown>>20)
	}
}

// cpu is what the process worked so far, which counts on a busy machine, too.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func report(b *testing.B, began time.Duration) {
	b.Helper()
	b.ReportMetric(float64((cpu(b)-began).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

// BenchmarkStart is the first evaluator of a server: the interpreter becomes machine code.
func BenchmarkStart(b *testing.B) {
	began := cpu(b)
	for b.Loop() {
		s := sandbox.New(sandbox.Limits{})
		if _, err := s.Compile(b.Context(), `function evaluate(ctx) { return 1 }`); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	report(b, began)
}

// BenchmarkCompile is another evaluator.
func BenchmarkCompile(b *testing.B) {
	if _, err := box.Compile(b.Context(), `function evaluate(ctx) { return 1 }`); err != nil {
		b.Fatal(err)
	}
	began := cpu(b)
	for b.Loop() {
		if _, err := box.Compile(b.Context(), `interface C { a: string } function evaluate(ctx: C): number { return ctx.a.length }`); err != nil {
			b.Fatal(err)
		}
	}
	report(b, began)
}

func BenchmarkRun(b *testing.B) {
	box := sandbox.New(sandbox.Limits{Cache: cache})
	defer func() { _ = box.Close(context.WithoutCancel(b.Context())) }()
	for name, source := range map[string]string{
		"check": `function evaluate(ctx) { return { scores: [{ name: "x", value: ctx.observation.output.length }] } }`,
		"loop":  `function evaluate(ctx) { for (;;) {} }`, // until its steps are used up
	} {
		b.Run(name, func(b *testing.B) {
			p, err := box.Compile(b.Context(), source)
			if err != nil {
				b.Fatal(err)
			}
			input := []byte(`{"observation":{"output":"` + strings.Repeat("words and ", 200) + `"}}`)
			began := cpu(b)
			for b.Loop() {
				if _, err := box.Run(b.Context(), p, sandbox.Call{Input: input, Now: at, Seed: 1}); err != nil && name == "check" {
					b.Fatal(err)
				}
			}
			report(b, began)
		})
	}
}
