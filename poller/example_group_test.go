package poller_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// A job is an operation with its owner's name.
type job struct {
	*poller.Poller[struct{ Name string }]
	owner string
}

// A group yields the values that were added to it. Here they are structs that embed a Poller, so
// the loop knows the owner of each operation.
func ExampleGroup() {
	svc := &fakes.Service{} // in place of a real service
	svc.Plan(fakes.Plan{Path: "/widgets/w2", Polls: 30, Ending: fakes.Failed, Error: fakes.Error{Code: "Busy", Message: "try later"}})
	client := fakes.Client(svc)

	g := poller.NewGroup[job](nil)
	for i, owner := range []string{"ann", "bob", "cy"} {
		url := fmt.Sprintf("https://a.test/widgets/w%d", i+1)
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPut, url, http.NoBody)
		if err != nil {
			log.Fatal(err)
		}
		p, err := poller.Begin[struct{ Name string }](req, client, &poller.Options{
			Cadence: poller.Cadence{Default: time.Millisecond * time.Duration(i+1)}, // short pauses, because the service is in this process
		})
		if err != nil {
			log.Fatal(err)
		}
		g.Add(job{p, owner})
	}
	g.Close()

	ended := map[string]string{}
	for j, err := range g.Wait(context.Background()) {
		if err != nil {
			ended[j.owner] = j.Status().Detail.Code
			continue
		}
		widget, _ := j.Result(context.Background()) // returns at once, because Wait has read the result
		ended[j.owner] = widget.Name
	}
	for _, owner := range []string{"ann", "bob", "cy"} {
		fmt.Println(owner, ended[owner])
	}
	// Output:
	// ann w1
	// bob Busy
	// cy w3
}

// A group waits for any number of operations in one loop. Wait yields each operation after it has
// ended and its result has been read.
func ExampleNewGroup() {
	ctx := context.Background()
	client := fakes.Client(&fakes.Service{}) // in place of a real service
	var operations []*poller.Poller[Widget]
	for i := range 3 {
		p, err := poller.Begin[Widget](widgetRequest("PUT", fmt.Sprint("/widgets/w", i), "{}"), client, &poller.Options{Cadence: quick})
		if err != nil {
			log.Fatal(err)
		}
		operations = append(operations, p)
	}

	group := poller.NewGroup[*poller.Poller[Widget]](nil)
	for _, p := range operations {
		group.Add(p) // may be called at any time, from any goroutine
	}
	group.Close() // nothing more will be added
	for p, err := range group.Wait(ctx) {
		if err != nil {
			fmt.Println("failed, or not ended yet:", err)
			continue
		}
		widget, _ := p.Result(ctx) // returns at once, because Wait has read the result
		fmt.Println(widget.Name)
	}
	// Unordered output:
	// w0
	// w1
	// w2
}
