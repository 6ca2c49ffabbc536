// Package upgrade knows which versions of the program may open which data.
//
// Migrations expand first and contract one release later: what a release adds, the one before it ignores; what a release
// stops using is removed by a later one. So two neighboring releases run on the same data, side by side and one after the
// other. A migration that removes says which release was the first that did without, and leaves that in the data: a program
// that is older refuses to open it.
package upgrade

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Older reports whether a version is before another. One that is no release, such as a build from a checkout, is
// newer than all of them.
func Older(a, b string) bool {
	x, known := parse(a)
	y, other := parse(b)
	if !known || !other {
		return known && !other && b != ""
	}
	return slices.Compare(x, y) < 0
}

// parse reads the numbers of a version; what follows them, as in 1.2.3-rc1, does not count.
func parse(version string) (numbers []int, ok bool) {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "-")
	for text := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, true
}

// Newest is the newest of some versions.
func Newest(versions ...string) (newest string) {
	for _, v := range versions {
		if newest == "" || v != "" && Older(newest, v) {
			newest = v
		}
	}
	return newest
}

// Mark is what data tells of who wrote it.
type Mark struct {
	WrittenBy string // the newest version that did
	Oldest    string // the oldest that may open it; empty: any
}

// Admit refuses a version that is too old for the data, and says what to do.
func (m Mark) Admit(what, version string) error {
	if m.Oldest == "" || !Older(version, m.Oldest) {
		return nil
	}
	return fmt.Errorf("%s was changed by sonde %s, and versions before %s cannot open it; this is %s: "+
		"run %s or a newer one, or go back to a backup from before the upgrade (docs/operate/upgrade.md)",
		what, cmp.Or(m.WrittenBy, "of a newer version"), m.Oldest, version, m.Oldest)
}

// Kind is what a migration does to older programs.
type Kind string

// The kinds of migrations.
const (
	Expand   Kind = "expand"   // adds: the release before goes on
	Contract Kind = "contract" // removes: only releases that did without go on
)

// Step is a migration.
type Step struct {
	Name   string
	Kind   Kind
	Oldest string // of a contracting one: the oldest release that works after it
	Tables []string
	Rows   uint64 // of the tables that it changes; 0 where it makes new ones
}

var (
	contractLine = regexp.MustCompile(`(?m)^-- contract: (\S+)`)
	changedTable = regexp.MustCompile(`(?im)^\s*(?:ALTER TABLE|UPDATE|DELETE FROM)\s+(?:IF EXISTS\s+)?(\w+)`)
	createdTable = regexp.MustCompile(`(?im)^\s*CREATE TABLE\s+(?:IF NOT EXISTS\s+)?(\w+)`)
)

// Describe reads what a migration is from its text. Tables that it makes itself hold no rows yet and are left out.
func Describe(name, text string) Step {
	step := Step{Name: name, Kind: Expand}
	if found := contractLine.FindStringSubmatch(text); found != nil {
		step.Kind, step.Oldest = Contract, found[1]
	}
	var made []string
	for _, found := range createdTable.FindAllStringSubmatch(text, -1) {
		made = append(made, found[1])
	}
	for _, found := range changedTable.FindAllStringSubmatch(text, -1) {
		if table := found[1]; !slices.Contains(made, table) && !slices.Contains(step.Tables, table) {
			step.Tables = append(step.Tables, table)
		}
	}
	return step
}

// shrinking are statements that an older program may not survive.
var shrinking = map[string]*regexp.Regexp{
	"drops something":                        regexp.MustCompile(`(?i)\bDROP\s+(TABLE|COLUMN|INDEX|VIEW|CONSTRAINT|NOT NULL|DEFAULT|PROJECTION)\b`),
	"renames something":                      regexp.MustCompile(`(?i)\bRENAME\b`),
	"changes a type":                         regexp.MustCompile(`(?i)\b(MODIFY\s+COLUMN|ALTER\s+COLUMN\s+\S+\s+(SET\s+DATA\s+)?TYPE)\b`),
	"forbids null":                           regexp.MustCompile(`(?i)\bSET\s+NOT\s+NULL\b`),
	"adds a rule that older rows may break":  regexp.MustCompile(`(?i)\bADD\s+(CONSTRAINT|CHECK|FOREIGN|UNIQUE)\b`),
	"empties a table":                        regexp.MustCompile(`(?i)\bTRUNCATE\b`),
	"makes older writers break a unique key": regexp.MustCompile(`(?im)^\s*CREATE\s+UNIQUE\s+INDEX\b`),
}

var (
	addedColumn = regexp.MustCompile(`(?i)\bADD\s+COLUMN\s+(?:IF\s+NOT\s+EXISTS\s+)?[^;]*`)
	comment     = regexp.MustCompile(`(?m)--.*$`)
)

// Check tells what in a migration breaks the rule. A contracting one may remove, but only what a release that is out already
// did without.
func Check(text string, released func(version string) bool) (problems []string) {
	step := Describe("", text)
	if step.Kind == Contract {
		if !released(step.Oldest) {
			problems = append(problems, "it contracts what "+step.Oldest+" expanded, which is not released: wait until it is")
		}
		return problems
	}
	statements := comment.ReplaceAllString(text, "")
	for what, pattern := range shrinking {
		if what == "makes older writers break a unique key" && onNewTables(statements) {
			continue
		}
		if found := pattern.FindString(statements); found != "" {
			problems = append(problems, what+" ("+strings.TrimSpace(found)+")")
		}
	}
	for _, column := range addedColumn.FindAllString(statements, -1) {
		upper := strings.ToUpper(column)
		if strings.Contains(upper, "NOT NULL") && !strings.Contains(upper, "DEFAULT") {
			problems = append(problems, "adds a column that older programs do not fill ("+strings.TrimSpace(column)+")")
		}
	}
	slices.Sort(problems)
	return problems
}

var uniqueIndex = regexp.MustCompile(`(?im)^\s*CREATE\s+UNIQUE\s+INDEX\s+(?:IF\s+NOT\s+EXISTS\s+)?\w+\s+ON\s+(\w+)`)

// onNewTables reports whether every unique index is on a table that the same migration makes.
func onNewTables(statements string) bool {
	var made []string
	for _, found := range createdTable.FindAllStringSubmatch(statements, -1) {
		made = append(made, found[1])
	}
	for _, found := range uniqueIndex.FindAllStringSubmatch(statements, -1) {
		if !slices.Contains(made, found[1]) {
			return false
		}
	}
	return true
}
