//go:build unix

package acceptance_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/examples/terraform/internal/contoso"
	"github.com/lro-go/lro/fakes"
)

// A folder is a working directory of tofu, with its own service. It contains a configuration and,
// after the first apply, a state.
type folder struct {
	t      *testing.T
	dir    string
	tofu   string
	svc    *fakes.Service
	origin string
	polled chan struct{} // receives a value when the service has answered a poll
	reads  atomic.Bool   // whether a GET of the widget is a poll; set after an import, because the provider then has no status URL
}

// newFolder returns a folder with its own service. Unless a plan says otherwise, operations end
// only when the test calls finish.
func newFolder(t *testing.T, plans ...fakes.Plan) *folder {
	t.Helper()
	f := &folder{t: t, dir: t.TempDir(), tofu: tofuBinary(t), svc: contoso.New(1, 50*time.Millisecond), polled: make(chan struct{}, 1)}
	f.svc.Default = fakes.Plan{Duration: fakes.Forever}
	for _, p := range plans {
		f.svc.Plan(p)
	}
	var stop func()
	var err error
	f.origin, stop, err = contoso.Serve(t.Context(), "127.0.0.1:0", f.watched())
	require.NoError(t, err)
	t.Cleanup(stop)
	// With dev_overrides, tofu needs no registry and no "tofu init".
	f.write("tofurc", fmt.Sprintf(`
		provider_installation {
			dev_overrides {
				"registry.opentofu.org/lro-go/contoso" = %q
			}
		}`, providerDir(t)))
	return f
}

// watched returns a handler that serves f.svc and reports polls to f.polled.
func (f *folder) watched() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.svc.ServeHTTP(w, r)
		if r.Method == http.MethodGet && (f.reads.Load() || strings.Contains(r.URL.Path, "/operationsStatuses/")) {
			select {
			case f.polled <- struct{}{}:
			default:
			}
		}
	})
}

func (f *folder) write(name, text string) {
	f.t.Helper()
	require.NoError(f.t, os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600))
}

// configure writes main.tf with the given resources.
func (f *folder) configure(resources string) {
	f.t.Helper()
	f.write("main.tf", fmt.Sprintf(`
		terraform {
			required_providers {
				contoso = { source = "lro-go/contoso" }
			}
		}
		provider "contoso" {
			endpoint  = %q
			min_pause = "50ms"
		}
		%s`, f.origin, resources))
}

// widget returns a widget's resource block.
func widget(name string, size int, more string) string {
	return fmt.Sprintf("resource \"contoso_widget\" %q {\n  name = %[1]q\n  size = %d\n  %s\n}\n", name, size, more)
}

// A process is a running tofu command.
type process struct {
	*exec.Cmd
	out bytes.Buffer
}

// start starts tofu in its own process group, as a shell would.
func (f *folder) start(args ...string) *process {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), 5*time.Minute)
	f.t.Cleanup(cancel)
	p := &process{Cmd: exec.CommandContext(ctx, f.tofu, append(args, "-no-color")...)}
	p.Dir = f.dir
	p.Stdout, p.Stderr = &p.out, &p.out
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.Cancel = func() error { return syscall.Kill(-p.Process.Pid, syscall.SIGKILL) } // kill the provider too, because it would keep the output pipe open
	p.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(f.dir, "tofurc"), "CHECKPOINT_DISABLE=1", "TF_INPUT=0",
		"TF_LOG_PROVIDER=INFO", "TF_LOG_PATH="+filepath.Join(f.dir, "log"))
	require.NoError(f.t, p.Start())
	return p
}

// end waits for tofu and returns its output and exit code.
func (f *folder) end(p *process) (out string, code int) {
	f.t.Helper()
	_ = p.Wait() // ignore the error, because the exit code shows how tofu ended
	f.t.Logf("%s: exit %d\n%s", strings.Join(p.Args[1:], " "), p.ProcessState.ExitCode(), &p.out)
	return p.out.String(), p.ProcessState.ExitCode()
}

func (f *folder) run(args ...string) (out string, code int) {
	f.t.Helper()
	return f.end(f.start(args...))
}

// apply runs tofu apply. It makes the service end all operations each time the provider polls one.
func (f *folder) apply(args ...string) (out string, code int) {
	f.t.Helper()
	f.drain()
	p := f.start(append([]string{"apply", "-auto-approve"}, args...)...)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = p.Wait()
	}()
	for {
		select {
		case <-f.polled:
			f.finish()
		case <-ended:
			return f.end(p)
		}
	}
}

// drain removes the value that an earlier command's poll may have left in f.polled.
func (f *folder) drain() {
	for len(f.polled) > 0 {
		<-f.polled
	}
}

// finish makes the service end all operations.
func (f *folder) finish() {
	for _, q := range f.svc.Requests() {
		if q.Kind == fakes.Begin {
			f.svc.Finish(q.Operation)
		}
	}
}

// signaled runs tofu, waits for the first poll, and sends the signal to the whole process group, as
// a terminal does on Ctrl-C.
func (f *folder) signaled(s syscall.Signal, args ...string) (out string, code int) {
	f.t.Helper()
	f.drain()
	p := f.start(append(args, "-auto-approve")...)
	select {
	case <-f.polled:
	case <-time.After(4 * time.Minute):
		require.Fail(f.t, "tofu sent no poll")
	}
	require.NoError(f.t, syscall.Kill(-p.Process.Pid, s))
	return f.end(p)
}

// An instance is a resource instance in the state file.
type instance struct {
	Status     string // "tainted" or ""
	Private    string
	Attributes struct {
		Size              int
		ProvisioningState string `json:"provisioning_state"`
	}
}

// state returns a widget from the state file, or nil if the widget is not there.
func (f *folder) state(name string) *instance {
	f.t.Helper()
	b, err := os.ReadFile(filepath.Join(f.dir, "terraform.tfstate"))
	if os.IsNotExist(err) || len(b) == 0 { // tofu leaves an empty file if it is killed
		return nil
	}
	require.NoError(f.t, err)
	var file struct {
		Resources []struct {
			Name      string
			Instances []*instance
		}
	}
	require.NoError(f.t, json.Unmarshal(b, &file))
	for _, r := range file.Resources {
		if r.Name == name {
			private, err := base64.StdEncoding.DecodeString(r.Instances[0].Private)
			require.NoError(f.t, err)
			r.Instances[0].Private = string(private)
			return r.Instances[0]
		}
	}
	return nil
}

// started counts the requests with this method that started an operation on the named widget.
func (f *folder) started(method, name string) int {
	n := 0
	for _, q := range f.svc.Requests() {
		if q.Kind == fakes.Begin && q.Method == method && q.Path == contoso.Widgets+"/"+name {
			n++
		}
	}
	return n
}
