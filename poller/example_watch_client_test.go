package poller_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A responseError contains the response with its code, headers and body, like azcore's
// ResponseError.
type responseError struct{ RawResponse *http.Response }

func (e *responseError) Error() string { return "the request was refused" }

// getRefused stands in for a client's Get method that returns a responseError because the service
// refuses the request.
func getRefused(context.Context) (*server, error) {
	body := `{"error":{"code":"AuthorizationFailed","message":"the role was removed"}}`
	return nil, &responseError{&http.Response{StatusCode: http.StatusForbidden, Body: io.NopCloser(strings.NewReader(body))}}
}

// Many clients' errors contain the response, which has the status code. StatusOf returns that code
// with the service's error and Retry-After. The watch can then end right away after an error that
// no retry can fix.
func ExampleWatch_statusOf() {
	p := poller.Watch(getRefused, poller.Found, &poller.WatchOptions{Name: "s1", StatusOf: func(err error) *lroerrors.StatusError {
		if refused, ok := errors.AsType[*responseError](err); ok {
			err = transport.AsError(refused.RawResponse)
		}
		status, _ := errors.AsType[*lroerrors.StatusError](err)
		return status
	}})
	_, err := p.PollUntilDone(context.Background())
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	if !ok {
		log.Fatal(err)
	}
	fmt.Println(wait.Reason)
	fmt.Println(wait.LastErr)
	// Output:
	// Refused
	// lro: s1: 403 Forbidden: AuthorizationFailed: the role was removed: the request was refused
}

// After an update, the first read may still show the success of the previous update. The resource's
// generation shows which update its state belongs to.
func ExampleWatch_generation() {
	type deployment struct {
		Observed int // the generation that State describes
		State    string
	}
	reads := []deployment{{1, "Ready"}, {1, "Ready"}, {2, "Rolling"}, {2, "Ready"}}
	get := func(context.Context) (d deployment, err error) {
		d, reads = reads[0], reads[1:]
		return d, nil
	}
	const updated = 2 // the generation that the update returned

	p := poller.Watch(get, poller.Until(func(d deployment) bool {
		return d.Observed >= updated && d.State == "Ready"
	}), &poller.WatchOptions{Name: "web", Cadence: inProcess})
	d, err := p.PollUntilDone(context.Background())
	fmt.Println(d.Observed, d.State, err)
	// Output: 2 Ready <nil>
}

// report is the code under test. It waits for the operation and describes how it ended.
func report(ctx context.Context, p *poller.Poller[*server]) string {
	s, err := p.PollUntilDone(ctx)
	switch {
	case errors.Is(err, lroerrors.ErrCanceled):
		return "canceled"
	case err != nil:
		return "failed"
	}
	return "created: " + s.State
}

// Finished returns a Poller whose operation has already ended. Use it to test code that takes a
// Poller.
func ExampleFinished() {
	ctx := context.Background()
	fmt.Println(report(ctx, poller.Finished(&server{State: "Running"}, nil)))
	fmt.Println(report(ctx, poller.Finished[*server](nil, &lroerrors.OperationError{State: "Failed"})))
	fmt.Println(report(ctx, poller.Finished[*server](nil, &lroerrors.OperationError{State: "Canceled"})))
	// Output:
	// created: Running
	// failed
	// canceled
}

// Use New if you need the first response, which may say that the service sends notifications. Once
// New returns, the Poller's URL identifies the operation, so you can match a notification to its
// Poller.
func ExampleNew() {
	began := time.Now()
	client := fakes.Client(widgets("Azure-AsyncNotification", "Enabled"))
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "https://a.test/widgets", http.NoBody)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	p, err := poller.New[struct{ Name string }](resp, client, nil)
	if err != nil {
		log.Fatal(err)
	}
	waiting := map[string]*poller.Poller[struct{ Name string }]{}
	if strings.EqualFold(resp.Header.Get("Azure-AsyncNotification"), "Enabled") {
		waiting[p.URL()] = p
	}

	waiting["https://a.test/operations/op1"].WakeUp() // as if a notification with this URL had arrived
	widget, err := p.PollUntilDone(context.Background())
	fmt.Println(widget.Name, err, time.Since(began) < time.Minute)
	// Output: w1 <nil> true
}

// widgets returns a service whose operations end at the first poll. Its responses to requests that
// start an operation have the given header.
func widgets(name, value string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.Header().Set("Location", "/operations/op1")
			w.Header().Set(name, value)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		_, _ = io.WriteString(w, `{"name":"w1"}`)
	})
}
