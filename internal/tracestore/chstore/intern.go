package chstore

import "hash/maphash"

// interner gives texts numbers from 0 on, each text once. Beside the texts it takes 11 to 21 bytes for each, far less than
// a map would for a million of them.
type interner struct {
	seed  maphash.Seed
	slots []slot
	texts []string
	last  int32 // the number that was asked for last: neighbors often have the same parent
}

// slot is a place of the table. The hash beside the number spares looks at texts, which lie anywhere in memory.
type slot struct {
	hash  uint32
	taken int32 // a number plus 1; 0: free
}

func newInterner() *interner {
	return &interner{seed: maphash.MakeSeed(), slots: make([]slot, 64)}
}

// number is that of text, which is copied when it is new.
func (n *interner) number(text []byte) int32 {
	if len(n.texts) > 0 && n.texts[n.last] == string(text) {
		return n.last
	}
	if 4*len(n.texts) >= 3*len(n.slots) {
		n.grow()
	}
	hash := uint32(maphash.Bytes(n.seed, text))
	at := n.place(hash, func(number int32) bool { return n.texts[number] == string(text) })
	if at.taken == 0 {
		n.texts = append(n.texts, string(text))
		*at = slot{hash, int32(len(n.texts))}
	}
	n.last = at.taken - 1
	return n.last
}

// place is the slot with the text that is meant, or the free one where it belongs.
func (n *interner) place(hash uint32, meant func(number int32) bool) *slot {
	mask := uint32(len(n.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if at := &n.slots[i]; at.taken == 0 || at.hash == hash && meant(at.taken-1) {
			return at
		}
	}
}

func (n *interner) grow() {
	old := n.slots
	n.slots = make([]slot, 2*len(old))
	for _, held := range old {
		if held.taken != 0 {
			*n.place(held.hash, func(int32) bool { return false }) = held
		}
	}
}
