package backup

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
)

// Answer is what a server answered to one read, in short.
type Answer struct {
	Owner  string `json:"owner"` // the project or organization whose key asked
	Path   string `json:"path"`  // with its query
	Status int    `json:"status"`
	SHA256 string `json:"sha256"`
	// Moving means that the answer changed while the backup was made: nobody can say what a restored server answers.
	Moving bool `json:"moving,omitempty"`
}

// question is what an answer answers.
type question struct{ owner, path string }

func (a Answer) question() question { return question{a.Owner, a.Path} }

// gather collects answers by what they answer. It tells of progress with each: whoever waits for the backup must hear something.
func (m *making) gather(ctx context.Context) (map[question]Answer, error) {
	all := map[question]Answer{}
	err := m.from.Answers(ctx, func(a Answer) error {
		all[a.question()] = a
		m.tell()
		return nil
	})
	return all, err
}

// answersBefore asks before anything is copied. What is answered the same when all is copied is what the copy holds:
// whatever came in between would show in one of them.
func (m *making) answersBefore(ctx context.Context) (err error) {
	if m.from.Answers != nil {
		m.before, err = m.gather(ctx)
	}
	return err
}

// answersAfter asks again and keeps the answers.
func (m *making) answersAfter(ctx context.Context) error {
	if m.from.Answers == nil {
		return nil
	}
	after, err := m.gather(ctx)
	if err != nil {
		return err
	}
	for q, answer := range m.before {
		if after[q] != answer {
			answer.Moving = true
			after[q] = answer
		}
	}
	for q, answer := range after {
		if _, ok := m.before[q]; !ok {
			answer.Moving = true
			after[q] = answer
		}
	}
	m.manifest.Format = format
	return m.compressed(ctx, answersKey, func(_ context.Context, w io.Writer) error {
		lines := json.NewEncoder(w)
		for _, answer := range slices.SortedFunc(maps.Values(after), byQuestion) {
			if err := lines.Encode(answer); err != nil {
				return err
			}
		}
		return nil
	})
}

func byQuestion(a, b Answer) int {
	if a.Owner != b.Owner {
		return strings.Compare(a.Owner, b.Owner)
	}
	return strings.Compare(a.Path, b.Path)
}

// Answers are those that the server gave when the backup was made; none when they were not taken along.
func (b *Backup) Answers(ctx context.Context) (answers []Answer, err error) {
	err = b.each(ctx, func(f File) error {
		if f.Key != answersKey {
			return nil
		}
		return b.decompressed(ctx, f, func(r io.Reader) error {
			return eachLine(r, func(a Answer) error { answers = append(answers, a); return nil })
		})
	})
	return answers, err
}

// Difference is a read that two servers answer differently; a status of 0 is no answer.
type Difference struct{ Want, Got Answer }

// Comparison is what a restored server answers beside what it should.
type Comparison struct {
	Owners    []OwnerComparison // by their names
	Different []Difference      // the first of them, in their order
}

// OwnerComparison counts the answers for one project or organization.
type OwnerComparison struct {
	Owner                   string
	Same, Different, Moving int
}

// shownDifferences bounds how many are told one by one.
const shownDifferences = 50

// Failed is how many answers differ.
func (c Comparison) Failed() (n int) {
	for _, owner := range c.Owners {
		n += owner.Different
	}
	return n
}

// Same is how many answers are what they were.
func (c Comparison) Same() (n int) {
	for _, owner := range c.Owners {
		n += owner.Same
	}
	return n
}

// Compare holds answers against those that are wanted.
func Compare(want, got []Answer) Comparison {
	answered := map[question]Answer{}
	for _, a := range got {
		answered[a.question()] = a
	}
	counts := map[string]*OwnerComparison{}
	var c Comparison
	judge := func(w, g Answer) {
		owner := w.Owner + g.Owner
		if w.Owner == g.Owner {
			owner = w.Owner
		}
		count := counts[owner]
		if count == nil {
			count = &OwnerComparison{Owner: owner}
			counts[owner] = count
		}
		switch {
		case w.Moving:
			count.Moving++
		case w == g:
			count.Same++
		default:
			count.Different++
			if len(c.Different) < shownDifferences {
				c.Different = append(c.Different, Difference{w, g})
			}
		}
	}
	asked := map[question]bool{}
	moving := map[string]bool{} // owners whose lists changed: a read of what they name may be new
	for _, w := range want {
		asked[w.question()] = true
		moving[w.Owner] = moving[w.Owner] || w.Moving
		judge(w, answered[w.question()])
	}
	for _, g := range slices.SortedFunc(slices.Values(got), byQuestion) {
		if !asked[g.question()] && !moving[g.Owner] {
			judge(Answer{}, g)
		}
	}
	for _, owner := range slices.Sorted(maps.Keys(counts)) {
		c.Owners = append(c.Owners, *counts[owner])
	}
	return c
}
