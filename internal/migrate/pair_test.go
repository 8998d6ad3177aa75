package migrate

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // go-azure-sdk logs every request
	os.Exit(m.Run())
}

// A pair has two sides that do the same thing, one before the move and one after it.
type pair struct {
	name    string
	service func() service // nil means newService
	sides
	why string // why the requests differ; "" if they do not
}

type sides struct{ before, after side }

// A side does something with the service at origin, and describes the outcome.
type side func(ctx context.Context, origin string) (string, error)

// A record holds the outcome that a side described, and the requests that it sent.
type record struct {
	outcome string
	sent    []fakes.Request
	lines   []string // the method, path and status code of each request
}

// run runs one side of the pair with a new service.
func (p pair) run(t *testing.T, do side) (r record) {
	t.Helper()
	svc := service(newService())
	if p.service != nil {
		svc = p.service()
	}
	server := httptest.NewServer(svc)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // go-azure-sdk requires a deadline
	defer cancel()
	outcome, err := do(ctx, server.URL)
	if err != nil {
		outcome = "error: " + err.Error()
	}
	require.NoError(t, ctx.Err(), p.name)
	r.outcome, _, _ = strings.Cut(strings.ReplaceAll(outcome, server.URL, ""), "\n")
	r.sent = svc.Requests()
	for _, req := range r.sent {
		r.lines = append(r.lines, fmt.Sprintf("%s %s %d", req.Method, strings.TrimPrefix(req.URL, server.URL), req.StatusCode))
	}
	return r
}

// row returns the row that describes the pair in the table of the pair's guide.
func (p pair) row(before, after record) string {
	requests := fmt.Sprintf("%d each", len(before.lines))
	if p.why != "" {
		requests = fmt.Sprintf("%d and %d: %s", len(before.lines), len(after.lines), p.why)
	}
	outcome := "the same"
	if after.outcome != before.outcome {
		outcome = "`" + after.outcome + "`"
	}
	return fmt.Sprintf("| %s | `%s` | %s | %s |", p.name, before.outcome, outcome, requests)
}

// TestPairs compares the requests of both sides, including bodies and some headers, and requires
// that the guides list exactly these pairs with these outcomes. A pair whose requests differ has
// to say why.
func TestPairs(t *testing.T) {
	for page, pairs := range map[string][]pair{"from-azcore.md": azcorePairs, "from-go-azure-sdk.md": goAzureSDKPairs} {
		var rows []string
		for _, p := range pairs {
			before, after := p.run(t, p.before), p.run(t, p.after)
			rows = append(rows, p.row(before, after))
			if p.why != "" {
				require.NotEqual(t, before.lines, after.lines, p.name)
				continue
			}
			require.Equal(t, before.lines, after.lines, p.name)
			for i, was := range before.sent {
				is := after.sent[i]
				require.Equal(t, string(was.Body), string(is.Body), "%s: %s", p.name, before.lines[i])
				for _, h := range []string{"Authorization", "X-Widgets-Tenant", "If-None-Match"} {
					require.Equal(t, was.Header.Get(h), is.Header.Get(h), "%s: %s: %s", p.name, before.lines[i], h)
				}
			}
		}
		require.Equal(t, strings.Join(rows, "\n"), tableUnder(t, page, "## What both sides send"), page)
	}
}

// tableUnder returns the rows of the first table under a heading, without the table's header.
func tableUnder(t *testing.T, page, heading string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + page)
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "\n"+heading+"\n")
	require.True(t, found, "%s has no %q", page, heading)
	_, rest, _ = strings.Cut(rest, "|---|---|---|---|\n")
	table, _, _ := strings.Cut(rest, "\n\n")
	return table
}

// TestHeaders checks that every request in the pairs about headers names the tenant and has a
// credential.
func TestHeaders(t *testing.T) {
	found := 0
	for _, p := range slices.Concat(azcorePairs, goAzureSDKPairs) {
		if !strings.Contains(p.name, "header") {
			continue
		}
		found++
		for _, r := range slices.Concat(p.run(t, p.before).sent, p.run(t, p.after).sent) {
			require.Equal(t, "contoso", r.Header.Get("X-Widgets-Tenant"), "%s: %s %s", p.name, r.Method, r.Path)
			require.Equal(t, "Bearer fake_token", r.Header.Get("Authorization"), "%s: %s %s", p.name, r.Method, r.Path)
		}
	}
	require.Equal(t, 2, found)
}
