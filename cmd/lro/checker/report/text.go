package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
)

// severities lists the severities, most serious first.
var severities = []rule.Severity{rule.Must, rule.Should, rule.Unusual}

// WriteText writes the report as text: the findings, grouped by rule, and then a summary.
func WriteText(w io.Writer, r *Report) error {
	var b bytes.Buffer
	for i, f := range r.Findings {
		isFirst := i == 0 || r.Findings[i-1].Rule != f.Rule
		if isFirst {
			writeBroken(&b, f.Rule)
		}
		writeFinding(&b, &f)
	}
	writeSummary(&b, r)
	_, err := w.Write(b.Bytes())
	return err
}

// writeBroken writes the paragraph above a rule's findings.
func writeBroken(b *bytes.Buffer, one *rule.Rule) {
	fmt.Fprintf(b, "%s  %s: %s\n", strings.ToUpper(string(one.Severity)), one.ID, one.Title)
	fmt.Fprintf(b, "      %q (%s, %s)\n", one.Source.Quote, one.Source.Document, one.Source.Section)
	fmt.Fprintf(b, "      %s\n\n", one.Client)
}

// writeFinding writes a finding and the exchange that proves it.
func writeFinding(b *bytes.Buffer, f *rule.Finding) {
	fmt.Fprintf(b, "  %s: %s%s\n", operationName(f.Operation), clean(f.Text), times(f))
	e := evidenceOf(f.Exchange)
	for i, line := range e.Request {
		mark := ""
		if i == 0 {
			mark = fmt.Sprintf("%d. ", e.Number)
		}
		writeEvidence(b, mark+line)
	}
	for _, line := range e.Response {
		writeEvidence(b, line)
	}
	b.WriteByte('\n')
}

func writeEvidence(b *bytes.Buffer, line string) {
	b.WriteString(strings.TrimRight("    | "+line, " "))
	b.WriteByte('\n')
}

// writeSummary writes the operations, the resources that were not deleted, and the numbers of rules
// and findings.
func writeSummary(b *bytes.Buffer, r *Report) {
	for _, op := range r.Operations {
		took := tookOf(op).Round(time.Millisecond)
		fmt.Fprintf(b, "%s: %s, %s in %s\n", operationName(op), endOf(op), counted(len(op.Exchanges), "request"), took)
		if why := incompleteReason(op); why != "" {
			fmt.Fprintf(b, "  The check is incomplete: %s.\n", why)
		}
	}
	for _, left := range r.Left {
		fmt.Fprintf(b, "Not deleted: %s\n", cleanURL(left))
	}

	broken := len(r.Broken())
	passed := 0
	for _, one := range r.Rules {
		if r.Examined[one.ID] > 0 {
			passed++
		}
	}
	passed -= broken
	unseen := len(r.Rules) - passed - broken
	fmt.Fprintf(b, "%s of %s: %d passed, %d broken, %d not examined\n", counted(len(r.Rules), "rule"), r.Spec, passed, broken, unseen)
	var counts []string
	for _, s := range severities {
		counts = append(counts, fmt.Sprintf("%s: %d", s, r.Count(s)))
	}
	fmt.Fprintf(b, "findings: %s\n", strings.Join(counts, ", "))
}

// counted returns n and the noun, in the plural unless n is 1.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
