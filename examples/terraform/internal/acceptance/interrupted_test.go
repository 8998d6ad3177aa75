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

var after = widget("after", 1, "depends_on = [contoso_widget.w]")

func TestAccCreateInterrupted(t *testing.T) {
	f := newFolder(t)
	f.configure(widget("w", 1, "") + after)
	out, code := f.signaled(syscall.SIGINT, "apply")
	require.NotZero(t, code)
	require.Contains(t, out, `Creating widget "w": not finished`)
	w := f.state("w")
	require.Empty(t, w.Status, "the widget must not be tainted, because tofu would replace it")
	require.Contains(t, w.Private, "lro")
	require.Equal(t, 1, w.Attributes.Size)
	require.Nil(t, f.state("after"), "tofu must start nothing after Ctrl-C")

	out, code = f.run("plan", "-detailed-exitcode")
	require.Equal(t, 2, code)
	require.Contains(t, out, "contoso_widget.w will be updated in-place")
	require.Contains(t, out, `An operation on widget "w" is in progress`)

	out, code = f.apply()
	require.Zero(t, code)
	require.Contains(t, out, "1 added, 1 changed, 0 destroyed")
	require.Equal(t, 1, f.started(http.MethodPut, "w"))
	require.Equal(t, "Succeeded", f.state("w").Attributes.ProvisioningState)
	require.Empty(t, f.state("w").Private)
	out, code = f.run("plan", "-detailed-exitcode")
	require.Zero(t, code, out)

	log, err := os.ReadFile(filepath.Join(f.dir, "log"))
	require.NoError(t, err)
	require.Contains(t, string(log), "status of the operation", "the log must show the progress")
	require.Contains(t, string(log), "resuming an operation of an earlier run")
}

// TestAccCreateTerminated checks that the provider returns the token if tofu and the provider both
// get a SIGTERM.
func TestAccCreateTerminated(t *testing.T) {
	f := newFolder(t)
	f.configure(widget("w", 1, ""))
	out, code := f.signaled(syscall.SIGTERM, "apply")
	require.NotZero(t, code)
	require.Contains(t, out, `Creating widget "w": not finished`)
	require.Empty(t, f.state("w").Status)
	_, code = f.apply()
	require.Zero(t, code)
	require.Equal(t, 1, f.started(http.MethodPut, "w"))
}

// TestAccResumeWithoutRefresh checks that apply resumes the operation even with -refresh=false.
func TestAccResumeWithoutRefresh(t *testing.T) {
	f := newFolder(t)
	f.configure(widget("w", 1, ""))
	f.signaled(syscall.SIGINT, "apply")
	_, code := f.apply("-refresh=false")
	require.Zero(t, code)
	require.Equal(t, 1, f.started(http.MethodPut, "w"))
}

// TestAccCreateTimesOut checks that a creation that exceeds its timeout causes only a warning. An
// error would taint the widget. After the warning, tofu creates the dependent resource too.
func TestAccCreateTimesOut(t *testing.T) {
	f := newFolder(t, fakes.Plan{Path: contoso.Widgets + "/after", Polls: 1})
	f.configure(widget("w", 1, `timeouts { create = "1s" }`) + after)
	out, code := f.run("apply", "-auto-approve")
	require.Zero(t, code)
	require.Contains(t, out, `Creating widget "w": not finished`)
	require.Empty(t, f.state("w").Status)
	require.NotNil(t, f.state("after"))

	// The next apply is an update that waits for the creation. This time, the timeout causes an
	// error, because a failed update does not taint the widget.
	out, code = f.run("apply", "-auto-approve")
	require.NotZero(t, code)
	require.Contains(t, out, `Error: Creating widget "w": not finished`)
	require.Empty(t, f.state("w").Status)
	require.Contains(t, f.state("w").Private, "lro")

	f.configure(widget("w", 1, "") + after) // remove the timeout, because one second may be too short on a slow machine
	_, code = f.apply()
	require.Zero(t, code)
	require.Equal(t, 1, f.started(http.MethodPut, "w"))
	require.Equal(t, "Succeeded", f.state("w").Attributes.ProvisioningState)
}

// TestAccPostcondition checks that a failed postcondition prevents the creation of dependent
// resources but does not taint the widget.
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
	require.Equal(t, 1, f.started(http.MethodPut, "w"))
	require.Equal(t, 1, f.started(http.MethodPut, "after"))
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
	require.Equal(t, 2, f.started(http.MethodPut, "w"), "there must be one creation and one update")
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
	require.Equal(t, 1, f.started(http.MethodDelete, "w"))
}

// TestAccDestroyWhileCreating checks that destroy cancels a creation in progress.
func TestAccDestroyWhileCreating(t *testing.T) {
	f := newFolder(t)
	f.configure(widget("w", 1, ""))
	f.signaled(syscall.SIGINT, "apply")
	f.svc.Plan(fakes.Plan{Method: http.MethodDelete, Polls: 1}) // the deletion ends after one poll, but the creation only if it is canceled
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

// TestAccKilled kills tofu and the provider before the provider returns a state. The user must then
// import the widget, and the next apply must wait for the operation.
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
	require.Equal(t, 1, f.started(http.MethodPut, "w"))
	require.Equal(t, "Succeeded", f.state("w").Attributes.ProvisioningState)
}

// TestAccFailure checks that a failed creation taints the widget, and that the error shows the
// service's reason and the configuration line.
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
