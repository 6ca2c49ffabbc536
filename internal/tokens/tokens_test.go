package tokens_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer/codec"

	"github.com/sondehq/sonde/internal/tokens"
)

func soon() time.Time { return time.Now().Add(time.Minute) }

func TestCount(t *testing.T) {
	t.Parallel()
	const o200k, cl100k = "o200k_base", "cl100k_base"
	for name, tt := range map[string]struct {
		encoding, text string
		want           uint64
	}{
		"nothing":     {o200k, "", 0},
		"words":       {o200k, "hello world", 2},
		"older":       {cl100k, "hello world", 2},
		"differ":      {cl100k, "Привет, мир", 6},
		"differ, new": {o200k, "Привет, мир", 4},
		"unknown":     {"", "Привет, мир", 4},
		"JSON text":   {o200k, `"hello world"`, 2},
		"object":      {o200k, `{"a":1}`, 5},
		// 3 per list; 3 per message; role, content; one more for a name.
		"chat":               {o200k, `[{"role":"user","content":"hello world"}]`, 3 + 3 + 1 + 2},
		"chat with a name":   {o200k, ` [{"role":"user","name":"hello","content":"hello world"}]`, 3 + 3 + 1 + 2 + 1 + 1},
		"chat, empty":        {o200k, `[{"role":"user","content":"","x":"not counted","tool_calls":null}]`, 3 + 3 + 1},
		"not a chat":         {o200k, `[{"role":"user","content":[1]}]`, 11},
		"special token text": {o200k, "<|endoftext|>", 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tokens.Count(tt.encoding, tt.text, soon())
			if err != nil || got != tt.want {
				t.Errorf("got %d, %v, want %d", got, err, tt.want)
			}
		})
	}
}

// Cutting a text must not change its count.
func TestLongTextsAreExact(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("The quick brown fox, aged 7, jumps over 12 lazy dogs; isn't that nice?\n", 300)
	want, err := codec.NewO200kBase().Count(text)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tokens.Count("", text, soon()); err != nil || got != uint64(want) {
		t.Errorf("got %d, %v, want %d", got, err, want)
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	if _, err := tokens.Count("", strings.Repeat("a", tokens.MaxText+1), soon()); !errors.Is(err, tokens.ErrTooLong) {
		t.Errorf("too long: %v", err)
	}
	// Some 60 seconds when counted in one piece.
	hostile := strings.Repeat("\n \n  ", tokens.MaxText/5)
	begin := time.Now()
	if _, err := tokens.Count("", hostile, begin.Add(20*time.Millisecond)); !errors.Is(err, tokens.ErrTooSlow) {
		t.Errorf("too slow: %v", err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func FuzzCount(f *testing.F) {
	f.Add("hello world")
	f.Add(`[{"role":"user","content":"x"}]`)
	f.Add("\xff\xfe\x80 漢字")
	f.Add(strings.Repeat("漢", 2000))
	f.Fuzz(func(t *testing.T, text string) {
		n, err := tokens.Count("cl100k_base", text, soon())
		if err == nil && n > uint64(len(text))*3+10 {
			t.Errorf("%d tokens in %d bytes", n, len(text))
		}
	})
}

func BenchmarkCount(b *testing.B) {
	text := strings.Repeat("hello brave new world, ", 45) // about 1 KiB
	for b.Loop() {
		if _, err := tokens.Count("", text, soon()); err != nil {
			b.Fatal(err)
		}
	}
}
