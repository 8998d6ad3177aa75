package fakes

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// wait reports why a context ended, whether or not there is anything to wait for.
func TestWaitReportsCause(t *testing.T) {
	cause := errors.New("gave up")
	ctx, cancel := context.WithCancelCause(t.Context())
	require.NoError(t, wait(ctx, 0))
	cancel(cause)
	for _, d := range []time.Duration{-1, 0, time.Hour} {
		require.Equal(t, cause, wait(ctx, d), d)
	}
}
