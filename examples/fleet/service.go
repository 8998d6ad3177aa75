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

// subscriptions is the number of subscriptions that the operations are spread over. A service
// limits the requests of each subscription separately.
const subscriptions = 8

// extra lists, for each subscription, how many more reads than the average its operations take. A
// negative number means fewer reads. The numbers differ so that the operations do not all end at
// the same time.
var extra = [subscriptions]int{0, -1, 1, 2, 0, 1, -1, -2}

// styles are the ways in which the service reports a status. Subscriptions use them in turn. The
// poller detects which one is in use.
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

// group returns the path of the resource group in subscription k whose operations end with e.
func group(k int, e fakes.Ending) string {
	return fmt.Sprintf("/subscriptions/00000000-0000-0000-0000-%012d/resourceGroups/%s", k, groups[e])
}

// collection returns the path of the widgets in the resource group for k and e.
func collection(k int, e fakes.Ending) string {
	return group(k, e) + "/providers/Microsoft.Contoso/widgets"
}

func newService(cfg config) http.Handler {
	svc := &fakes.Service{}
	for k := range subscriptions {
		for e := range groups {
			plan := fakes.Plan{Path: group(k, e), Style: styles[k%len(styles)], Ending: e, Polls: cfg.polls + extra[k] - 1}
			if plan.Polls <= 0 {
				plan.Polls = -1 // the operation has already ended at the first read; 0 would mean the default
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

// faultyResponses lists the ways in which a response can be faulty.
var faultyResponses = []func(http.Handler) http.Handler{
	fakes.Status(http.StatusInternalServerError),
	fakes.Status(http.StatusServiceUnavailable),
	fakes.HTML(http.StatusBadGateway),
	fakes.HTML(http.StatusOK), // looks like the sign-in page of a proxy
	fakes.Truncate(10),
	fakes.Drop(),
}

// unreliable injects a fault into the given fraction of the responses to reads.
func unreliable(next http.Handler, fraction float64) http.Handler {
	var reads, faults atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := next
		if r.Method == http.MethodGet {
			if due := int64(fraction * float64(reads.Add(1))); due > faults.Load() {
				h = faultyResponses[faults.Add(1)%int64(len(faultyResponses))](next)
			}
		}
		h.ServeHTTP(w, r)
	})
}

// serveCommand is the argument that makes this program run as the second process.
const serveCommand = "serve"

// serve runs in the second process. It starts the service, writes its origin to w, and returns when
// it reaches the end of r.
func serve(cfg config, r io.Reader, w io.Writer) error {
	server := httptest.NewServer(newService(cfg))
	defer server.Close()
	if _, err := fmt.Fprintln(w, server.URL); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, r)
	return err
}

// A process is a handle to the running second process.
type process struct {
	origin string // the origin of the service
	cmd    *exec.Cmd
	stdin  io.Closer
}

// startService starts the second process, which runs until stop is called or this process ends.
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
