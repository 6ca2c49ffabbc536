package chstore

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Whatever order texts come in and however often, each has one number, and numbers count from 0.
func TestInternerNumbersTexts(t *testing.T) {
	t.Parallel()
	n, want := newInterner(), map[string]int32{}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := fmt.Sprint("t", random.IntN(5_000))
		if random.IntN(50) == 0 {
			text = ""
		}
		if _, known := want[text]; !known {
			want[text] = int32(len(want))
		}
		if got := n.number([]byte(text)); got != want[text] || n.texts[got] != text {
			t.Fatalf("%q has number %d of %q, want %d", text, got, n.texts[got], want[text])
		}
	}
	if len(n.texts) != len(want) {
		t.Errorf("%d texts, want %d", len(n.texts), len(want))
	}
}
