package tracestoretest

import (
	"encoding/binary"
	"math/bits"
)

// The primes of the xxHash32 specification.
const (
	prime1 uint32 = 2654435761
	prime2 uint32 = 2246822519
	prime3 uint32 = 3266489917
	prime4 uint32 = 668265263
	prime5 uint32 = 374761393
)

// xxHash32 is the 32-bit xxHash with seed 0: the second member of the order of a page.
func xxHash32(text string) uint32 {
	rest := []byte(text)
	seed := uint32(0) // a variable: the sums below are meant to wrap
	hash := seed + prime5
	if len(rest) >= 16 {
		lanes := [4]uint32{seed + prime1 + prime2, seed + prime2, seed, seed - prime1}
		for ; len(rest) >= 16; rest = rest[16:] {
			for i := range lanes {
				lanes[i] = round(lanes[i], binary.LittleEndian.Uint32(rest[4*i:]))
			}
		}
		hash = bits.RotateLeft32(lanes[0], 1) + bits.RotateLeft32(lanes[1], 7) +
			bits.RotateLeft32(lanes[2], 12) + bits.RotateLeft32(lanes[3], 18)
	}
	hash += uint32(len(text))
	for ; len(rest) >= 4; rest = rest[4:] {
		hash = bits.RotateLeft32(hash+binary.LittleEndian.Uint32(rest)*prime3, 17) * prime4
	}
	for _, b := range rest {
		hash = bits.RotateLeft32(hash+uint32(b)*prime5, 11) * prime1
	}
	hash = (hash ^ hash>>15) * prime2
	hash = (hash ^ hash>>13) * prime3
	return hash ^ hash>>16
}

func round(lane, input uint32) uint32 {
	return bits.RotateLeft32(lane+input*prime2, 13) * prime1
}
