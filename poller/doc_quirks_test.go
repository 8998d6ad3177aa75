package poller_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// TestQuirkTable holds the table of the package documentation to the tests: every
// quirk that the fakes have is in it, with each option that a test tries and no other.
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
	told, named := documentedQuirks(t)
	require.Equal(t, tested, told)
	for _, q := range fakes.Quirks() {
		require.Contains(t, named, string(q), "no row")
	}
	require.Len(t, named, len(fakes.Quirks()))
}

// documentedQuirks reads the table: what it names, and the options beside it.
func documentedQuirks(t *testing.T) (options, quirks map[string]bool) {
	t.Helper()
	text, err := os.ReadFile("doc_quirks.go")
	require.NoError(t, err)
	options, quirks = map[string]bool{}, map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^//\t(\S+) +.*\n//\t +→ [^|\n]*(?:\| (.*))?$`).FindAllSubmatch(text, -1) {
		quirks[string(row[1])] = true
		if len(row[2]) > 0 {
			options[string(row[1])+" | "+string(row[2])] = true
		}
	}
	return options, quirks
}
