package fakes

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// wait returns the cause of a context that has ended, regardless of the duration.
func TestWaitReportsCause(t *testing.T) {
	cause := errors.New("gave up")
	ctx, cancel := context.WithCancelCause(t.Context())
	require.NoError(t, wait(ctx, 0))
	cancel(cause)
	for _, d := range []time.Duration{-1, 0, time.Hour} {
		require.Equal(t, cause, wait(ctx, d), d)
	}
}
