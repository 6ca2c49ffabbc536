package otlp

// maxLinearNames is up to how many names are compared one by one.
const maxLinearNames = 48

// names finds names among those added before. Small sets are compared one by one, which is faster
// than hashing; large ones are hashed, so that a hostile span costs no more than its size.
type names struct {
	list   []string
	seen   uint64 // a bit per hint that was added
	hashed map[string]int
}

func (n *names) reset() {
	n.list = n.list[:0]
	n.seen = 0
	n.hashed = nil
}

// hint is a bit that equal names share.
func hint(name string) uint64 {
	if name == "" {
		return 1
	}
	return 1 << ((len(name)*7 + int(name[len(name)-1])) & 63)
}

// find returns the position of a name among those added, -1 when it is none of them.
func (n *names) find(name string) int {
	if n.seen&hint(name) == 0 {
		return -1
	}
	if n.hashed != nil {
		if i, ok := n.hashed[name]; ok {
			return i
		}
		return -1
	}
	for i, other := range n.list {
		if other == name {
			return i
		}
	}
	return -1
}

// add appends a name that find does not know.
func (n *names) add(name string) {
	n.list = append(n.list, name)
	n.seen |= hint(name)
	switch {
	case n.hashed != nil:
		n.hashed[name] = len(n.list) - 1
	case len(n.list) > maxLinearNames:
		n.hashed = make(map[string]int, 2*len(n.list))
		for i, other := range n.list {
			n.hashed[other] = i
		}
	}
}
