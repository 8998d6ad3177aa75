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

// root is the folder of the module.
const root = "../.."

// tofuBinary is the path of tofu. Where it has not been built the test is skipped, or
// fails if that is wanted.
func tofuBinary(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "bash", filepath.Join(root, "install"), "--where").Output()
	require.NoError(t, err)
	binary := strings.TrimSpace(string(out))
	if _, err := os.Stat(binary); err != nil {
		const advice = "there is no tofu: run examples/terraform/install first"
		if os.Getenv("LRO_TOFU") != "" || os.Getenv("LRO_TERRAFORM") == "required" {
			require.FailNow(t, advice)
		}
		t.Skip(advice)
	}
	return binary
}

// theProvider is the folder of the provider's binary, built once.
var theProvider struct {
	once sync.Once
	dir  string
	err  error
}

func providerDir(t *testing.T) string {
	t.Helper()
	p := &theProvider
	p.once.Do(func() {
		p.dir, p.err = os.MkdirTemp("", "contoso-") //nolint:usetesting // it outlives the test that comes first
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
