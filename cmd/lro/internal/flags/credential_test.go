package flags

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPrivate(t *testing.T) {
	for origin, want := range map[string]bool{
		"https://a.test": true, "http://localhost:8": true, "http://127.0.0.1": true, "http://[::1]:8": true,
		"http://a.test": false, "http://localhost.a.test": false, "http://127.0.0.1.a.test": false, "%": false,
	} {
		require.Equal(t, want, private(origin), origin)
	}
}

func TestParseToken(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	for _, tt := range []struct {
		printed, token string
		expires        time.Time
	}{
		{"eyJ.a.b\n", "eyJ.a.b", time.Time{}},
		{"bearer eyJ.a.b\n", "eyJ.a.b", time.Time{}},
		{`{"accessToken":"a","expiresOn":"2026-11-22 04:00:00.000000","expires_on":1000060}`, "a", now.Add(time.Minute)},
		{`{"accessToken":"a","expires_on":"1000060"}`, "a", now.Add(time.Minute)},
		{`{"access_token":"b","expires_in":60,"expiration":1000061}`, "b", now.Add(61 * time.Second)},
		{`{"access_token":"b","expires_in":60}`, "b", now.Add(time.Minute)},
		{`{"iam_token":"Bearer c"}`, "c", time.Time{}},
	} {
		got, err := parseToken([]byte(tt.printed), now)
		require.NoError(t, err, tt.printed)
		require.Equal(t, tt.token, got.Value, tt.printed)
		require.True(t, tt.expires.Equal(got.Expires), "%s: %s", tt.printed, got.Expires)
	}
	for _, printed := range []string{"", " \n", "{}", `{"accessToken":`, `{"accessToken":7,"x":"SECRET"}`, "two SECRET", "SECRET\nSECRET", "sécret"} {
		_, err := parseToken([]byte(printed), now)
		require.Error(t, err, printed)
		require.False(t, strings.Contains(err.Error(), "SECRET"), "%q: %v", printed, err)
	}
}
