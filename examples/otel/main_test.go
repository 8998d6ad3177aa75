package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	text := out.String()
	for _, line := range []string{
		`lro\.wait outcome=succeeded state=Succeeded word=Succeeded polls=6 failures=1\n`,
		`GET http\.response\.status_code=503 url\.full=…/operationsStatuses/[-0-9]+\n.*GET http\.response\.status_code=200 http.request.resend_count=1 url\.full=`, // both attempts belong to one poll
		`lro: operation Failed: QuotaExceeded: The request exceeds a quota of this subscription\.`,
		`lro\.wait outcome=stopped state=InProgress`,
		`linked to lro\.begin of trace [0-9a-f]{32}\n`,
		`\nlro\.group\.waiting\n +0 +lro\.group=widgets\n`,
		`\nlro\.poll\.duration\n +1 in .* error\.type=Unreadable lro\.operation=create widget\n`,
		`\n +4 in .* lro\.operation=create widget lro\.outcome=succeeded\n`,
	} {
		require.Regexp(t, regexp.MustCompile(line), text)
	}
	for line := range strings.SplitSeq(text[strings.LastIndex(text, "\n\n"):], "\n") {
		require.LessOrEqual(t, len(line), 100, "the table of metrics: %s", line)
	}
	require.NotContains(t, text, "?")
	require.NotContains(t, text, signature)
}

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, run(ctx, &bytes.Buffer{}), context.Canceled)
}
