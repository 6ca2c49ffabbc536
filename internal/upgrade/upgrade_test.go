package upgrade_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/upgrade"
)

func TestOlder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"0.3.0", "0.4.0", true},
		{"0.4.0", "0.4.0", false},
		{"0.9.0", "0.10.0", true},
		{"1.0.0", "0.10.0", false},
		{"v0.3.0", "0.3.1-rc1", true},
		{"dev", "0.4.0", false},
		{"0.4.0", "dev", true},
		{"dev", "dev", false},
		{"26.7.3.1", "26.8", true},
		{"0.3.0", "", false},
	} {
		if got := upgrade.Older(c.a, c.b); got != c.want {
			t.Errorf("Older(%q, %q) = %v", c.a, c.b, got)
		}
	}
	if got := upgrade.Newest("", "0.3.0", "0.10.0", "0.4.0"); got != "0.10.0" {
		t.Errorf("Newest = %q", got)
	}
}

func TestAdmit(t *testing.T) {
	t.Parallel()
	mark := upgrade.Mark{WrittenBy: "0.6.0", Oldest: "0.5.0"}
	for _, version := range []string{"0.5.0", "0.6.1", "dev"} {
		if err := mark.Admit("the metadata", version); err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
	err := mark.Admit("the metadata", "0.4.2")
	for _, want := range []string{"the metadata", "0.6.0", "before 0.5.0", "this is 0.4.2", "backup"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Admit = %v, without %q", err, want)
		}
	}
	if err := (upgrade.Mark{WrittenBy: "9.9.9"}).Admit("it", "0.1.0"); err != nil {
		t.Errorf("nothing contracted: %v", err)
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	got := upgrade.Describe("00030_x", "-- contract: 0.5.0\nCREATE TABLE made (id TEXT);\nALTER TABLE made ADD COLUMN a TEXT;\nALTER TABLE users DROP COLUMN b;\nUPDATE projects SET a = 1;\nALTER TABLE users ADD COLUMN c TEXT;\n")
	if diff := cmp.Diff(upgrade.Step{Name: "00030_x", Kind: upgrade.Contract, Oldest: "0.5.0", Tables: []string{"users", "projects"}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	released := func(version string) bool { return version == "0.4.0" }
	for text, want := range map[string]string{
		"CREATE TABLE a (b TEXT NOT NULL);\nCREATE UNIQUE INDEX c ON a (b);":   "",
		"ALTER TABLE a ADD COLUMN b TEXT;":                                     "",
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL DEFAULT '';":                 "",
		"-- DROP TABLE is only spoken of\nCREATE INDEX c ON a (b);":            "",
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL;":                            "do not fill",
		"ALTER TABLE a DROP COLUMN b;":                                         "drops",
		"DROP TABLE a;":                                                        "drops",
		"ALTER TABLE a RENAME COLUMN b TO c;":                                  "renames",
		"ALTER TABLE a ALTER COLUMN b TYPE BIGINT;":                            "type",
		"ALTER TABLE a MODIFY COLUMN b UInt64;":                                "type",
		"ALTER TABLE a ALTER COLUMN b SET NOT NULL;":                           "forbids null",
		"CREATE UNIQUE INDEX c ON a (b);":                                      "unique",
		"ALTER TABLE a ADD CONSTRAINT c CHECK (b > 0);":                        "rule",
		"-- contract: 0.4.0\nALTER TABLE a DROP COLUMN b;":                     "",
		"-- contract: 0.5.0\nALTER TABLE a DROP COLUMN b;":                     "not released",
		"-- contract: soon\nALTER TABLE a DROP COLUMN b;":                      "not released",
		"ALTER TABLE a ADD COLUMN b TEXT;\nALTER TABLE a\n  DROP\nCOLUMN c;\n": "drops",
	} {
		got := strings.Join(upgrade.Check(text, released), "; ")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
