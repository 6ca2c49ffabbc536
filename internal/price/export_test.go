package price

// Candidates shows every definition that matches a name.
func Candidates(l *List, name string) []*Definition { return l.candidates(name) }

// Cached is how many names a list remembers.
func Cached(l *List) int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.known)
}

// MatchesFast reports whether a pattern matches a name by the way that a list goes.
func MatchesFast(pattern, name string) bool { return newMatcher(pattern).match(name, fold(name)) }
