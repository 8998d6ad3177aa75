package lrotel

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVersionIn checks how versionIn finds the version. The program in .ci/stranger checks that
// spans contain a published version.
func TestVersionIn(t *testing.T) {
	other := &debug.Module{Path: "github.com/lro-go/lro", Version: "v9.0.0"}
	published := &debug.Module{Path: scope, Version: "v0.1.0"}
	cloned := &debug.Module{Path: scope, Version: "v0.1.0", Replace: &debug.Module{Path: "../lro"}}
	require.Equal(t, "0.1.0", versionIn(&debug.BuildInfo{Deps: []*debug.Module{other, published}}))
	require.Empty(t, versionIn(&debug.BuildInfo{Deps: []*debug.Module{other, cloned}}))
	require.Empty(t, versionIn(&debug.BuildInfo{Main: debug.Module{Path: scope, Version: "(devel)"}}))
	require.Empty(t, versionIn(nil))
}
