package poller_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes/quirks"
)

// The table in docs/quirks.md lists every quirk of package quirks, and exactly the remedies that
// tests try.
func TestQuirkTable(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range slices.Concat(
		quirksOfBeginnings, quirksOfMissingData, quirksOfStatuses, quirksOfEndings, quirksOfLostStatuses, quirksOfReplicas, quirksOfRefusals,
		quirksOfEarlySuccess, quirksOfErrors, quirksOfTheWire, quirksOfWords, []quirkCase{nameStillTaken},
	) {
		if c.option != "" {
			tested[string(c.quirk)+" | "+c.option] = true
		}
	}
	remedies, documented := documentedQuirks(t)
	require.Equal(t, tested, remedies)
	for _, q := range quirks.All() {
		require.Contains(t, documented, string(q), "docs/quirks.md must have a row for this quirk")
	}
	require.Len(t, documented, len(quirks.All()))
}

// requireTranscripts requires that each transcript in the table of recorded services exists. In the
// table, a name with a leading hyphen stands for the first name in its cell with that suffix.
func requireTranscripts(t *testing.T, table string) {
	t.Helper()
	rows := regexp.MustCompile("(?m)^\\| (`[^|]*) \\|").FindAllStringSubmatch(table, -1)
	require.NotEmpty(t, rows)
	for _, row := range rows {
		names := strings.Split(strings.ReplaceAll(row[1], "`", ""), ", ")
		for _, name := range names {
			if strings.HasPrefix(name, "-") {
				name = names[0] + name
			}
			require.FileExists(t, "testdata/"+name+".http")
		}
	}
}

// documentedQuirks returns the remedies and quirks in the table, without Markdown's backquotes.
func documentedQuirks(t *testing.T) (remedies, documented map[string]bool) {
	t.Helper()
	text, err := os.ReadFile("../docs/quirks.md")
	require.NoError(t, err)
	remedies, documented = map[string]bool{}, map[string]bool{}
	_, table, found := strings.Cut(string(text), "|---|---|---|---|\n")
	require.True(t, found, "docs/quirks.md must have a table of quirks")
	table, recorded, found := strings.Cut(table, "\n## Recorded services\n")
	require.True(t, found, "docs/quirks.md must have a table of recorded services")
	requireTranscripts(t, recorded)
	table = strings.TrimSpace(table)
	for row := range strings.Lines(strings.ReplaceAll(table, "`", "")) {
		cells := strings.Split(row, "|")
		require.Len(t, cells, 6, row)
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		documented[cells[1]] = true
		require.NotEmpty(t, cells[2], row)
		require.NotEmpty(t, cells[3], row)
		if cells[4] != "" {
			remedies[cells[1]+" | "+cells[4]] = true
		}
	}
	return remedies, documented
}
