package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// If the environment sets a variable more than once, the last value wins, even if it is empty.
func TestGetenv(t *testing.T) {
	c := &command{env: []string{"NO_COLOR=1", "NO_COLOR=", "NO_COLOR_AT_ALL=1", "TERM=xterm"}}
	require.Empty(t, c.getenv("NO_COLOR"))
	require.Equal(t, "xterm", c.getenv("TERM"))
	require.Empty(t, c.getenv("LRO_TOKEN"))
}
