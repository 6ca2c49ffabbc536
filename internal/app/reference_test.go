package app

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/testkit"
)

// The pages of commands and settings in docs/reference are written from the command line itself.
func TestReferencePages(t *testing.T) {
	t.Parallel()
	var cli commandLine
	parser, err := kong.New(&cli, kong.Name("sonde"), kong.Writers(io.Discard, io.Discard),
		kong.Configuration(config.FromYAML), kong.Vars{"readClasses": "the classes that `sonde bench read` prints"})
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]bool{}
	var serve *kong.Node
	for _, leaf := range parser.Model.Leaves(true) {
		if leaf.FullPath() == "sonde serve" {
			serve = leaf
			for _, flag := range leaf.Flags {
				settings[flag.Name] = true
			}
		}
	}
	if serve == nil {
		t.Fatal("there is no command serve")
	}
	testkit.Golden(t, "../../docs/reference/configuration.md", configurationPage(serve))
	testkit.Golden(t, "../../docs/reference/cli.md", commandsPage(parser.Model.Leaves(true), settings))
}

var headings = strings.NewReplacer("general", "General", "logging", "Logging", "eventlog", "Log", "engine", "Engine", "metadata", "Metadata",
	"reads", "Reads", "ingest", "Ingest", "api", "API", "media", "Media", "blob-s3", "Blobs in S3", "export", "Exports", "evaluation", "Evaluation",
	"init", "First start", "retention", "Retention", "tls", "TLS", "oidc", "OIDC", "smtp", "SMTP", "outbound", "Outbound")

const generatedNote = "<!-- Written by `make golden` from the code; edits are lost. -->\n"

func configurationPage(serve *kong.Node) []byte {
	var page bytes.Buffer
	page.WriteString("# Configuration\n\n" + generatedNote + `
Every setting of ` + "`sonde serve`" + ` is a flag, an environment variable and a key of a YAML file that ` + "`--config`" + ` names: ` + "`--eventlog-keep 4h`" + ` is
` + "`SONDE_EVENTLOG_KEEP=4h`" + ` and ` + "`eventlog: {keep: 4h}`" + `. Flags win over the environment, the environment over the file. A key that no setting has
is refused. ` + "`sonde doctor`" + ` looks at all of them without starting. What to set for what is in [Operate](../operate/README.md#configure).
`)
	group := ""
	for _, flag := range serve.Flags {
		if flag.Name == "help" || flag.Name == "config" || flag.Hidden {
			continue
		}
		if next := section(flag); next != group {
			group = next
			fmt.Fprintf(&page, "\n## %s\n\n| Flag | Default | |\n|---|---|---|\n", headings.Replace(group))
		}
		name := "--" + flag.Name
		if flag.Tag.Negatable != "" {
			name = "--[no-]" + flag.Name
		}
		fmt.Fprintf(&page, "| `%s` | %s | %s `%s` |\n", name, code(flag.Default), cell(flag.Help), strings.Join(flag.Envs, " "))
	}
	return page.Bytes()
}

// section is what a setting is about, by the first word of its name where several have it in common.
func section(flag *kong.Flag) string {
	for _, name := range []string{
		"logging", "eventlog", "engine", "metadata", "reads", "ingest", "api", "media", "blob-s3", "export", "evaluation",
		"init", "retention", "tls", "oidc", "smtp", "outbound",
	} {
		if strings.HasPrefix(flag.Name, name+"-") {
			return name
		}
	}
	return "general"
}

func commandsPage(commands []*kong.Node, settings map[string]bool) []byte {
	var page bytes.Buffer
	page.WriteString("# Commands\n\n" + generatedNote + "\nOne program does all. `sonde COMMAND --help` says the same in a terminal.\n")
	for _, command := range commands {
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\n```\nsonde %s\n```\n", command.FullPath(), sentence(command.Help), command.Summary())
		for _, argument := range command.Positional {
			fmt.Fprintf(&page, "\n`%s`: %s\n", argument.Summary(), sentence(argument.Help))
		}
		var rows bytes.Buffer
		shared := 0
		for _, flags := range command.AllFlags(true) {
			for _, flag := range flags {
				switch {
				case flag.Name == "help" || flag.Name == "config":
				case settings[flag.Name]:
					shared++
				default:
					fmt.Fprintf(&rows, "| `--%s` | %s | %s |\n", flag.Name, code(flag.Default), cell(flag.Help))
				}
			}
		}
		if rows.Len() > 0 {
			page.WriteString("\n| Flag | Default | |\n|---|---|---|\n" + rows.String())
		}
		if shared > 0 {
			page.WriteString("\nIt takes settings of the server, too, such as `--data-dir`: [configuration](configuration.md).\n")
		}
	}
	return page.Bytes()
}

func sentence(help string) string { return strings.TrimSpace(help) }

var docsPath = regexp.MustCompile(`docs/([a-z-]+/[a-z-]+\.md)`)

// cell is a text in a table, with links to the pages that it names.
func cell(help string) string {
	return docsPath.ReplaceAllString(strings.ReplaceAll(sentence(help), "|", `\|`), "[$1](../$1)")
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
