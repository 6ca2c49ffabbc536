package sqlstore

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// A database in the field has run the old text of a migration; nothing would bring the new
// one to it.
func TestMergedMigrationsNeverChange(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("migrations: %v, %v", files, err)
	}
	var got strings.Builder
	for _, file := range files {
		text, err := fs.ReadFile(migrations, file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "+goose Down") {
			t.Errorf("%s goes backward; we only go forward", file)
		}
		fmt.Fprintf(&got, "%x  %s\n", sha256.Sum256(text), strings.TrimPrefix(file, "migrations/"))
	}
	want, err := os.ReadFile("migrations/checksums.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("checksums.txt has\n%sbut the files are\n%s"+
			"Leave merged migrations as they were and write a new one; add only its line to checksums.txt.", want, got.String())
	}
}
