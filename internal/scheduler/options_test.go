package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// For InFlight and Spread, zero means the default. A negative or too large InFlight means the
// maximum.
func TestDefaults(t *testing.T) {
	zero := New(Options{})
	for _, opts := range []Options{{InFlight: 64}, {Spread: 10 * time.Second}} {
		s := New(opts)
		require.Equal(t, zero.options, s.options)
		require.Equal(t, zero.elastic, s.elastic)
	}
	for _, n := range []int{-1, maxInFlight + 1} {
		require.Equal(t, maxInFlight, New(Options{InFlight: n}).options.InFlight)
	}
}
