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
	text := out.String()
	require.Equal(t, 3, strings.Count(text, "\n^C\n"))
	require.Contains(t, text, `size = 1, provisioning_state = "Provisioning", and a token in private state`)
	require.Contains(t, text, "log: taking up an operation of an earlier run widget=w1 verb=create")
	require.Contains(t, text, "log: status of the operation widget=w2 state=Canceled percent=100")
	require.True(t, strings.HasSuffix(text, "The service was asked for 4 creations and changes and 3 deletions.\n"), "%s", text)
}
