package sonde_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/upgrade"
)

// ruled are the folders of migrations, with the last file that the rule came too late for.
var ruled = map[string]string{
	"internal/metastore/sqlstore/migrations": "00019_alerts.sql",
	"internal/tracestore/chstore/migrations": "0005_erasure.sql",
}

// The release before must run on what a migration leaves, beside the new one and after it: see CONTRIBUTING.md.
func TestMigrationsExpandFirst(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("RELEASES")
	if err != nil {
		t.Fatal(err)
	}
	released := func(version string) bool { return strings.Contains("\n"+string(text), "\n"+version+" ") }
	if !released("0.3.0") || released("0.3") {
		t.Fatal("RELEASES cannot be read any more")
	}
	for folder, before := range ruled {
		files, err := filepath.Glob(filepath.Join(folder, "*.sql"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", folder, files, err)
		}
		for _, file := range files {
			if filepath.Base(file) <= before {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range upgrade.Check(string(text), released) {
				t.Errorf("%s %s: expand now and contract one release later, with the line `-- contract: VERSION` of the release that did without", file, problem)
			}
		}
	}
}
