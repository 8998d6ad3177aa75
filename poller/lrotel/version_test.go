package lrotel

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVersionIn checks versionIn with made-up build information. A test in .ci/stranger checks that
// the instrumentation scope has the version of the published module.
func TestVersionIn(t *testing.T) {
	other := &debug.Module{Path: "github.com/lro-go/lro", Version: "v9.0.0"}
	published := &debug.Module{Path: scope, Version: "v0.1.0"}
	cloned := &debug.Module{Path: scope, Version: "v0.1.0", Replace: &debug.Module{Path: "../lro"}}
	require.Equal(t, "0.1.0", versionIn(&debug.BuildInfo{Deps: []*debug.Module{other, published}}))
	require.Empty(t, versionIn(&debug.BuildInfo{Deps: []*debug.Module{other, cloned}}))
	require.Empty(t, versionIn(&debug.BuildInfo{Main: debug.Module{Path: scope, Version: "(devel)"}}))
	require.Empty(t, versionIn(nil))
}
