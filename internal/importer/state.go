package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/shopspring/decimal"
)

// stateVersion changes when an older state can no longer be read.
const stateVersion = 1

// State is how far an import is. It is written after every page that the target has confirmed, so that a start after
// any end goes on there. What was sent and not yet noted is sent again under the same ids, which changes nothing.
type State struct {
	Version int `json:"version"`
	// From and To name the projects on both sides: a state is good for one pair only.
	From  string    `json:"from"`
	To    string    `json:"to"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
	// Steps are by kind of what is imported.
	Steps map[string]*Step `json:"steps"`
	// Configs and Runs are the ids that score configs and dataset runs of the source have in the target.
	Configs map[string]string `json:"configs"`
	Runs    map[string]string `json:"runs"`

	path string
}

// Step is how far one kind is.
type Step struct {
	Done  bool  `json:"done"`
	Tally Tally `json:"tally"` // of what is confirmed, without the window under way

	// Rows that go by time: the window under way, where in it reading goes on, and what was read of it.
	Next    time.Time     `json:"next,omitzero"`
	End     time.Time     `json:"end,omitzero"`
	Width   time.Duration `json:"width_ns,omitempty"`
	At      place         `json:"at,omitzero"`
	Pending Tally         `json:"pending,omitzero"`
	// Expected is how many rows the source counts in the window, and Tries how often they were not as many.
	Expected int `json:"expected,omitempty"`
	Tries    int `json:"tries,omitempty"`

	// Pages are how many pages of each named thing are done, such as of a dataset.
	Pages map[string]int `json:"pages,omitempty"`

	// Newer says that the source was read by the newer of two reads.
	Newer bool `json:"newer,omitempty"`
	// Sample are rows that are compared at the end.
	Sample []sampled `json:"sample,omitempty"`
	// Refused are rows that the target did not take, the first of them with the reason.
	Refused      int       `json:"refused,omitempty"`
	RefusedFirst []Finding `json:"refused_first,omitempty"`
	// Changed are scores that had to go without their config.
	Changed int `json:"changed,omitempty"`
}

// place is where in a window reading goes on.
type place struct {
	Page   int    `json:"page,omitempty"` // the last one that is done
	Cursor string `json:"cursor,omitempty"`
}

// Tally adds up rows.
type Tally struct {
	Rows  int             `json:"rows"`
	Cost  decimal.Decimal `json:"cost"`
	Usage Usage           `json:"usage"`
}

// Usage are the units of a tally.
type Usage struct {
	Input  uint64 `json:"input"`
	Output uint64 `json:"output"`
	Total  uint64 `json:"total"`
}

func (t *Tally) add(other Tally) {
	t.Rows += other.Rows
	t.Cost = t.Cost.Add(other.Cost)
	t.Usage.Input += other.Usage.Input
	t.Usage.Output += other.Usage.Output
	t.Usage.Total += other.Usage.Total
}

// Finding is something about one row, for people.
type Finding struct {
	ID   string `json:"id"`
	What string `json:"what"`
}

// maxFindings is how many rows of a kind are named; all are counted.
const maxFindings = 20

func (s *Step) refuse(id, why string) {
	s.Refused++
	if len(s.RefusedFirst) < maxFindings {
		s.RefusedFirst = append(s.RefusedFirst, Finding{id, why})
	}
}

// openState reads the state of an import between two projects, or begins one.
func openState(path, from, to string) (*State, error) {
	s := &State{path: path}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &State{Version: stateVersion, From: from, To: to, Steps: map[string]*Step{}, Configs: map[string]string{}, Runs: map[string]string{}, path: path}, nil
	case err != nil:
		return nil, fmt.Errorf("read the state of the import: %w", err)
	}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s is no state of an import; remove it to begin anew: %w", path, err)
	}
	switch {
	case s.Version != stateVersion:
		return nil, fmt.Errorf("%s was written by another version of sonde; remove it to begin anew, what is there already is not doubled", path)
	case s.From != from || s.To != to:
		return nil, fmt.Errorf("%s belongs to an import from %s to %s, this one is from %s to %s; name another file with --state", path, s.From, s.To, from, to)
	}
	return s, nil
}

// step returns the step of a kind.
func (s *State) step(kind string) *Step {
	if s.Steps[kind] == nil {
		s.Steps[kind] = &Step{Pages: map[string]int{}}
	}
	if s.Steps[kind].Pages == nil {
		s.Steps[kind].Pages = map[string]int{}
	}
	return s.Steps[kind]
}

// save notes how far the import is.
func (s *State) save() error {
	if s.path == "" { // nothing is imported, only counted
		return nil
	}
	if err := replaceFile(s.path, s); err != nil {
		return fmt.Errorf("write the state of the import: %w", err)
	}
	return nil
}

// replaceFile writes JSON to a file as a whole: at any moment there is the old text or the new one.
func replaceFile(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	next := path + ".new"
	file, err := os.OpenFile(next, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(next, path)
}
