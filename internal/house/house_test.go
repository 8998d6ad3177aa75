package house

import (
	"flag"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the table of packages into CONTRIBUTING.md")

// root is the repository's root folder.
var root = os.DirFS("../..")

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(root, name)
	require.NoError(t, err)
	return string(b)
}
