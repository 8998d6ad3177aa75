package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
)

// List writes one line per rule, grouped by topic.
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

// Explain writes a rule as text: its title, source, consequence, example, probe and quirks.
func Explain(w io.Writer, one *rule.Rule) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s (%s, %s)\n\n%s\n\n", one.ID, one.Severity, one.Topic, one.Title)
	fmt.Fprintf(&b, "Specification: %q\n  %s, %s\n\n", one.Source.Quote, one.Source.Document, one.Source.Section)
	fmt.Fprintf(&b, "Consequence of a violation: %s\n\n", one.Client)
	fmt.Fprintf(&b, "Example of a violation:\n  %s\n", strings.ReplaceAll(one.Example, "\n", "\n  "))
	if one.Probe != "" {
		fmt.Fprintf(&b, "\nlro check examines the rule only with --probe, which sends an invalid request (%s).\n", one.Probe)
	}
	if len(one.Quirks) > 0 {
		fmt.Fprintf(&b, "\nQuirks that break the rule (docs/quirks.md): %s\n", strings.Join(one.Quirks, ", "))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// A Group is a section of the page that Page returns, with the rules of one specification.
type Group struct {
	Title string
	Rules []*rule.Rule
}

// Page returns the Markdown of docs/check-rules.md, except for the table of quirks at the end.
func Page(groups ...Group) string {
	var b strings.Builder
	b.WriteString("# The rules of lro check\n\n")
	b.WriteString("This page lists the rules that [`lro check`](check.md) tests. It is generated from the code.\n\n")
	b.WriteString("Each entry starts with the rule, which says what a correct service does. It then quotes the specification, says what happens to a client\n")
	b.WriteString("if the service breaks the rule, and shows a violation. Some entries also list [quirks](quirks.md) that break the rule.\n\n")
	b.WriteString("Each rule has one of three severities:\n\n")
	b.WriteString("- **must**: the specification demands this, or clients rely on it.\n")
	b.WriteString("- **should**: the specification recommends this, or only some clients rely on it.\n")
	b.WriteString("- **unusual**: breaking the rule is allowed or unspecified, but so rare that some clients do not expect it.\n\n")
	b.WriteString("A status is *terminal* if it means that the operation has ended: Succeeded, Failed or Canceled. For Azure Resource Manager, the *status URL*\n")
	b.WriteString("is the URL in the Azure-AsyncOperation or Operation-Location header, and returns a *status document*. The *Location URL* is the URL in the\n")
	b.WriteString("header Location, and returns the result when the operation has ended. For IBM Cloud, an *operation resource* contains the status of\n")
	b.WriteString("an operation.\n")
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

func writeEntry(b *strings.Builder, one *rule.Rule) {
	fmt.Fprintf(b, "\n#### %s\n\n**%s**: %s\n\n", one.ID, one.Severity, one.Title)
	fmt.Fprintf(b, "> %s\n>\n> %s, %s\n\n", one.Source.Quote, one.Source.Document, one.Source.Section)
	fmt.Fprintf(b, "Consequence: %s\n\nExample of a violation:\n\n```\n%s\n```\n", one.Client, one.Example)
	if one.Probe != "" {
		b.WriteString("\n`lro check` checks this rule only with `--probe`, because the test sends an invalid request.\n")
	}
	if len(one.Quirks) > 0 {
		fmt.Fprintf(b, "\nQuirks that break the rule: %s\n", strings.Join(one.Quirks, ", "))
	}
}
