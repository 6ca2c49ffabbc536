package tracestore

// Archive is one piece of a copy of the store, as a file that the store's engine wrote or will read.
type Archive struct {
	Name string // of the piece: two segments of a blob key
	File string // empty: whoever copies has this state of it already
	// State tells what the piece holds from what it holds later; empty: it changed while it was copied.
	State string
}
