//go:build unix

package acceptance_test

import (
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/examples/terraform/internal/contoso"
	"github.com/lro-go/lro/fakes"
)

// after is a widget that needs the one called w.
var after = widget("after", 1, "depends_on = [contoso_widget.w]")

func TestAccCreateInterrupted(t *testing.T) {
	f := newFolder(t)
	f.configure(widget("w", 1, "") + after)
	out, code := f.signaled(syscall.SIGINT, "apply")
	require.NotZero(t, code)
	require.Contains(t, out, `Creating widget "w": not finished`)
	w := f.state("w")
	require.Empty(t, w.Status, "tainted would be destroyed and begun again")
	require.Contains(t, w.Private, "lro")
	require.Equal(t, 1, w.Attributes.Size)
	require.Nil(t, f.state("after"), "Ctrl-C begins nothing more")

	out, code = f.run("plan", "-detailed-exitcode")
	require.Equal(t, 2, code)
	require.Contains(t, out, "contoso_widget.w will be updated in-place")
	require.Contains(t, out, `An operation on widget "w" is in progress`)

	out, code = f.apply()
	require.Zero(t, code)
	require.Contains(t, out, "1 added, 1 changed, 0 destroyed")
	require.Equal(t, 1, f.begun(http.MethodPut, "w"))
	require.Equal(t, "Succeeded", f.state("w").Attributes.ProvisioningState)
	require.Empty(t, f.state("w").Private)
	out, code = f.run("plan", "-detailed-exitcode")
	require.Zero(t, code, out)

	log, err := os.ReadFile(filepath.Join(f.dir, "log"))
	require.NoError(t, err)
	require.Contains(t, string(log), "status of the operation", "progress")
	require.Contains(t, string(log), "resuming an operation of an earlier run")
}

// Whoever stops a process group sends SIGTERM to the provider, too, which would otherwise
// be killed before it has returned the token.
func TestAccCreateTerminated(t *testing.T) {
	f := newFolder(t)
	f.configure(widget("w", 1, ""))
	out, code := f.signaled(syscall.SIGTERM, "apply")
	require.NotZero(t, code)
	require.Contains(t, out, `Creating widget "w": not finished`)
	require.Empty(t, f.state("w").Status)
	_, code = f.apply()
	require.Zero(t, code)
	require.Equal(t, 1, f.begun(http.MethodPut, "w"))
}

// Even without the refresh, as it is for those who plan with -refresh=false.
func TestAccTakenUpWithoutRefresh(t *testing.T) {
	f := newFolder(t)
	f.configure(widget("w", 1, ""))
	f.signaled(syscall.SIGINT, "apply")
	_, code := f.apply("-refresh=false")
	require.Zero(t, code)
	require.Equal(t, 1, f.begun(http.MethodPut, "w"))
}

// A creation that is longer than its timeout is no error, because that would have it
// tainted, and so what depends on it goes on.
func TestAccCreateTimesOut(t *testing.T) {
	f := newFolder(t, fakes.Plan{Path: contoso.Widgets + "/after", Polls: 1})
	f.configure(widget("w", 1, `timeouts { create = "1s" }`) + after)
	out, code := f.run("apply", "-auto-approve")
	require.Zero(t, code)
	require.Contains(t, out, `Creating widget "w": not finished`)
	require.Empty(t, f.state("w").Status)
	require.NotNil(t, f.state("after"))

	// To wait for it again is an update, whose error leaves no mark.
	out, code = f.run("apply", "-auto-approve")
	require.NotZero(t, code)
	require.Contains(t, out, `Error: Creating widget "w": not finished`)
	require.Empty(t, f.state("w").Status)
	require.Contains(t, f.state("w").Private, "lro")

	f.configure(widget("w", 1, "") + after) // a second may not be enough on a slow machine
	_, code = f.apply()
	require.Zero(t, code)
	require.Equal(t, 1, f.begun(http.MethodPut, "w"))
	require.Equal(t, "Succeeded", f.state("w").Attributes.ProvisioningState)
}

