package rules_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/checker/report"
	"github.com/lro-go/lro/cmd/lro/checker/rules"
	"github.com/lro-go/lro/fakes/quirks"
)

var update = flag.Bool("update", false, "write docs/check-rules.md")

// TestPage compares docs/check-rules.md with the page that the code generates. Run it with -update to
// write the page.
func TestPage(t *testing.T) {
	const page = "../../../../docs/check-rules.md"
	text := report.Page(
		report.Group{Title: "Azure Resource Manager (arm)", Rules: rules.For(rules.ARM)},
		report.Group{Title: "IBM Cloud, operation resources (ibm-operation)", Rules: rules.For(rules.IBMOperation)},
		report.Group{Title: "IBM Cloud, resources with a status (ibm-resource)", Rules: rules.For(rules.IBMResource)},
	) + quirkTable()
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(text), 0o644))
	}
	b, err := os.ReadFile(page)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("docs/check-rules.md is not part of this module:", err)
	}
	require.NoError(t, err)
	require.Equal(t, text, string(b), "run go test ./checker/rules -run TestPage -update")
}

// quirkTable returns a table of the rules of Azure Resource Manager that each quirk breaks.
// TestQuirks and TestQuirksOfRules in package checker check the contents.
func quirkTable() string {
	var b strings.Builder
	b.WriteString("\n## Quirks\n\nThis table lists the rules of Azure Resource Manager that a service breaks if it has one of the [quirks](quirks.md). If the table\n")
	b.WriteString("names no rule for a quirk, either the specification allows the quirk, or a check cannot see it.\n\n| Quirk | Rules |\n|---|---|\n")
	for _, q := range quirks.All() {
		var broken []string
		for _, r := range rules.For(rules.ARM) {
			if slices.Contains(r.Quirks, string(q)) {
				broken = append(broken, fmt.Sprintf("[%s](#%s)", r.ID, r.ID))
			}
		}
		fmt.Fprintf(&b, "| %s | %s |\n", q, strings.Join(broken, ", "))
	}
	return b.String()
}
