package main

import (
	"bytes"
	"context"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // go-azure-sdk logs every request there
	os.Exit(m.Run())
}

// What both sides send is compared request by request, with what they say in
// headers and bodies. Where they differ a pair has to say why.
func TestPairs(t *testing.T) {
	for _, p := range slices.Concat(fromAzcore, fromGoAzureSDK) {
		before, after, err := p.play(t.Context())
		require.NoError(t, err)
		if p.differs != "" {
			require.NotEqual(t, before.requests, after.requests, p.name)
			continue
		}
		require.Equal(t, before.requests, after.requests, p.name)
		for i, was := range before.log {
			is := after.log[i]
			require.Equal(t, string(was.Body), string(is.Body), "%s: %s", p.name, before.requests[i])
			for _, h := range []string{"Authorization", "X-Widgets-Tenant", "If-None-Match"} {
				require.Equal(t, was.Header.Get(h), is.Header.Get(h), "%s: %s: %s", p.name, before.requests[i], h)
			}
		}
	}
}

// Every request of a pair about headers has them.
func TestHeaders(t *testing.T) {
	found := 0
	for _, p := range slices.Concat(fromAzcore, fromGoAzureSDK) {
		if !strings.Contains(p.name, "header") {
			continue
		}
		found++
		before, after, err := p.play(t.Context())
		require.NoError(t, err)
		for _, r := range slices.Concat(before.log, after.log) {
			require.Equal(t, "contoso", r.Header.Get("X-Widgets-Tenant"), "%s: %s %s", p.name, r.Method, r.Path)
			require.Equal(t, "Bearer fake_token", r.Header.Get("Authorization"), "%s: %s %s", p.name, r.Method, r.Path)
		}
	}
	require.Equal(t, 2, found)
}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	require.Equal(t, want, out.String())
}

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, run(ctx, io.Discard), context.Canceled)
}

func TestShort(t *testing.T) {
	require.Equal(t, "a widget", short("a widget"))
	require.Equal(t, strings.Repeat("ä", 45)+"…", short(strings.Repeat("ä", 47)))
}
