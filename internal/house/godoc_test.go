package house

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGoDocIsShort limits the number of lines that go doc prints for the packages that most callers
// import.
func TestGoDocIsShort(t *testing.T) {
	lines := 0
	for _, folder := range []string{"poller", "poller/arm"} {
		cmd := exec.CommandContext(t.Context(), "go", "doc", "-all", ".")
		cmd.Dir = filepath.Join("../..", folder)
		out, err := cmd.Output()
		require.NoError(t, err)
		lines += strings.Count(string(out), "\n")
	}
	require.Positive(t, lines)
	require.LessOrEqual(t, lines, 750)
}
