package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDemo(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out), "%s", &out)
	first, _, _ := strings.Cut(out.String(), "\n\n")
	require.Contains(t, first, "tofu is simulated")
	require.Equal(t, 2, strings.Count(out.String(), "\n^C\n"))
	require.Contains(t, out.String(), `log: status of the operation of widget "w1": Provisioning, 50%`)
}
