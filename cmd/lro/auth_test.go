package main

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/flags"
	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/fakes"
)

// authorizations returns the Authorization headers of the requests, without consecutive duplicates.
func (r *rig) authorizations() []string {
	var all []string
	for _, req := range r.Requests() {
		if a := req.Header.Get("Authorization"); len(all) == 0 || all[len(all)-1] != a {
			all = append(all, a)
		}
	}
	return all
}

func TestTokenFromEnvironment(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.env = append(r.env, flags.TokenVariable+"=Bearer SECRET")
	got := r.run("put", "/widgets/w1?sig=SECRET", "-d", widget, "-v", "-o=text")
	require.Equal(t, output.ExitOK, got.code, got)
	require.Equal(t, []string{"Bearer SECRET"}, r.authorizations())
	require.Contains(t, got.err, "level=DEBUG")
	require.NotContains(t, got.out+got.err, "SECRET")
}

// lro runs the token command once, or for each request if the command prints tokens that have
// already expired.
func TestTokenFromCommand(t *testing.T) {
	for _, tt := range []struct {
		prints string
		want   []string
	}{
		{`"TOKEN$n"`, []string{"Bearer TOKEN1"}},
		{fmt.Sprintf(`"{\"accessToken\":\"TOKEN$n\",\"expires_on\":%d}"`, time.Now().Add(time.Hour).Unix()), []string{"Bearer TOKEN1"}},
		{`"{\"access_token\":\"TOKEN$n\",\"expires_in\":0}"`, []string{"Bearer TOKEN1", "Bearer TOKEN2", "Bearer TOKEN3", "Bearer TOKEN4", "Bearer TOKEN5"}},
	} {
		r := newRig(t, &fakes.Service{})
		r.env = append(r.env, flags.TokenVariable+"=UNUSED")
		script := `echo x >>count; n=$(($(wc -l <count))); echo ` + tt.prints
		got := r.run("put", "/widgets/w1", "-d", widget, "--token-command", script)
		require.Equal(t, output.ExitOK, got.code, got)
		require.Equal(t, tt.want, r.authorizations(), tt.prints)
	}
}

// After a 401, lro runs the token command again, even if the token has not expired.
func TestTokenRefused(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Fault(fakes.Fault{Kind: fakes.Poll, Times: 1, Do: fakes.Status(http.StatusUnauthorized)})
	got := r.run("put", "/widgets/w1", "-d", widget, "--token-command", `echo x >>count; echo "TOKEN$(($(wc -l <count)))"`)
	require.Equal(t, output.ExitOK, got.code, got)
	require.Equal(t, []string{"Bearer TOKEN1", "Bearer TOKEN2"}, r.authorizations())
}

func TestTokenCommandFails(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	got := r.run("put", "/widgets/w1", "-d", widget, "--token-command", "echo SECRET; echo log in first >&2; exit 3")
	require.Equal(t, output.ExitRefused, got.code, got)
	require.Contains(t, got.failure(t).Text, "the command of --token-command failed with exit status 3: log in first")
	require.NotContains(t, got.out+got.err, "SECRET")
	require.Empty(t, r.Requests())
}

func TestTokenCommandFailsSilently(t *testing.T) {
	got := newRig(t, &fakes.Service{}).run("get", "/widgets/w1", "--token-command", "exit 3")
	require.Regexp(t, ": the command of --token-command failed with exit status 3$", got.failure(t).Text)
}

// lro refuses to send a bearer token over plain http to another machine.
func TestTokenUnencrypted(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.env = append(r.env, flags.TokenVariable+"=SECRET")
	require.NoError(t, os.WriteFile("op.token", nil, 0o600))
	for _, args := range [][]string{
		{"get", "http://a.test/widgets"},
		{"get", "https://a.test/widgets", "--origin=http://b.test"},
		{"resume", "op.token", "--origin=http://10.0.0.1:80"},
	} {
		got := r.exec(args...)
		require.Equal(t, output.ExitUsage, got.code, got)
		require.Contains(t, got.failure(t).Text, "unencrypted")
	}
}
