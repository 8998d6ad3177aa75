package flags

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller/ibmcloud"
)

func TestStrategyWords(t *testing.T) {
	var f strategyFlag
	require.NoError(t, f.Set("ibm-vpc:stopped,off"))
	require.Equal(t, ibmcloud.VPC("stopped", "off"), f.Strategy)
}

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{
		"":                "''",
		"https://a.test":  "https://a.test",
		"https://[::1]:8": "'https://[::1]:8'",
		"a b":             "'a b'",
		"it's; rm":        `'it'\''s; rm'`,
		"$(x)":            "'$(x)'",
	} {
		require.Equal(t, want, Quote(word))
	}
}
