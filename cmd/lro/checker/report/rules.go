package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
)

// List writes one line for each rule, grouped by topic.
func List(w io.Writer, rules []*rule.Rule) error {
	width := 0
	for _, one := range rules {
		width = max(width, len(one.ID))
	}
	var b bytes.Buffer
	for i, one := range rules {
		isFirst := i == 0 || rules[i-1].Topic != one.Topic
		if isFirst {
			fmt.Fprintf(&b, "%s\n", one.Topic)
		}
		fmt.Fprintf(&b, "  %-*s  %-7s  %s\n", width, one.ID, one.Severity, one.Title)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Explain writes everything that a Rule says, for people.
func Explain(w io.Writer, one *rule.Rule) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s (%s, %s)\n\n%s\n\n", one.ID, one.Severity, one.Topic, one.Title)
	fmt.Fprintf(&b, "Specification: %q\n  %s, %s\n\n", one.Source.Quote, one.Source.Document, one.Source.Section)
	fmt.Fprintf(&b, "If a service breaks it: %s\n\n", one.Client)
	fmt.Fprintf(&b, "Example of a deviation:\n  %s\n", strings.ReplaceAll(one.Example, "\n", "\n  "))
	if one.Probe != "" {
		fmt.Fprintf(&b, "\nThe rule needs --probe, because it sends a request that the service has to refuse (%s).\n", one.Probe)
	}
	if len(one.Quirks) > 0 {
		fmt.Fprintf(&b, "\nQuirks that break it (docs/quirks.md): %s\n", strings.Join(one.Quirks, ", "))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// A Group holds the rules of one specification, for Page.
type Group struct {
	Title string
	Rules []*rule.Rule
}

// Page returns the page docs/check-rules.md, in Markdown.
func Page(groups ...Group) string {
	var b strings.Builder
	b.WriteString("# The rules of lro check\n\n")
	b.WriteString("`lro check` holds a service to these rules; [check.md](check.md) shows how. A test compares this page with the code.\n\n")
	b.WriteString("- **must**: the specification demands it, or clients rely on it.\n")
	b.WriteString("- **should**: the specification recommends it, or only some clients rely on it.\n")
	b.WriteString("- **unusual**: it is allowed or unspecified, but rare, so that clients may not expect it.\n")
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n", g.Title)
		for i, one := range g.Rules {
			isFirst := i == 0 || g.Rules[i-1].Topic != one.Topic
			if isFirst {
				fmt.Fprintf(&b, "\n### %s\n", one.Topic)
			}
			writeEntry(&b, one)
		}
	}
	return b.String()
}

// writeEntry writes the entry of one rule on the page.
func writeEntry(b *strings.Builder, one *rule.Rule) {
	fmt.Fprintf(b, "\n#### %s\n\n**%s**: %s\n\n", one.ID, one.Severity, one.Title)
	fmt.Fprintf(b, "> %s\n>\n> %s, %s\n\n%s\n", one.Source.Quote, one.Source.Document, one.Source.Section, one.Client)
	if one.Probe != "" {
		b.WriteString("The rule needs `--probe`.\n")
	}
	fmt.Fprintf(b, "\n```\n%s\n```\n", one.Example)
	if len(one.Quirks) > 0 {
		fmt.Fprintf(b, "\n[Quirks](quirks.md): %s\n", strings.Join(one.Quirks, ", "))
	}
}
