package poller_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// TestQuirkTable compares the table in docs/quirks.md with the tests. The table lists
// every quirk of package fakes, each remedy that a test tries, and no others.
func TestQuirkTable(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range slices.Concat(
		quirksOfBeginnings, quirksUntold, quirksOfStatuses, quirksOfEndings, quirksOfLostStatuses, quirksOfReplicas, quirksOfRefusals,
		quirksOfEarlySuccess, quirksOfErrors, quirksOfTheWire, quirksOfWords, []quirkCase{nameStillTaken},
	) {
		if c.option != "" {
			tested[string(c.quirk)+" | "+c.option] = true
		}
	}
	remedies, quirks := documentedQuirks(t)
	require.Equal(t, tested, remedies)
	for _, q := range fakes.Quirks() {
		require.Contains(t, quirks, string(q), "no row")
	}
	require.Len(t, quirks, len(fakes.Quirks()))
}

// documentedQuirks reads the table and returns its quirks and their remedies, without
// the backquotes of Markdown.
func documentedQuirks(t *testing.T) (remedies, quirks map[string]bool) {
	t.Helper()
	text, err := os.ReadFile("../docs/quirks.md")
	require.NoError(t, err)
	remedies, quirks = map[string]bool{}, map[string]bool{}
	_, table, found := strings.Cut(string(text), "|---|---|---|---|\n")
	require.True(t, found, "no table")
	for row := range strings.Lines(strings.ReplaceAll(table, "`", "")) {
		cells := strings.Split(row, "|")
		require.Len(t, cells, 6, row)
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		quirks[cells[1]] = true
		require.NotEmpty(t, cells[2], row)
		require.NotEmpty(t, cells[3], row)
		if cells[4] != "" {
			remedies[cells[1]+" | "+cells[4]] = true
		}
	}
	return remedies, quirks
}
