package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// doctorCommand finds out what is wrong before a start, or with a server that runs here.
type doctorCommand struct {
	JSON bool `name:"json" help:"Print findings as JSON, for programs."`
	settings
}

// Help is the page of the command.
func (*doctorCommand) Help() string {
	return `Give it the settings that serve has. It looks at everything they point to and says of each finding what is
wrong, why it matters and what to do next. It changes nothing. It ends with 0 when nothing is wrong, with 1 otherwise.

When a server works in the data directory, that server is asked, too: whether it is ready, keeps up, and is reached
under its public address; then its addresses are expected to be taken.`
}

// finding is what was found about one thing.
type finding struct {
	Check string `json:"check"` // a word that stays the same, for programs
	About string `json:"about"`
	OK    bool   `json:"ok"`
	*trouble
}

// trouble is what is wrong.
type trouble struct {
	Problem string `json:"problem"`
	Why     string `json:"why"` // it matters
	Do      string `json:"do"`  // next
}

// examination is one run of the doctor.
type examination struct {
	*settings
	running bool // a server works in the data directory
	told    func(finding)
	found   []finding
}

// note keeps what was found; no trouble: all is well.
func (e *examination) note(check, about string, t *trouble) {
	f := finding{Check: check, About: about, OK: t == nil, trouble: t}
	e.found = append(e.found, f)
	e.told(f)
}

// failed is trouble that an error tells.
func failed(err error, why, do string) *trouble {
	if err == nil {
		return nil
	}
	return &trouble{err.Error(), why, do}
}

// doctorWithin bounds all looks together, lookWithin each at something elsewhere.
const (
	doctorWithin = 2 * time.Minute
	lookWithin   = 10 * time.Second
)

// Run examines everything, prints a line per thing and fails when something is wrong.
func (c *doctorCommand) Run(ctx context.Context, std streams) error {
	ctx, cancel := context.WithTimeout(ctx, doctorWithin)
	defer cancel()
	e := &examination{settings: &c.settings, told: func(f finding) { printFinding(std.out, f) }}
	if c.JSON {
		e.told = func(finding) {}
	}
	for _, look := range []func(context.Context){
		e.configuration, e.dataDirectory, e.machine, e.addresses, e.certificate,
		e.engine, e.metadata, e.eventlog, e.blobs, e.others, e.server,
	} {
		look(ctx)
	}
	wrong := 0
	for _, f := range e.found {
		if !f.OK {
			wrong++
		}
	}
	if c.JSON {
		encoder := json.NewEncoder(std.out)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(map[string]any{"ok": wrong == 0, "findings": e.found}); err != nil {
			return fmt.Errorf("print findings: %w", err)
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d of the checks failed; see above", wrong)
	}
	return nil
}

func printFinding(out io.Writer, f finding) {
	if f.OK {
		fmt.Fprintf(out, "ok    %s\n", f.About)
		return
	}
	fmt.Fprintf(out, "FAIL  %s: %s\n", f.About, f.Problem)
	for _, line := range []struct{ name, text string }{{"why", f.Why}, {"do", f.Do}} {
		fmt.Fprintf(out, "      %-4s %s\n", line.name, strings.ReplaceAll(line.text, "\n", "\n           "))
	}
}
