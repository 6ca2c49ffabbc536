package chstore

import (
	"bufio"
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
)

// A migration that has landed never changes: this list only grows.
func TestMigrationsAreUnchanged(t *testing.T) {
	t.Parallel()
	file, err := os.Open("migrations/checksums.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	known := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if sum, name, ok := strings.Cut(lines.Text(), "  "); ok {
			known[name] = sum
		}
	}
	steps, err := loadMigrations()
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		if known[step.name] != step.checksum {
			t.Errorf("migration %s has checksum %s, listed is %q: add a new migration instead of changing one", step.name, step.checksum, known[step.name])
		}
		delete(known, step.name)
	}
	for name := range known {
		t.Errorf("migration %s is listed and gone", name)
	}
}

// Replicated tables cannot run on the embedded engine: their text is rendered and reviewed here.
func TestSchemaText(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]Config{
		"one_node": {}, "shards": {Cluster: "sonde"}, "replicated_shards": {Cluster: "sonde", Replicated: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps, err := loadMigrations()
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			for _, step := range steps {
				statements, err := step.render(config)
				if err != nil {
					t.Fatal(err)
				}
				text.WriteString("-- " + step.name + "\n" + strings.Join(statements, ";\n\n") + ";\n")
			}
			testkit.Golden(t, "testdata/schema_"+name+".sql", text.Bytes())
		})
	}
}

func TestRowsOfManyDaysAreSplit(t *testing.T) {
	t.Parallel()
	today := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	var rows []*model.Observation
	for i := range 200 {
		rows = append(rows, &model.Observation{StartTime: today.AddDate(0, -i, 0)})
		rows = append(rows, &model.Observation{StartTime: today})
	}
	groups := byDays(rows)
	total := 0
	for i, group := range groups {
		days := map[int64]bool{}
		for _, o := range group {
			days[day(o)] = true
		}
		total += len(group)
		if bound := map[bool]int{true: nearDays, false: farDays}[i == 0]; len(days) > bound {
			t.Errorf("group %d has %d days, want at most %d", i, len(days), bound)
		}
	}
	if total != len(rows) || len(groups[0]) < 200 {
		t.Errorf("%d rows in groups of %d, the first with %d", total, len(groups), len(groups[0]))
	}
}

// The wide table of the storage bench is only a fair measure while both keep text the same way.
func TestWideKeepsTextAsPayloadsDo(t *testing.T) {
	t.Parallel()
	steps, err := loadMigrations()
	if err != nil {
		t.Fatal(err)
	}
	for column, step := range map[string]int{"input String " + bigText: 0, "output String " + bigText: 0, rareTexts + ";": 1} {
		if !strings.Contains(steps[step].text, " "+column) {
			t.Errorf("payloads do not keep %s", column)
		}
	}
}
