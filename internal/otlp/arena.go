package otlp

import "strings"

const (
	minArenaChunk = 512
	maxArenaChunk = 16 << 10
)

// arena makes strings in few allocations: they are cut from chunks that live as long as any of
// their strings, which is fine for observations of one payload. The zero chunk size is not usable.
type arena struct {
	chunk int
	b     strings.Builder
}

// newArena sizes chunks for a payload of the given size.
func newArena(payloadBytes int) arena {
	return arena{chunk: min(max(payloadBytes/4, minArenaChunk), maxArenaChunk)}
}

// keep returns b as a string that later changes of b do not touch.
func (a *arena) keep(b []byte) string {
	at := a.room(len(b))
	a.b.Write(b)
	return a.b.String()[at:]
}

// join returns x + y.
func (a *arena) join(x, y string) string {
	at := a.room(len(x) + len(y))
	a.b.WriteString(x)
	a.b.WriteString(y)
	return a.b.String()[at:]
}

// room makes place for n bytes and returns where they will begin. A builder that would have to
// grow is left to the strings that point into it.
func (a *arena) room(n int) int {
	if a.b.Cap()-a.b.Len() < n {
		a.b = strings.Builder{}
		a.b.Grow(max(n, a.chunk))
	}
	return a.b.Len()
}
