package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// newService returns a service that creates widgets. The status URL contains the start time, so the
// service stores nothing, and its memory use does not grow with the number of operations.
func newService(cfg config) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /widgets/{name}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Azure-AsyncOperation", fmt.Sprintf("http://%s%s/operations/%d", r.Host, r.URL.Path, time.Now().UnixMilli()))
		w.Header().Set("Retry-After-Ms", strconv.FormatInt(cfg.Pause.Milliseconds(), 10))
		w.WriteHeader(http.StatusCreated)
	})
	mux.HandleFunc("GET /widgets/{name}/operations/{start}", func(w http.ResponseWriter, r *http.Request) {
		start, _ := strconv.ParseInt(r.PathValue("start"), 10, 64)
		switch {
		case time.Since(time.UnixMilli(start)) < cfg.Duration:
			w.Header().Set("Retry-After-Ms", strconv.FormatInt(cfg.Pause.Milliseconds(), 10))
			_, _ = w.Write([]byte(`{"status": "Running"}`))
		case fails(r.PathValue("name")):
			_, _ = w.Write([]byte(`{"status": "Failed", "error": {"code": "QuotaExceeded", "message": "No more widgets."}}`))
		default:
			_, _ = w.Write([]byte(`{"status": "Succeeded"}`))
		}
	})
	mux.HandleFunc("GET /widgets/{name}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"name": %q}`, r.PathValue("name"))
	})
	return mux
}

func widget(i int) string { return fmt.Sprintf("/widgets/w%06d", i) }

// fails reports whether the creation of a widget fails. One in a hundred does.
func fails(name string) bool { return name[len(name)-2:] == "07" }

// workCommand is the argument that makes this program run as a worker process.
const workCommand = "work"

// A process is a worker process: this program with the argument workCommand.
type process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
}

// startProcess starts a worker process, which runs until its standard input ends. Its config is
// also sent through that input, because any user of the machine can read a process's arguments.
func startProcess(ctx context.Context, cfg config) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self, workCommand)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{cmd, stdin}, json.NewEncoder(stdin).Encode(cfg)
}

// stop makes the process finish or release its running jobs and exit.
func (p *process) stop() {
	p.stdin.Close()
	_ = p.cmd.Wait() // ignore the exit status, because the database shows whether the process did its work
}

// kill ends the process at once.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}
