package acceptance_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the module's directory.
const root = "../.."

// tofuBinary returns the path of tofu. If tofu is not installed, tofuBinary skips the test, or
// fails the test if the environment requires tofu.
func tofuBinary(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "bash", filepath.Join(root, "install"), "--where").Output()
	require.NoError(t, err)
	binary := strings.TrimSpace(string(out))
	if _, err := os.Stat(binary); err != nil {
		const advice = "tofu is not installed: run examples/terraform/install"
		if os.Getenv("LRO_TOFU") != "" || os.Getenv("LRO_TERRAFORM") == "required" {
			require.FailNow(t, advice)
		}
		t.Skip(advice)
	}
	return binary
}

// theProvider holds the directory of the provider's binary. providerDir builds the binary only
// once.
var theProvider struct {
	once sync.Once
	dir  string
	err  error
}

func providerDir(t *testing.T) string {
	t.Helper()
	p := &theProvider
	p.once.Do(func() {
		p.dir, p.err = os.MkdirTemp("", "contoso-") //nolint:usetesting // later tests use the directory as well
		if p.err != nil {
			return
		}
		build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(p.dir, "terraform-provider-contoso"), ".")
		build.Dir = root
		build.Stderr = os.Stderr
		p.err = build.Run()
	})
	require.NoError(t, p.err)
	return p.dir
}

func TestMain(m *testing.M) {
	code := m.Run()
	if theProvider.dir != "" {
		_ = os.RemoveAll(theProvider.dir)
	}
	os.Exit(code)
}
