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

// shareStatus is the status of a custom resource. The API server stores it, so it
// survives a restart of the controller.
type shareStatus struct {
	Token   string         // the operation's resume token
	Verdict poller.Verdict // the last read's verdict, which the token does not contain
	Message string
}

// shareOptions are passed to Begin and to each Advance, because a resume token does not contain
// them.
var shareOptions = &poller.Options{
	Origins: []string{"https://a.test"},                    // a token may be forged, so list the origins to which it may lead
	Cadence: poller.Cadence{Default: 5 * time.Millisecond}, // short pauses, because the service is in this process
}

// reconcile reads the status if a read is due, and returns the pause for controller-runtime's
// RequeueAfter. Zero means "do not requeue".
func reconcile(ctx context.Context, client *http.Client, s *shareStatus) (time.Duration, error) {
	step, err := poller.Advance[share](ctx, s.Token, client, shareOptions)
	pause := max(time.Until(step.Next), time.Millisecond) // zero would mean "do not requeue"
	if step.Token == s.Token && time.Now().Before(step.Next) {
		return pause, nil // called early, so the stored verdict still applies
	}
	s.Token = step.Token // even after a failed read, which the new token records
	s.Verdict = poller.Classify(err)
	switch s.Verdict {
	case poller.Ended, poller.Stuck:
		s.Message = err.Error()
		return 0, err // the operation has ended, or someone has to act
	}
	if step.Done {
		s.Message = "there is " + step.Result.Name
		return 0, nil
	}
	s.Message = step.Status.Word
	if step.Status.ReadErr != nil {
		s.Message += ", one read failed"
	}
	return pause, nil
}

// A reconciler reads the status and the result at most once per call. It stores the new token and
// asks to be called again at Step.Next. After a failed read or a restart, the next call continues
// with the stored token.
func ExampleAdvance() {
	ctx := context.Background()
	svc := &fakes.Service{} // in place of a real service
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.Status(http.StatusServiceUnavailable)})
	client := fakes.Client(svc)

	// The reconciler's first call starts the operation and stores the token before it returns.
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "https://a.test/shares/s1", http.NoBody)
	if err != nil {
		log.Fatal(err)
	}
	p, err := poller.Begin[share](req, client, shareOptions)
	if err != nil {
		log.Fatal(err)
	}
	var stored shareStatus
	if stored.Token, err = p.ResumeToken(); err != nil {
		log.Fatal(err)
	}

	// This loop stands in for the work queue, which calls reconcile again after each pause.
	pause := time.Until(p.NextPoll())
	for again := true; again; again = pause > 0 {
		<-time.After(pause)
		pause, err = reconcile(ctx, client, &stored)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(stored.Message)
	}
	// Output:
	// Accepted
	// Accepted, one read failed
	// Provisioning
	// there is s1
}
