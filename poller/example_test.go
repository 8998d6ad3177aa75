package poller_test

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
	"github.com/lro-go/lro/fakes/arohcp"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
)

// A Widget is the resource in the examples.
type Widget struct {
	Name       string `json:"name"`
	Properties struct {
		Size int `json:"size"`
	} `json:"properties"`
}

// quick is a Cadence with short pauses for a service in the same process.
var quick = poller.Cadence{Default: time.Millisecond}

// widgetRequest returns a request to https://a.test.
func widgetRequest(method, path, body string) *http.Request {
	req, err := http.NewRequestWithContext(context.Background(), method, "https://a.test"+path, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	return req
}

// Updates yields the last known status and then a status for each read, for a progress line or a
// log.
func ExamplePoller_Updates() {
	ctx := context.Background()
	svc := &fakes.Service{Default: fakes.Plan{Polls: 3, Percent: true}}

	p, err := poller.Begin[Widget](widgetRequest("PUT", "/widgets/w1", `{}`), fakes.Client(svc), &poller.Options{Cadence: quick})
	if err != nil {
		log.Fatal(err)
	}
	for status, err := range p.Updates(ctx) {
		if err != nil {
			log.Fatal(err) // always a *WaitError
		}
		fmt.Println(status)
	}
	widget, err := p.Result(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(widget.Name)
	// Output:
	// InProgress "Accepted"
	// InProgress "Accepted" 25%
	// InProgress "Provisioning" 50%
	// InProgress "Provisioning" 75%
	// Succeeded 100%
	// w1
}

// A resume token lets another process wait for the operation.
func ExampleResume() {
	ctx := context.Background()
	client := fakes.Client(&fakes.Service{})

	first, err := poller.Begin[Widget](widgetRequest("PUT", "/widgets/w1", `{}`), client, &poller.Options{Cadence: quick})
	if err != nil {
		log.Fatal(err)
	}
	token, err := first.ResumeToken() // a real program would store the token
	if err != nil {
		log.Fatal(err)
	}

	second, err := poller.Resume[Widget](token, client, &poller.Options{
		Origins: []string{"https://a.test"}, // a token may be forged, so list the origins to which it may lead
		Cadence: quick,
	})
	if err != nil {
		log.Fatal(err)
	}
	widget, err := second.PollUntilDone(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(widget.Name)
	// Output:
	// w1
}

// A deadline ends the wait, not the operation. The wait ends at once if the service asked for a
// pause that ends after the deadline.
func ExamplePoller_PollUntilDone_deadline() {
	svc := &fakes.Service{Default: fakes.Plan{RetryAfter: 5 * time.Minute}}
	p, err := poller.Begin[Widget](widgetRequest("PUT", "/widgets/w1", `{}`), fakes.Client(svc), nil)
	if err != nil {
		log.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = p.PollUntilDone(ctx)
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		token, err := wait.ResumeToken()
		fmt.Printf("%s; the service asked for the pause: %t\n", wait.Reason, wait.Asked)
		fmt.Printf("there is a token to store: %t\n", err == nil && token != "")
	}
	// Output:
	// Deadline; the service asked for the pause: true
	// there is a token to store: true
}

// ARM does not define how to cancel an operation, so the caller provides the request. The service
// may ignore the request, so poll until the operation ends to see whether it was canceled.
func ExamplePoller_Cancel() {
	ctx := context.Background()
	svc := &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}}
	var p *poller.Poller[Widget]
	p, err := poller.Begin[Widget](widgetRequest("PUT", "/widgets/w1", `{}`), fakes.Client(svc), &poller.Options{
		Cadence: quick,
		CancelRequest: func(poller.Status) (*poller.Request, error) {
			return &poller.Request{Method: http.MethodDelete, URL: p.URL()}, nil // in this service, deleting an operation cancels it
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := p.Cancel(ctx); err != nil {
		log.Fatal(err)
	}
	_, err = p.PollUntilDone(ctx)
	fmt.Println(errors.Is(err, lroerrors.ErrCanceled))
	// Output:
	// true
}

// A deletion has no result. If the service forgets the operation once the resource is gone, the
// poller reads the resource. A 404 then confirms the deletion.
func ExampleBegin_delete() {
	ctx := context.Background()
	svc := &fakes.Service{Default: fakes.Plan{Polls: 1}}
	svc.Put("/widgets/w1", Widget{})
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.Status(http.StatusNotFound)})

	p, err := poller.Begin[struct{}](widgetRequest("DELETE", "/widgets/w1", ""), fakes.Client(svc), &poller.Options{Cadence: quick})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := p.PollUntilDone(ctx); err != nil {
		log.Fatal(err)
	}
	for _, req := range svc.Requests() {
		fmt.Println(req.Method, req.Kind, req.StatusCode)
	}
	// Output:
	// DELETE Begin 202
	// GET Poll 200
	// GET Poll 404
	// GET Read 404
}

// If you have only an operation's URL, or the URL of the proxy resource that reports its latest
// status, pass a GET of that URL to Begin and set the Strategy.
func ExampleBegin_lostURL() {
	ctx := context.Background()
	reads := 0
	latest := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads++
		word := "Running"
		if reads > 2 {
			word = "Succeeded"
		}
		_, _ = fmt.Fprintf(w, `{"name": "latest", "properties": {"status": %q, "passed": 12}}`, word)
	})
	p, err := poller.Begin[struct{ Passed int }](widgetRequest("GET", "/tests/t1/testExecutionResults/latest", ""), fakes.Client(latest), &poller.Options{
		Strategy:      arm.AsyncOperation,
		ResultPointer: "/properties",
		Cadence:       quick,
	})
	if err != nil {
		log.Fatal(err)
	}
	report, err := p.PollUntilDone(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Passed, "passed")
	// Output:
	// 12 passed
}

// A notification ends the pause early. Its content cannot be trusted, so the poller reads the
// status.
func ExamplePoller_WakeUp() {
	ctx := context.Background()
	const widgets = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Contoso/widgets"
	svc := arohcp.New()
	svc.Default = fakes.Plan{Duration: time.Nanosecond}
	defer svc.Close()
	ready := make(chan *poller.Poller[Widget], 1)
	svc.Notify = fakes.Client(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		(<-ready).WakeUp()
	}))

	req := widgetRequest("PUT", widgets+"/w1?api-version=2024-06-10-preview", `{}`)
	req.Header.Set("Azure-AsyncNotificationUri", "https://me.test/notifications/1")
	p, err := poller.Begin[Widget](req, fakes.Client(svc), nil) // by default, the poller reads the status once a minute
	if err != nil {
		log.Fatal(err)
	}
	ready <- p
	widget, err := p.PollUntilDone(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(widget.Name)
	// Output:
	// w1
}
