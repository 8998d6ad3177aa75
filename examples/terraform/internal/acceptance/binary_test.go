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

// providerDir has the provider as a binary, built once.
var providerDir = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "contoso-")
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "terraform-provider-contoso"), ".")
	build.Dir = root
	build.Stderr = os.Stderr
	return dir, build.Run()
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := providerDir(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}
