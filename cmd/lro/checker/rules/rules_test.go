package rules_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/rules"
	"github.com/lro-go/lro/fakes/quirks"
)

func TestRulesAreComplete(t *testing.T) {
	require.GreaterOrEqual(t, len(rules.For(rules.ARM)), 50)
	require.GreaterOrEqual(t, len(rules.For(rules.IBMOperation)), 20)
	require.GreaterOrEqual(t, len(rules.For(rules.IBMResource)), 10)
	require.Nil(t, rules.For("unknown"))
	seen := map[string]bool{}
	for _, r := range rules.All() {
		require.False(t, seen[r.ID], r.ID)
		seen[r.ID] = true
		require.Regexp(t, `^(arm|ibm)-[a-z0-9-]+$`, r.ID)
		require.Contains(t, []rule.Severity{rule.Must, rule.Should, rule.Unusual}, r.Severity, r.ID)
		for _, text := range []string{r.Topic, r.Title, r.Client, r.Example, r.Source.Document, r.Source.Section, r.Source.Quote} {
			require.NotEmpty(t, text, r.ID)
			require.NotContains(t, text, "\n", r.ID)
		}
		require.Regexp(t, `\.$`, r.Title, r.ID)
		require.Regexp(t, `\.$`, r.Client, r.ID)
		require.NotNil(t, r.On, r.ID)
		require.NotNil(t, r.Broken, r.ID)
		for _, name := range r.Quirks {
			_, ok := quirks.ByName(name)
			require.True(t, ok, "%s: there is no quirk %s", r.ID, name)
		}
	}
}

// specVariable names the environment variable with the path to the specifications, which are not in
// this repository.
const specVariable = "LRO_SPEC"

// Each rule's quote appears in the cited document, somewhere below the title of the cited section.
func TestQuotes(t *testing.T) {
	folder := os.Getenv(specVariable)
	if folder == "" {
		t.Skipf("set %s to the folder of the specifications, which are not in this repository", specVariable)
	}
	files := map[string]string{
		"Asynchronous API Reference":         "arm-async-api-reference.md",
		"Resource Provider API v2.0":         "arm-resource-provider-api-v2.md",
		"Asynchronous Operations in ARO-HCP": "aro-hcp-asynchronous-operations.md",
		"Long-running operations":            "ibm-cloud-long-running-operations.txt",
	}
	texts := map[string]string{}
	for title, file := range files {
		b, err := os.ReadFile(filepath.Join(folder, file))
		require.NoError(t, err)
		texts[title] = plain(string(b))
	}
	for _, r := range rules.All() {
		text, ok := texts[r.Source.Document]
		require.True(t, ok, "%s: %s", r.ID, r.Source.Document)
		_, section, found := strings.Cut(text, plain(r.Source.Section))
		for found && !strings.Contains(section, plain(r.Source.Quote)) {
			_, section, found = strings.Cut(section, plain(r.Source.Section))
		}
		require.True(t, found, "%s: %q is not below %q", r.ID, r.Source.Quote, r.Source.Section)
	}
}

// plain removes Markdown markup from text and collapses white space.
func plain(text string) string {
	text = regexp.MustCompile(`\[([^\]]*)\] ?\([^)]*\)`).ReplaceAllString(text, "$1")
	text = strings.NewReplacer("*", "", `\`, "", "`", "", "_", "", "&quot;", `"`, "&#39;", "'", "&lt;", "<", "&gt;", ">").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}