// A postcondition makes of that warning an error that stops what depends on it, and
// taints nothing.
func TestAccPostcondition(t *testing.T) {
	f := newFolder(t)
	const postcondition = `
		lifecycle {
			postcondition {
				condition     = self.provisioning_state == "Succeeded"
				error_message = "It is not finished; apply again."
			}
		}`
	f.configure(widget("w", 1, `timeouts { create = "1s" }`+postcondition) + after)
	out, code := f.run("apply", "-auto-approve")
	require.NotZero(t, code)
	require.Contains(t, out, "It is not finished; apply again.")
	require.Empty(t, f.state("w").Status)
	require.Nil(t, f.state("after"))
	f.configure(widget("w", 1, postcondition) + after)
	_, code = f.apply()
	require.Zero(t, code)
	require.Equal(t, 1, f.begun(http.MethodPut, "w"))
	require.Equal(t, 1, f.begun(http.MethodPut, "after"))
}

func TestAccUpdateInterrupted(t *testing.T) {
	f := newFolder(t)
	f.configure(widget("w", 1, ""))
	_, code := f.apply()
	require.Zero(t, code)
	f.configure(widget("w", 2, ""))
	out, code := f.signaled(syscall.SIGINT, "apply")
	require.NotZero(t, code)
	require.Contains(t, out, `Updating widget "w": not finished`)
	require.Equal(t, 1, f.state("w").Attributes.Size)
	require.Contains(t, f.state("w").Private, "lro")
	_, code = f.apply()
	require.Zero(t, code)
	require.Equal(t, 2, f.state("w").Attributes.Size)
	require.Equal(t, 2, f.begun(http.MethodPut, "w"), "one to create it, one to change it")
}

func TestAccDestroyInterrupted(t *testing.T) {
	f := newFolder(t)
	f.configure(widget("w", 1, ""))
	_, code := f.apply()
	require.Zero(t, code)
	out, code := f.signaled(syscall.SIGINT, "destroy")
	require.NotZero(t, code)
	require.Contains(t, out, `Deleting widget "w": not finished`)
	require.Contains(t, f.state("w").Private, "lro")
	_, code = f.apply("-destroy")
	require.Zero(t, code)
	require.Nil(t, f.state("w"))
	require.Equal(t, 1, f.begun(http.MethodDelete, "w"))
}

// What is still being created is canceled when it is destroyed.
func TestAccDestroyWhileCreating(t *testing.T) {
	f := newFolder(t)
	f.configure(widget("w", 1, ""))
	f.signaled(syscall.SIGINT, "apply")
	f.svc.Plan(fakes.Plan{Method: http.MethodDelete, Polls: 1}) // the creation itself would go on for ever
	_, code := f.run("destroy", "-auto-approve")
	require.Zero(t, code)
	require.Nil(t, f.state("w"))
	canceled := 0
	for _, q := range f.svc.Requests() {
		if q.Kind == fakes.Cancel {
			canceled++
		}
	}
	require.Equal(t, 1, canceled)
}

// Who is killed returns no state. The widget is there all the same, and importing it
// goes on with the operation.
func TestAccKilled(t *testing.T) {
	f := newFolder(t)
	f.configure(widget("w", 1, ""))
	f.signaled(syscall.SIGKILL, "apply")
	require.Nil(t, f.state("w"))
	out, code := f.run("apply", "-auto-approve")
	require.NotZero(t, code)
	require.Contains(t, out, `There is already a widget "w"`)
	_, code = f.run("import", "contoso_widget.w", "w")
	require.Zero(t, code)
	f.reads.Store(true)
	_, code = f.apply()
	require.Zero(t, code)
	require.Equal(t, 1, f.begun(http.MethodPut, "w"))
	require.Equal(t, "Succeeded", f.state("w").Attributes.ProvisioningState)
}

// A creation that failed is an error with all that the service says, at its line, and
// what it has left is replaced.
func TestAccFailure(t *testing.T) {
	f := newFolder(t)
	f.configure(widget("too-large", 1000, ""))
	out, code := f.run("apply", "-auto-approve")
	require.NotZero(t, code)
	for _, text := range []string{
		`Creating widget "too-large": failed: QuotaExceeded`, "size = 1000", "main.tf line",
		"The request is over a quota of this subscription. (code QuotaExceeded)", "(code SizeLimit) (target properties.size)",
	} {
		require.Contains(t, out, text)
	}
	require.Equal(t, "tainted", f.state("too-large").Status)
}
