package pager

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/house"
)

// Setting an Options field to its documented default has no effect.
func TestDefaults(t *testing.T) {
	resolved := func(o Options) settings {
		s, err := resolve(&o)
		require.NoError(t, err)
		return s
	}
	zero := resolved(Options{})
	house.EachDefault(t, ".", func(name string, o *Options) { require.Equal(t, zero, resolved(*o), name) })
	none := resolved(Options{MaxPageBytes: -1})
	require.Equal(t, int64(math.MaxInt64), none.limit.Bytes)
}
