package transport

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/house"
)

// Setting a single field of Options to its documented default changes nothing.
func TestDefaults(t *testing.T) {
	resolved := func(o Options) Options {
		o = o.resolved()
		o.Base, o.Policy = nil, nil // a Policy is a function, which cannot be compared; the test never sets Base
		return o
	}
	house.EachDefault(t, ".", func(name string, o *Options) { require.Equal(t, resolved(Options{}), resolved(*o), name) })
}

func TestNegativeOptions(t *testing.T) {
	o := Options{Retries: -1, MinDelay: -1, MaxDelay: -1, HeaderTimeout: -1}
	got := o.resolved()
	require.Zero(t, got.Retries)
	require.Zero(t, got.MinDelay)
	require.Equal(t, time.Duration(math.MaxInt64/2), got.MaxDelay)
	require.Equal(t, time.Duration(math.MaxInt64/2), got.HeaderTimeout)
}
