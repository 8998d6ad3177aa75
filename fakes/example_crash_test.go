package fakes_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
)

// A job is the record that the program stores while it creates a widget.
type job struct {
	Intent bool   // whether the request may have been sent
	Token  string // the operation's resume token; "" if it is not known yet
	Ended  bool   // whether the operation has ended
}

// A worker is the program under test. It creates a widget.
type worker struct {
	client  *http.Client
	options poller.Options
	save    func(job) error
}

// work starts or resumes the job j, and returns once the operation has ended.
func (w *worker) work(ctx context.Context, j job) error {
	if j.Ended {
		return nil
	}
	if j.Token == "" {
		p, err := w.start(ctx, &j)
		if err != nil {
			return err
		}
		if j.Token, err = p.ResumeToken(); err != nil {
			return err
		}
		if err := w.save(j); err != nil {
			return err
		}
	}
	for {
		step, err := poller.Advance[struct{}](ctx, j.Token, w.client, &w.options)
		if err != nil {
			return err
		}
		j.Token = step.Token
		j.Ended = step.Done
		if err := w.save(j); err != nil || j.Ended {
			return err
		}
		<-time.After(time.Until(step.Next))
	}
}

// start sends the request that creates the widget, and returns a poller. If an earlier process may
// already have sent that request, start first looks for the widget. If the widget exists, start
// returns a poller for its creation and does not send the request again.
func (w *worker) start(ctx context.Context, j *job) (*poller.Poller[struct{}], error) {
	if j.Intent {
		byResource := w.options
		byResource.Strategy = arm.ProvisioningState
		p, err := w.begin(ctx, http.MethodGet, &byResource)
		if !errors.Is(err, lroerrors.ErrNotFound) {
			return p, err
		}
	}
	j.Intent = true
	if err := w.save(*j); err != nil {
		return nil, err
	}
	return w.begin(ctx, http.MethodPut, &w.options)
}

func (w *worker) begin(ctx context.Context, method string, opts *poller.Options) (*poller.Poller[struct{}], error) {
	req, err := http.NewRequestWithContext(ctx, method, "https://a.test/widgets/w1", http.NoBody)
	if err != nil {
		return nil, err
	}
	return poller.Begin[struct{}](req, w.client, opts)
}

// subtests stands in for *testing.T, which an Example does not have.
type subtests struct{}

func (t subtests) Run(name string, f func(subtests)) bool {
	fmt.Print(name, ": ")
	f(t)
	return true
}

// The service ends up with exactly one operation, wherever the program crashes. In a test, replace
// subtests{} with t.
func ExampleCrashes() {
	short := poller.Cadence{Default: 20 * time.Millisecond, Min: 20 * time.Millisecond}
	fakes.Crashes(subtests{}, func(_ subtests, crash *fakes.Crash) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: 10 * time.Millisecond}}
		var stored job
		err := crash.Run(context.Background(), func(ctx context.Context, p *fakes.Process) error {
			w := &worker{
				client:  &http.Client{Transport: p.Transport(&fakes.Transport{Handler: svc})},
				options: poller.Options{Origins: []string{"https://a.test"}, Cadence: short},
				save:    func(j job) error { return p.Write(func() error { stored = j; return nil }) },
			}
			return w.work(ctx, stored)
		})
		if err != nil {
			log.Fatal(err)
		}
		operations := 0
		for _, req := range svc.Requests() {
			if req.Kind == fakes.Begin && req.Operation != "" {
				operations++
			}
		}
		fmt.Println("operations:", operations, "ended:", stored.Ended)
	})
	// Output:
	// operations: 1 ended: true
	// before write 1: operations: 1 ended: true
	// after write 1: operations: 1 ended: true
	// before PUT /widgets/w1: operations: 1 ended: true
	// after PUT /widgets/w1: operations: 1 ended: true
	// before write 2: operations: 1 ended: true
	// after write 2: operations: 1 ended: true
	// before write 3: operations: 1 ended: true
	// after write 3: operations: 1 ended: true
	// before GET /operationsStatuses/00000000-0000-4000-8000-000000000001: operations: 1 ended: true
	// after GET /operationsStatuses/00000000-0000-4000-8000-000000000001: operations: 1 ended: true
	// before write 4: operations: 1 ended: true
	// after write 4: operations: 1 ended: true
}
