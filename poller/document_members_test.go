package poller

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzText: a string is what encoding/json makes of it, whatever was told before.
func FuzzText(f *testing.F) {
	for _, s := range []string{`""`, `"InProgress"`, `"a\tb"`, `"\u0041"`, "\"\xff\"", `"ü"`, `"\""`, "\"\u2028\"", `"\ud800"`} {
		f.Add([]byte(s), "InProgress")
		f.Add([]byte(s), s[1:len(s)-1])
	}
	f.Fuzz(func(t *testing.T, b []byte, known string) {
		var want string
		if json.Unmarshal(b, &want) != nil {
			return
		}
		w := word{known: known}
		require.NoError(t, json.Unmarshal(b, &w))
		require.Equal(t, want, w.text)
	})
}

// encoding/json calls a member of another type an error; services send them.
func TestPropertiesThatAreNoneCountAsAbsent(t *testing.T) {
	for _, odd := range []string{`5`, `"x"`, `[1]`, `null`, `true`} {
		doc, err := parse([]byte(`{"properties":` + odd + `,"status":"Failed","operations":[{"properties":` + odd + `,"status":"s"}]}`))
		require.NoError(t, err, odd)
		require.Equal(t, "Failed", doc.Status.text)
		require.Len(t, doc.Operations.list(), 1, odd)
		require.Equal(t, "s", doc.Operations.list()[0].Status.text)
	}
	_, err := parse([]byte(`[]`))
	require.Error(t, err)
}

// The last of several properties stands, as it does for every other member.
func TestTheLastPropertiesStand(t *testing.T) {
	for body, want := range map[string]string{
		`{"properties":{"provisioningState":"Failed"},"properties":null}`:                            "",
		`{"properties":{"provisioningState":"Failed"},"Properties":{}}`:                              "",
		`{"properties":{"provisioningState":"Failed"},"properties":{"provisioningState":"Running"}}`: "Running",
		`{"properties":{"provisioningState":"Running"}}`:                                             "Running",
	} {
		doc, err := parse([]byte(body))
		require.NoError(t, err)
		require.Equal(t, want, doc.Properties.ProvisioningState.text, body)
	}
}
