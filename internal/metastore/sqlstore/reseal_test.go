package sqlstore

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// Every column of sealed bytes is sealed again.
func TestNoSealedColumnIsForgotten(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	table, column := regexp.MustCompile(`CREATE TABLE (\w+)|ALTER TABLE (\w+)`), regexp.MustCompile(`\b(sealed\w*) +bytea`)
	var found, known []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range column.FindAllSubmatchIndex(text, -1) {
			tables := table.FindAllSubmatch(text[:at[0]], -1)
			last := tables[len(tables)-1]
			found = append(found, string(last[1])+string(last[2])+"."+string(text[at[2]:at[3]]))
		}
	}
	for _, f := range sealedFields {
		known = append(known, f.table+"."+f.column)
	}
	slices.Sort(found)
	slices.Sort(known)
	if !slices.Equal(found, known) {
		t.Errorf("the tables have %v, Reseal knows %v", found, known)
	}
}
