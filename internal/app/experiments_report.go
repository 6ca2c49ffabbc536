package app

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// diffReport is what the server says of two experiments.
type diffReport struct {
	Experiments []diffExperiment
	Figures     []diffFigure
	regressions struct {
		Data []diffItem
		Meta struct{ TotalItems int }
	}
	verdicts []verdict
}

type diffExperiment struct {
	ID, Name  string
	ItemCount int
}

// diffFigure is a figure with what the baseline, and then the candidate, say of it, if they do.
type diffFigure struct {
	Kind, Name, DataType string
	Experiments          []diffSide
}

type diffSide struct {
	Mean   *float64
	Change *struct {
		Paired, Improved, Regressed, Changed, Same int
		Delta, PValue                              *float64
		Interval                                   *struct{ Low, High float64 }
		Summary                                    string
	}
}

// candidate is the side that has a change; nil: it does not have the figure.
func (f diffFigure) candidate() *diffSide { return f.side(true) }

func (f diffFigure) side(changed bool) *diffSide {
	for i := range f.Experiments {
		if (f.Experiments[i].Change != nil) == changed {
			return &f.Experiments[i]
		}
	}
	return nil
}

type diffItem struct {
	ItemID string
	Runs   []struct {
		TraceID string
		Figures []struct {
			Kind, Name, Change string
			Delta              *float64
		}
	}
}

// worse lists the scores of an item that regressed, such as "accuracy -0.500".
func (i diffItem) worse() string {
	var list []string
	for _, run := range i.Runs {
		for _, f := range run.Figures {
			if f.Kind == "score" && f.Change == "regressed" {
				list = append(list, f.Name+" "+signed(f.Delta))
			}
		}
	}
	return strings.Join(list, ", ")
}

func (r *diffReport) failed() []string {
	var list []string
	for _, v := range r.verdicts {
		if v.failed {
			list = append(list, v.rule.text+": "+v.summary)
		}
	}
	return list
}

// rows are the figures as cells: name, both means, delta, interval, p, pairs, better, worse, same.
func (r *diffReport) rows() [][]string {
	rows := [][]string{{"FIGURE", "BASELINE", "CANDIDATE", "DELTA", "95 % CI", "P", "PAIRS", "BETTER", "WORSE", "SAME"}}
	for _, f := range r.Figures {
		row := []string{f.Name, "-", "-", "-", "-", "-", "0", "0", "0", "0"}
		if base := f.side(false); base != nil {
			row[1] = number(base.Mean)
		}
		if side := f.candidate(); side != nil {
			c := side.Change
			row[2], row[3], row[6], row[9] = number(side.Mean), signed(c.Delta), strconv.Itoa(c.Paired), strconv.Itoa(c.Same)
			row[7], row[8] = strconv.Itoa(c.Improved), strconv.Itoa(c.Regressed)
			if f.DataType == "CATEGORICAL" {
				row[7], row[8] = "-", "-"
			}
			if c.Interval != nil {
				row[4] = signed(&c.Interval.Low) + " to " + signed(&c.Interval.High)
			}
			if c.PValue != nil {
				row[5] = fmt.Sprintf("%.3f", *c.PValue)
				if *c.PValue < 0.001 {
					row[5] = "<0.001"
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// number writes three digits, or three places behind the point; a gap is not zero.
func number(v *float64) string {
	if v == nil {
		return "-"
	}
	if *v != 0 && math.Abs(*v) < 0.01 {
		return strconv.FormatFloat(*v, 'g', 3, 64)
	}
	return strconv.FormatFloat(*v, 'f', 3, 64)
}

func signed(v *float64) string {
	text := number(v)
	if v != nil && *v > 0 {
		return "+" + text
	}
	return text
}

// text prints the report for a terminal.
func (r *diffReport) text(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for i, role := range []string{"Baseline", "Candidate"} {
		x := r.Experiments[i]
		fmt.Fprintf(table, "%s\t%s (%s, %d items)\n", role, x.Name, x.ID, x.ItemCount)
	}
	fmt.Fprintln(table)
	for _, row := range r.rows() {
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var b strings.Builder
	r.each(&b, "\n", "  %-40s %s\n", func(failed bool) string { return map[bool]string{true: "FAIL  ", false: "ok    "}[failed] })
	_, err := io.WriteString(out, b.String())
	return err
}

// markdown prints the report for a comment.
func (r *diffReport) markdown(out io.Writer) error {
	var b strings.Builder
	base, candidate := r.Experiments[0], r.Experiments[1]
	fmt.Fprintf(&b, "### %s compared with %s\n\n%d items, baseline %d items\n\n", inMarkdown(candidate.Name), inMarkdown(base.Name), candidate.ItemCount, base.ItemCount)
	for i, row := range r.rows() {
		for j := range row {
			row[j] = inMarkdown(row[j])
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|%s\n", " --- |"+strings.Repeat(" ---: |", len(row)-1))
		}
	}
	r.each(&b, "\n", "- %s: %s\n", func(failed bool) string { return map[bool]string{true: "- ❌ ", false: "- ✅ "}[failed] })
	_, err := io.WriteString(out, b.String())
	return err
}

// each writes verdicts and regressed items as lines.
func (r *diffReport) each(b *strings.Builder, before, item string, mark func(failed bool) string) {
	if len(r.verdicts) > 0 {
		b.WriteString(before)
	}
	for _, v := range r.verdicts {
		fmt.Fprintf(b, "%s%s: %s\n", mark(v.failed), v.rule.text, v.summary)
	}
	total := r.regressions.Meta.TotalItems
	if total == 0 {
		return
	}
	fmt.Fprintf(b, "%sRegressed items: %d", before, total)
	if shown := len(r.regressions.Data); shown > 0 && shown < total {
		fmt.Fprintf(b, ", the worst %d:", shown)
	}
	b.WriteString("\n" + before)
	for _, i := range r.regressions.Data {
		fmt.Fprintf(b, item, i.ItemID, i.worse())
	}
}

// inMarkdown keeps a text from being Markdown.
func inMarkdown(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;", "*", "\\*", "`", "\\`", "[", "\\[").Replace(text)
}
