package sonde_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	threatRow  = regexp.MustCompile(`(?m)^\| \d+ \|.*$`)
	namedTest  = regexp.MustCompile("`([^`]+)`")
	goTestName = regexp.MustCompile(`^(?:(.+)\.)?((?:Test|Fuzz)\w+)$`)
)

// TestThreatsHaveTests holds the threat model to tests that exist.
func TestThreatsHaveTests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/security/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := threatRow.FindAllString(string(text), -1)
	if len(rows) < 25 {
		t.Fatalf("found %d threats, the guard looks at nothing", len(rows))
	}
	for _, row := range rows {
		cells := strings.Split(strings.Trim(row, "| "), "|")
		named := namedTest.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 4 || len(named) == 0 {
			t.Errorf("%s: names no test", row)
		}
		for _, one := range named {
			if !testExists(t, one[1]) {
				t.Errorf("there is no test %s, which the threat model names", one[1])
			}
		}
	}
	if testExists(t, "internal/api.TestThatIsNotThere") || testExists(t, "ui/none.test.ts") {
		t.Error("the guard finds what is not there")
	}
}

// testExists looks for a test of Go by folder and name, or for a file.
func testExists(t *testing.T, name string) bool {
	t.Helper()
	parts := goTestName.FindStringSubmatch(name)
	if parts == nil {
		_, err := os.Stat(name)
		return err == nil
	}
	files, err := filepath.Glob(filepath.Join(".", parts[1], "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+parts[2]+"(") {
			return true
		}
	}
	return false
}
