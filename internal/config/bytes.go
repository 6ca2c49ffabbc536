package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Bytes is a size in bytes, written as 512MiB, 64KB or a plain number.
type Bytes uint64

var units = []struct {
	suffix string
	factor uint64
}{
	{"KiB", 1 << 10},
	{"MiB", 1 << 20},
	{"GiB", 1 << 30},
	{"TiB", 1 << 40},
	{"KB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"B", 1},
}

// UnmarshalText reads a size.
func (b *Bytes) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	factor := uint64(1)
	for _, u := range units {
		if number, ok := strings.CutSuffix(s, u.suffix); ok {
			s, factor = strings.TrimSpace(number), u.factor
			break
		}
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || (factor > 1 && n > (1<<63)/factor) {
		return fmt.Errorf("%q is no size; write 512MiB or a number of bytes", text)
	}
	*b = Bytes(n * factor)
	return nil
}

// String writes the size in the largest unit that fits evenly.
func (b Bytes) String() string {
	for _, u := range []struct {
		suffix string
		factor uint64
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n := uint64(b); n >= u.factor && n%u.factor == 0 {
			return strconv.FormatUint(n/u.factor, 10) + u.suffix
		}
	}
	return strconv.FormatUint(uint64(b), 10)
}
