package lro_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// All that is left of an operation is a URL: its own, or that of the proxy
// resource that tells the latest status. A GET takes it up, with the strategy by
// name.
func Example_lostURL() {
	ctx := context.Background()
	asked := 0
	latest := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		word := "Running"
		if asked > 2 {
			word = "Succeeded"
		}
		_, _ = fmt.Fprintf(w, `{"name": "latest", "properties": {"status": %q, "passed": 12}}`, word)
	})
	p, err := poller.Begin[struct{ Passed int }](request("GET", "/tests/t1/testExecutionResults/latest", ""), fakes.Client(latest), &poller.Options{
		Strategy:      poller.AzureAsyncOperation,
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

// Where the service does not ask for a pause, the pauses are a minute long. For operations that
// may be short, begin with short ones that grow.
func Example_pace() {
	client := fakes.Client(&fakes.Service{}) // in place of a real one
	opts := &poller.Options{Cadence: poller.Cadence{
		First:   2 * time.Second,  // the first pause; each further one is twice as long
		Default: 20 * time.Second, // the longest
	}}
	p, err := poller.Begin[Widget](request("PUT", "/widgets/w1", "{}"), client, opts)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(time.Until(p.NextPoll()).Round(time.Second))
	if _, err := p.Poll(context.Background()); err != nil { // before its time, for the Example
		log.Fatal(err)
	}
	fmt.Println(time.Until(p.NextPoll()).Round(time.Second))
	// Output:
	// 2s
	// 4s
}

// A service that notifies ends the pause early. The notification is not believed:
// it wakes the poller up, and that asks.
func Example_notification() {
	ctx := context.Background()
	const widgets = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Contoso/widgets"
	svc := fakes.AROHCP()
	svc.Default = fakes.Plan{Duration: 1} // a nanosecond
	defer svc.Close()
	ready := make(chan *poller.Poller[Widget], 1)
	svc.Notify = fakes.Client(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		(<-ready).WakeUp()
	}))

	req := request("PUT", widgets+"/w1?api-version=2024-06-10-preview", `{}`)
	req.Header.Set("Azure-AsyncNotificationUri", "https://me.test/notifications/1")
	p, err := poller.Begin[Widget](req, fakes.Client(svc), nil) // once a minute, else
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

// A group waits for any number of operations in one loop, and yields each one when it has
// ended and its result has been read.
func Example_manyOperations() {
	ctx := context.Background()
	client := fakes.Client(&fakes.Service{}) // in place of a real one
	var operations []*poller.Poller[Widget]
	for i := range 3 {
		p, err := poller.Begin[Widget](request("PUT", fmt.Sprint("/widgets/w", i), "{}"), client, &poller.Options{Cadence: quick})
		if err != nil {
			log.Fatal(err)
		}
		operations = append(operations, p)
	}

	group := poller.NewGroup[*poller.Poller[Widget]](nil)
	for _, p := range operations {
		group.Add(p) // at any time, from any goroutine
	}
	group.Close() // nothing more will be added
	for p, err := range group.Wait(ctx) {
		if err != nil {
			fmt.Println("failed, or not ended yet:", err)
			continue
		}
		widget, _ := p.Result(ctx) // already read
		fmt.Println(widget.Name)
	}
	// Unordered output:
	// w0
	// w1
	// w2
}
