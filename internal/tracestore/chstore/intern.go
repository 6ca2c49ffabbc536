package chstore

import "hash/maphash"

// interner gives texts numbers from 0 on, each text once. Beside the texts it takes 4 to 11 bytes for each, far less than
// a map would for a million of them.
type interner struct {
	seed  maphash.Seed
	slots []int32 // numbers plus 1, by hash; 0: free
	texts []string
}

func newInterner() *interner {
	return &interner{seed: maphash.MakeSeed(), slots: make([]int32, 64)}
}

// number is that of text, which is copied when it is new.
func (n *interner) number(text []byte) int32 {
	if 4*len(n.texts) >= 3*len(n.slots) {
		n.grow()
	}
	slot := n.slot(maphash.Bytes(n.seed, text), func(known string) bool { return known == string(text) })
	if *slot == 0 {
		n.texts = append(n.texts, string(text))
		*slot = int32(len(n.texts))
	}
	return *slot - 1
}

// slot is the one with the text that is meant, or the free one where it belongs.
func (n *interner) slot(hash uint64, meant func(string) bool) *int32 {
	mask := uint64(len(n.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		if held := n.slots[at]; held == 0 || meant(n.texts[held-1]) {
			return &n.slots[at]
		}
	}
}

func (n *interner) grow() {
	n.slots = make([]int32, 2*len(n.slots))
	for i, text := range n.texts {
		*n.slot(maphash.String(n.seed, text), func(string) bool { return false }) = int32(i + 1)
	}
}
