package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/lro-go/lro/fakes"
)

// subscriptions is the number of subscriptions that the operations are spread over.
// Services limit the requests of each one separately.
const subscriptions = 8

// extra holds the number of reads that the operations of each subscription take beyond the average,
// so that they do not all end at once.
var extra = [subscriptions]int{0, -1, 1, 2, 0, 1, -1, -2}

// styles are the ways in which the service reports the status, a different one in each
// of four subscriptions. The poller finds out which.
var styles = []fakes.Style{
	fakes.AzureAsyncOperation, fakes.OperationLocation, fakes.Location, fakes.ProvisioningState,
}

// groups are the resource groups. How an operation ends depends on its resource group.
var groups = map[fakes.Ending]string{
	fakes.Succeeded: "fleet",
	fakes.Failed:    "over-quota",
	fakes.Canceled:  "withdrawn",
}

// ending returns how operation i ends.
func ending(i int) fakes.Ending {
	switch {
	case i%19 == 7:
		return fakes.Failed
	case i%31 == 13:
		return fakes.Canceled
	}
	return fakes.Succeeded
}

// group returns the path of a resource group in subscription k.
func group(k int, e fakes.Ending) string {
	return fmt.Sprintf("/subscriptions/00000000-0000-0000-0000-%012d/resourceGroups/%s", k, groups[e])
}

// collection returns the path of the widgets in that resource group.
func collection(k int, e fakes.Ending) string {
	return group(k, e) + "/providers/Microsoft.Contoso/widgets"
}

func newService(cfg config) http.Handler {
	svc := &fakes.Service{}
	for k := range subscriptions {
		for e := range groups {
			plan := fakes.Plan{Path: group(k, e), Style: styles[k%len(styles)], Ending: e, Polls: cfg.polls + extra[k] - 1}
			if plan.Polls <= 0 {
				plan.Polls = -1 // the first read finds the end; 0 would mean the default
			}
			if e == fakes.Canceled && plan.Style == fakes.Location {
				plan.Style |= fakes.AzureAsyncOperation // with a Location alone, a cancellation looks like a failure
			}
			svc.Plan(plan)
		}
	}
	svc.Fault(fakes.Fault{Do: fakes.Header("Retry-After-Ms", strconv.FormatInt(cfg.pause.Milliseconds(), 10))})
	return unreliable(svc, cfg.faults)
}

// mishaps lists the faulty responses.
var mishaps = []func(http.Handler) http.Handler{
	fakes.Status(http.StatusInternalServerError),
	fakes.Status(http.StatusServiceUnavailable),
	fakes.HTML(http.StatusBadGateway),
	fakes.HTML(http.StatusOK), // the sign-in page of a proxy
	fakes.Truncate(10),
	fakes.Drop(),
}

// unreliable makes a fraction of the responses to reads faulty.
func unreliable(next http.Handler, fraction float64) http.Handler {
	var reads, faults atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := next
		if r.Method == http.MethodGet {
			if due := int64(fraction * float64(reads.Add(1))); due > faults.Load() {
				h = mishaps[faults.Add(1)%int64(len(mishaps))](next)
			}
		}
		h.ServeHTTP(w, r)
	})
}

// serveCommand is the argument of the second process.
const serveCommand = "serve"

// serve is the second process. It prints the origin of the service to w and serves until
// r ends.
func serve(cfg config, r io.Reader, w io.Writer) error {
	server := httptest.NewServer(newService(cfg))
	defer server.Close()
	if _, err := fmt.Fprintln(w, server.URL); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, r)
	return err
}

// A process is the second process.
type process struct {
	origin string // the origin of the service
	cmd    *exec.Cmd
	stdin  io.Closer
}

// startService starts the second process. It runs until stop is called or this process ends.
func startService(ctx context.Context, cfg config) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self, fmt.Sprintf("-polls=%d", cfg.polls),
		fmt.Sprintf("-pause=%s", cfg.pause), fmt.Sprintf("-faults=%g", cfg.faults), serveCommand)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, stdin: stdin}
	origin, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("the service did not start: %w", err)
	}
	p.origin = strings.TrimSpace(origin)
	return p, nil
}

// stop closes the standard input of the process, which makes serve return.
func (p *process) stop() {
	p.stdin.Close()
	_ = p.cmd.Wait()
}
