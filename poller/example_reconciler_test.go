package poller_test

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
)

// shareStatus is the status of a custom resource. The API server stores it, so it
// survives a restart of the controller.
type shareStatus struct {
	Token   string // resumes the operation; "" if none is running
	Message string
}

// A resume token does not contain any options, so shareOptions is passed to Begin and to each
// Resume.
var shareOptions = &poller.Options{
	Origins: []string{"https://a.test"},                    // to which Resume may send requests
	Cadence: poller.Cadence{Default: 5 * time.Millisecond}, // short pauses, because the service is in this process
}

// reconcile reads the status at most once and the result at most once, and never waits. It returns
// the pause before the next call, for controller-runtime's RequeueAfter, where zero or less means
// "do not requeue".
func reconcile(ctx context.Context, client *http.Client, s *shareStatus) (time.Duration, error) {
	p, err := poller.Resume[share](s.Token, client, shareOptions)
	if err != nil {
		return 0, err
	}
	if early := time.Until(p.NextPoll()); early > 0 {
		return early, nil // something triggered this call before the pause was over
	}
	_, err = p.Poll(ctx)
	if p.Done() {
		var made share
		if made, err = p.Result(ctx); err == nil {
			s.Token, s.Message = "", "there is "+made.Name
			return 0, nil
		}
	}
	_, failed := errors.AsType[*lroerrors.OperationError](err)
	_, lost := errors.AsType[*lroerrors.ResultError](err)
	_, stopped := errors.AsType[*lroerrors.WaitError](err)
	if failed || lost || stopped {
		return 0, err
	}
	// The operation is in progress, or a read failed. Store a new token in both cases, because the
	// token also records how many reads have failed.
	if s.Token, err = p.ResumeToken(); err != nil {
		return 0, err
	}
	s.Message = p.Status().Word
	if p.Status().ReadErr != nil {
		s.Message += ", one read failed"
	}
	return max(time.Until(p.NextPoll()), time.Millisecond), nil // zero would mean "do not requeue"
}

// A reconciler resumes the operation from the stored token in each call, reads the status once if a
// read is due, stores the new token and asks to be called again at NextPoll. The operation survives
// a failed read or a restart of the reconciler.
func ExamplePoller_NextPoll() {
	ctx := context.Background()
	svc := &fakes.Service{} // in place of a real service
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.Status(http.StatusServiceUnavailable)})
	client := fakes.Client(svc)

	// The first call starts the operation, and stores the token before it returns.
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

	// The work queue calls reconcile again after each pause.
	for pause := max(time.Until(p.NextPoll()), time.Millisecond); pause > 0; {
		time.Sleep(pause)
		if pause, err = reconcile(ctx, client, &stored); err != nil {
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
