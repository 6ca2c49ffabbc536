package app

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/sondehq/sonde/internal/selfobs"
)

// manCommand prints the manual page, made of the same texts as --help.
type manCommand struct{}

// Help tells how to read it.
func (manCommand) Help() string {
	return "Read it with: sonde man | man -l -; install it with: sonde man > /usr/local/share/man/man1/sonde.1"
}

// Run prints the page.
func (manCommand) Run(std streams, program *kong.Kong) error {
	_, err := std.out.Write(manPage(program.Model))
	return err
}

// page is a manual page in the making.
type page struct{ bytes.Buffer }

// manPage is the manual of all commands with their flags.
func manPage(program *kong.Application) []byte {
	var p page
	fmt.Fprintf(&p, ".TH SONDE 1 \"\" \"sonde %s\" \"User Commands\"\n", roff(selfobs.Version))
	p.section("NAME")
	p.text("sonde - " + strings.TrimSuffix(firstLine(program.Help), "."))
	p.section("SYNOPSIS")
	fmt.Fprintf(&p, ".B sonde\n.I command\n[flags]\n")
	p.section("DESCRIPTION")
	for paragraph := range strings.SplitSeq(program.Help, "\n\n") {
		fmt.Fprintln(&p, ".PP")
		p.text(strings.ReplaceAll(paragraph, "\n", " "))
	}
	p.section("COMMANDS")
	p.commands(program.Node)
	p.section("FLAGS OF ALL COMMANDS")
	p.flags(program.Flags)
	p.section("EXIT STATUS")
	p.text("0 when all went well, 1 when not. Commands that compare (experiments diff, import) end with 1 when there is a difference and with 2 when they could not tell.")
	p.section("SEE ALSO")
	p.text("The pages for operators in docs/operate, and the reference of the API at /api/docs of a running server.")
	return p.Bytes()
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func (p *page) section(name string) { fmt.Fprintf(p, ".SH %s\n", name) }

// text is one paragraph.
func (p *page) text(text string) { fmt.Fprintln(p, roff(text)) }

// commands describes what is below a command.
func (p *page) commands(node *kong.Node) {
	for _, child := range node.Children {
		if child.Hidden {
			continue
		}
		if len(child.Children) > 0 {
			p.commands(child)
			continue
		}
		fmt.Fprintf(p, ".SS %s\n", roff(strings.TrimPrefix(child.FullPath(), "sonde ")))
		p.text(child.Help)
		if child.Detail != "" {
			fmt.Fprintln(p, ".PP")
			p.text(child.Detail)
		}
		for _, positional := range child.Positional {
			fmt.Fprintf(p, ".TP\n.I %s\n", roff(positional.Name))
			p.text(positional.Help)
		}
		p.flags(child.Flags)
	}
}

func (p *page) flags(flags []*kong.Flag) {
	for _, flag := range flags {
		if flag.Hidden {
			continue
		}
		name := "--" + flag.Name
		if flag.Short != 0 {
			name = "-" + string(flag.Short) + ", " + name
		}
		if !flag.IsBool() {
			name += "=" + flag.FormatPlaceHolder()
		}
		fmt.Fprintf(p, ".TP\n.B %s\n", roff(name))
		help := flag.Help
		if len(flag.Envs) > 0 {
			help += " Environment: " + strings.Join(flag.Envs, ", ") + "."
		}
		p.text(strings.TrimSpace(help))
	}
}

// roff is text that means itself in a manual page, in ASCII.
func roff(text string) string {
	var b strings.Builder
	for _, r := range strings.TrimSpace(text) {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\n':
			b.WriteByte(' ')
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	if text := b.String(); strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return b.String()
}
