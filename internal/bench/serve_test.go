package bench

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

var serveOps = flag.Int("serve", 2000, "the number of operations that lro serve runs in TestServe")

const (
	serveConns = 16     // number of concurrent requests
	serveOpen  = 10_000 // maximum number of open operations
)

// TestServe runs lro serve in a separate process, and creates and deletes resources there with four
// requests for each operation. It regularly prints the process's memory and the request rate.
func TestServe(t *testing.T) {
	url, memory := startServe(t)
	client := &http.Client{Transport: keeping(serveConns)}
	var done atomic.Int64
	start := time.Now()
	row := func(n int64) {
		rate := float64(4*n) / time.Since(start).Seconds()
		fmt.Printf("| %d | %.0f MiB | %.0f MiB | %.0f |\n", n, memory("VmRSS")/(1<<20), memory("VmHWM")/(1<<20), rate)
	}
	fmt.Printf("| operations | memory | peak | requests a second |\n|---|---|---|---|\n")

	var workers errgroup.Group
	for i := range serveConns {
		w := &serveWorker{client: client, base: fmt.Sprintf("%s/widgets/w%d-", url, i), open: min(serveOpen, *serveOps/2) / serveConns}
		workers.Go(func() error {
			return w.run(t.Context(), *serveOps/serveConns, func() {
				if n := done.Add(1); n%max(int64(*serveOps)/10, 1) == 0 {
					row(n)
				}
			})
		})
	}
	must(t, workers.Wait())
}

// startServe builds lro and starts lro serve. It returns the server's URL and a function that reads
// a size from the server's /proc/PID/status and returns it in bytes.
func startServe(t *testing.T) (url string, memory func(name string) float64) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "lro")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	build.Dir = "../../cmd/lro"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), binary, "serve", "--addr", "127.0.0.1:0", "--polls", "2", "--retry-after", "0s", "--items", "0")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() }) // the process ends when t.Context is canceled
	lines := bufio.NewReader(stdout)
	first, err := lines.ReadString('\n')
	must(t, err)
	url = regexp.MustCompile(`http://\S+`).FindString(first)
	go func() { _, _ = io.Copy(io.Discard, lines) }()

	return url, func(name string) float64 {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)) // only on Linux
		for line := range strings.Lines(string(status)) {
			if rest, ok := strings.CutPrefix(line, name+":"); ok {
				kB, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
				must(t, err)
				return kB * 1024
			}
		}
		return 0
	}
}

// A serveWorker runs operations and keeps a fixed number of them open.
type serveWorker struct {
	client *http.Client
	base   string // a resource's URL without the number at its end
	open   int
	status []string // the status URLs of the open operations, oldest first
}

// run starts n operations and calls the function ended each time an operation ends.
func (w *serveWorker) run(ctx context.Context, n int, ended func()) error {
	for k := range n {
		method, name := http.MethodPut, k
		if k%2 == 1 && k > 2*w.open {
			method, name = http.MethodDelete, k-1-2*w.open
		}
		header, _, err := w.send(ctx, method, w.base+strconv.Itoa(name))
		if err != nil {
			return err
		}
		w.status = append(w.status, header.Get("Azure-AsyncOperation"))
		if len(w.status) <= w.open {
			continue
		}
		if err := w.finish(ctx); err != nil {
			return err
		}
		ended()
	}
	for len(w.status) > 0 {
		if err := w.finish(ctx); err != nil {
			return err
		}
		ended()
	}
	return nil
}

// finish polls the oldest open operation, which must end at the third poll.
func (w *serveWorker) finish(ctx context.Context) error {
	url := w.status[0]
	w.status = w.status[1:]
	for poll := range 3 {
		_, body, err := w.send(ctx, http.MethodGet, url)
		if err != nil {
			return err
		}
		if ended := strings.Contains(body, `"Succeeded"`); ended != (poll == 2) {
			return fmt.Errorf("poll %d of %s: %s", poll+1, url, body)
		}
	}
	return nil
}

func (w *serveWorker) send(ctx context.Context, method, url string) (header http.Header, body string, err error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(`{"location":"westeurope","tags":{"owner":"bench"},"properties":{"size":7}}`))
	if err != nil {
		return nil, "", err
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, url, resp.Status, text)
	}
	return resp.Header, string(text), err
}
