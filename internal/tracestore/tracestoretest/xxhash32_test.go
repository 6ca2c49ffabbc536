package tracestoretest

import "testing"

func TestXXHash32(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint32{
		"":    0x02CC5D05,
		"a":   0x550D7456,
		"abc": 0x32D153FF,
		"Nobody inspects the spammish repetition": 0xE2293B2F,
	} {
		if got := xxHash32(text); got != want {
			t.Errorf("xxHash32(%q) = %#x, want %#x", text, got, want)
		}
	}
}
