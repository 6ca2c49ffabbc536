package app

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCommand prints what a shell loads to complete our commands.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Help tells where the text goes.
func (*completionCommand) Help() string {
	return "For bash: sonde completion bash > /etc/bash_completion.d/sonde; for zsh: sonde completion zsh > \"${fpath[1]}/_sonde\"; " +
		"for fish: sonde completion fish > ~/.config/fish/completions/sonde.fish. The text asks the program itself, so it need not be made again for a newer version."
}

//go:embed completion
var completionTexts embed.FS

// Run prints the text for a shell.
func (c *completionCommand) Run(std streams) error {
	text, err := completionTexts.ReadFile("completion/sonde." + c.Shell)
	if err != nil {
		return fmt.Errorf("find the completion of %s: %w", c.Shell, err)
	}
	_, err = std.out.Write(text)
	return err
}

// completeWord is the first argument of a shell that asks what a command line can go on with. The words so far follow, the one that
// is being written last.
const completeWord = "__complete"

// complete prints what the last word can become, each with a tab and what it means. Nothing: a file, or whatever people like.
func complete(w io.Writer, program *kong.Application, words []string) {
	words = joined(words)
	if len(words) == 0 {
		return
	}
	node, value := program.Node, (*kong.Flag)(nil)
	for _, word := range words[:len(words)-1] {
		node, value = after(node, value, word)
	}
	last := words[len(words)-1]
	offer := func(word, help string) {
		if strings.HasPrefix(word, last) {
			fmt.Fprintf(w, "%s\t%s\n", word, firstSentence(help))
		}
	}
	name, _, given := strings.Cut(last, "=")
	switch {
	case value != nil:
		for _, choice := range choices(value.Value) {
			offer(choice, "")
		}
	case given && strings.HasPrefix(name, "--"):
		if flag := findFlag(node, name); flag != nil {
			for _, choice := range choices(flag.Value) {
				offer(name+"="+choice, "")
			}
		}
	case strings.HasPrefix(last, "-"):
		for _, flag := range flagsOf(node) {
			offer("--"+flag.Name, flag.Help)
		}
	default:
		for _, child := range node.Children {
			if !child.Hidden {
				offer(child.Name, child.Help)
			}
		}
		for _, positional := range node.Positional {
			for _, choice := range choices(positional) {
				offer(choice, "")
			}
		}
	}
}

// joined puts words together that bash takes apart at an equals sign.
func joined(words []string) []string {
	var whole []string
	for _, word := range words {
		if n := len(whole); n > 0 && (word == "=" || strings.HasSuffix(whole[n-1], "=")) && strings.HasPrefix(whole[n-1], "--") {
			whole[n-1] += word
			continue
		}
		whole = append(whole, word)
	}
	return whole
}

// after is where a command line is behind a word: in a command, maybe before the value of a flag.
func after(node *kong.Node, value *kong.Flag, word string) (*kong.Node, *kong.Flag) {
	if value != nil {
		return node, nil
	}
	if strings.HasPrefix(word, "-") {
		if flag := findFlag(node, word); flag != nil && !flag.IsBool() {
			return node, flag
		}
		return node, nil
	}
	for _, child := range node.Children {
		if child.Name == word {
			return child, nil
		}
	}
	return node, nil
}

func findFlag(node *kong.Node, word string) *kong.Flag {
	for _, flag := range flagsOf(node) {
		if word == "--"+flag.Name || flag.Short != 0 && word == "-"+string(flag.Short) {
			return flag
		}
	}
	return nil
}

// flagsOf are the flags that a command has, those of the commands above it included.
func flagsOf(node *kong.Node) (flags []*kong.Flag) {
	for _, group := range node.AllFlags(true) {
		flags = append(flags, group...)
	}
	slices.SortFunc(flags, func(a, b *kong.Flag) int { return strings.Compare(a.Name, b.Name) })
	return flags
}

// choices are the values of a flag or argument that has few.
func choices(v *kong.Value) []string {
	var list []string
	for _, choice := range v.EnumSlice() {
		if choice != "" {
			list = append(list, choice)
		}
	}
	return list
}

// firstSentence is enough of a help text for a list.
func firstSentence(help string) string {
	help, _, _ = strings.Cut(help, "\n")
	for _, end := range []string{". ", "; ", ": "} {
		help, _, _ = strings.Cut(help, end)
	}
	return strings.TrimSuffix(help, ".")
}
