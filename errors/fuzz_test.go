package errors_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/stretchr/testify/require"
)

func FuzzDetail(f *testing.F) {
	for _, seed := range []string{
		`{"error":{"code":"Busy","message":"later","details":[{"code":"A"},null],"innererror":{"a":[1]}}}`,
		`{"Code":"Conflict","Details":[{"ErrorEntity":{"Code":"c"}}],"Innererror":null}`,
		`{"errors":[{"code":"a","target":{"name":"n"}},"b"],"trace":"t"}`,
		`{"odata.error":{"code":1,"message":{"value":"m"}}}`,
		`{"error":"invalid_grant","error_description":"https://u:p@a.test/x?sig=1"}`,
		`{"properties":{"error":{"additionalInfo":[{"type":"T","info":{}}]}}}`,
		`"text"`, `[[["a"],"b"],{}]`, `null`, `{`, "\xff", `{"message":"\ud800\u2028\n"}`,
		nested(17),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var d detail
		valid := json.Unmarshal(b, &d) == nil
		require.Equal(t, json.Valid(b), valid)
		if !valid {
			require.True(t, d.IsZero())
			require.NoError(t, d.UnmarshalJSON(b))
			requireText(t, d.Error(), 3000)
			return
		}
		requireText(t, d.Error(), 3000)
		requireRoundTrip(t, d)
		n, depth := count(d)
		require.LessOrEqual(t, n, 1001)
		require.LessOrEqual(t, depth, 16)
		requireText(t, (&lroerrors.StatusError{Detail: &d}).Error(), 4000)
	})
}

// requireText fails unless s is one bounded line that shows well.
func requireText(t testing.TB, s string, limit int) {
	t.Helper()
	require.NotEmpty(t, s)
	require.LessOrEqual(t, len(s), limit)
	require.True(t, utf8.ValidString(s), "%q", s)
	require.False(t, strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	}), "%q", s)
}
