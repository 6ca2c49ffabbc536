package app

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

func commandModel(t *testing.T) *kong.Application {
	t.Helper()
	parser, err := newParser(io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model
}

func TestComplete(t *testing.T) {
	t.Parallel()
	program := commandModel(t)
	for line, want := range map[string][]string{
		"ser":                              {"serve"},
		"engi":                             {"engine"},
		"import ":                          {"langfuse"},
		"import langfuse --from-":          {"--from-public-key", "--from-secret-key"},
		"import langfuse --from x --to ":   nil,
		"import langfuse --verify ":        {"off", "sample", "all"},
		"import langfuse --verify = s":     {"--verify=sample"},
		"import langfuse --verify=a":       {"--verify=all"},
		"import langfuse --dry-run --unti": {"--until"},
		"completion ":                      {"bash", "zsh", "fish"},
		"bench im":                         {"import"},
		"--conf":                           {"--config"},
		"serve --role ing":                 {"ingest"},
		"nonsense --x y":                   nil,
	} {
		var out bytes.Buffer
		complete(&out, program, strings.Split(line, " "))
		var got []string
		for word := range strings.Lines(out.String()) {
			name, _, tabbed := strings.Cut(word, "\t")
			if !tabbed {
				t.Errorf("%q: no tab in %q", line, word)
			}
			got = append(got, name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
	complete(io.Discard, program, nil)
}

// The manual has every command and every flag that is not hidden, in ASCII, and no line that is taken for a request by mistake.
func TestManPage(t *testing.T) {
	t.Parallel()
	program := commandModel(t)
	text := string(manPage(program))
	var look func(*kong.Node)
	look = func(node *kong.Node) {
		for _, child := range node.Children {
			if child.Hidden {
				continue
			}
			look(child)
			if len(child.Children) == 0 && !strings.Contains(text, ".SS "+roff(strings.TrimPrefix(child.FullPath(), "sonde "))+"\n") {
				t.Errorf("%s is missing", child.FullPath())
			}
			for _, flag := range child.Flags {
				if name := roff("--" + flag.Name); !flag.Hidden && !strings.Contains(text, name) {
					t.Errorf("%s is missing", name)
				}
			}
		}
	}
	look(program.Node)
	for line := range strings.Lines(text) {
		if strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
			t.Errorf("not ASCII: %q", line)
		}
		if name, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(name, ".") && !strings.Contains(" .TH .SH .SS .PP .TP .B .I ", " "+name+" ") {
			t.Errorf("%q is a request that nobody meant", line)
		}
	}
	if got := roff(`.x \ a-b…`); got != `\&.x \e a\-b\[u2026]` {
		t.Errorf("roff: %s", got)
	}
}
