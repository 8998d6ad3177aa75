package errors_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/transport"
)

type disk struct{ Name string }

// A job holds what a later run of the program needs to continue waiting for an operation.
type job struct {
	token string    // from WaitError.ResumeToken
	due   time.Time // when to resume the wait
	note  string    // a message for the user
}

// stopped records why the wait stopped, and when and how to resume it.
func (j *job) stopped(wait *lroerrors.WaitError) error {
	var err error
	if j.token, err = wait.ResumeToken(); err != nil {
		return err
	}
	j.due = wait.NextPoll
	switch wait.Reason {
	case lroerrors.ReasonCanceled: // for example, Ctrl-C canceled the context
		j.note = "interrupted; run the program again to continue"
	case lroerrors.ReasonDeadline: // the deadline has passed, or the next read is due after it
		j.note = "not finished in time; continue at NextPoll"
	case lroerrors.ReasonPatience: // reads failed for longer than Options.Patience allows
		j.note = "the service does not report the status; continue when it has recovered"
	case lroerrors.ReasonRefused: // LastErr says why, for example a 403
		j.note = "not allowed to read the status; fix the access, then continue"
	case lroerrors.ReasonGone: // the service deleted the status or hides it
		j.note = "the status is gone; look at the resource"
	case lroerrors.ReasonUnfollowable: // LastErr says why
		j.note = "accepted, but these options cannot follow it; resume with other options"
	}
	return nil
}

// The next step depends on the WaitError's Reason.
func ExampleWaitError() {
	svc := &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}}
	poll := func(name string, do func(http.Handler) http.Handler) {
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Path: "/disks/" + name, Do: do})
	}
	poll("outage", fakes.Status(http.StatusBadGateway))
	poll("forbidden", fakes.Status(http.StatusForbidden))
	poll("expired", fakes.Status(http.StatusGone))
	svc.Fault(fakes.Fault{Kind: fakes.Begin, Path: "/disks/elsewhere", Do: fakes.Header("Azure-AsyncOperation", "https://b.test/operations/1")})

	interrupted, interrupt := context.WithCancel(context.Background())
	interrupt()
	short, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	create := func(ctx context.Context, name string) error {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPut, "https://a.test/disks/"+name, strings.NewReader("{}"))
		if err != nil {
			return err
		}
		p, err := poller.Begin[disk](req, fakes.Client(svc), &poller.Options{
			Cadence:  poller.Cadence{Default: time.Millisecond}, // short, because the service is in this process
			Patience: poller.Patience{Time: -1, Failures: 3},
		})
		if err != nil {
			return err
		}
		_, err = p.PollUntilDone(ctx)
		return err
	}
	show := func(ctx context.Context, name string) {
		var wait *lroerrors.WaitError
		if err := create(ctx, name); !errors.As(err, &wait) {
			log.Fatal(err)
		}
		var j job
		if err := j.stopped(wait); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s\n", name, j.note)
	}
	show(interrupted, "interrupted")
	show(short, "slow")
	for _, name := range []string{"outage", "forbidden", "expired", "elsewhere"} {
		show(context.Background(), name)
	}
	// Output:
	// interrupted: interrupted; run the program again to continue
	// slow: not finished in time; continue at NextPoll
	// outage: the service does not report the status; continue when it has recovered
	// forbidden: not allowed to read the status; fix the access, then continue
	// expired: the status is gone; look at the resource
	// elsewhere: accepted, but these options cannot follow it; resume with other options
}

// explain returns the text to show to the user if an operation did not succeed.
func explain(failed *lroerrors.OperationError) string {
	switch {
	case errors.Is(failed, lroerrors.ErrCanceled):
		return "canceled"
	case failed.Detail.IsZero():
		return "failed without a reason"
	}
	lines := []string{failed.Detail.Code + ": " + failed.Detail.Message}
	for _, d := range failed.Detail.Details {
		lines = append(lines, "- "+d.Code+": "+d.Message)
	}
	return strings.Join(lines, "\n")
}

// The service's reason for a failure is a tree of codes and messages.
func ExampleOperationError() {
	fmt.Println(explain(&lroerrors.OperationError{State: "Failed", Detail: &lroerrors.Detail{
		Code: "DeploymentFailed", Message: "At least one resource failed.",
		Details: []lroerrors.Detail{{Code: "QuotaExceeded", Message: "No cores left."}},
	}}))
	fmt.Println(explain(&lroerrors.OperationError{State: "Canceled"}))
	fmt.Println(explain(&lroerrors.OperationError{State: "Failed"}))
	// Output:
	// DeploymentFailed: At least one resource failed.
	// - QuotaExceeded: No cores left.
	// canceled
	// failed without a reason
}

// resultOf returns the result of an operation that succeeded, even if the first read of the result
// failed.
func resultOf(ctx context.Context, p *poller.Poller[disk]) (disk, error) {
	d, err := p.PollUntilDone(ctx)
	var unread *lroerrors.ResultError
	for tries := 0; errors.As(err, &unread) && tries < 3; tries++ {
		d, err = p.PollUntilDone(ctx) // reads only the result, with the full Options.Patience again
	}
	return d, err
}

// After a ResultError, read the result again. Do not start the operation again, because it has
// already succeeded.
func ExampleResultError() {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 2, Do: fakes.Status(http.StatusBadRequest)})
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPut, "https://a.test/disks/d1", strings.NewReader("{}"))
	if err != nil {
		log.Fatal(err)
	}
	p, err := poller.Begin[disk](req, fakes.Client(svc), &poller.Options{
		Cadence: poller.Cadence{Default: time.Millisecond}, // short, because the service is in this process
	})
	if err != nil {
		log.Fatal(err)
	}
	d, err := resultOf(context.Background(), p)
	fmt.Println(d.Name, err)
	// Output:
	// d1 <nil>
}

// begin starts an operation with a PUT. If no response confirms the PUT, it reads the resource with
// a GET and follows its state.
func begin(put, get *http.Request, client *http.Client) (*poller.Poller[disk], error) {
	p, err := poller.Begin[disk](put, client, nil)
	var status *lroerrors.StatusError
	if errors.As(err, &status) && status.Unanswered {
		return poller.Begin[disk](get, client, &poller.Options{Strategy: arm.ProvisioningState})
	}
	return p, err
}

// If Unanswered is set, the operation may have started even though Begin returned an error.
func ExampleStatusError() {
	svc := &fakes.Service{Default: fakes.Plan{Style: fakes.ProvisioningState}}
	svc.Fault(fakes.Fault{Kind: fakes.Begin, Method: http.MethodPut, Times: 4, Do: fakes.Truncate(1 << 20)}) // the service handles the request, but the whole response is lost
	client := transport.NewClient(&transport.Options{
		Base:     &fakes.Transport{Handler: svc},
		MaxDelay: time.Millisecond, // short, because the service is in this process
	})
	request := func(method string) *http.Request {
		req, err := http.NewRequestWithContext(context.Background(), method, "https://a.test/disks/d1", strings.NewReader("{}"))
		if err != nil {
			log.Fatal(err)
		}
		return req
	}
	p, err := begin(request(http.MethodPut), request(http.MethodGet), client)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Status().State)
	// Output:
	// InProgress
}
