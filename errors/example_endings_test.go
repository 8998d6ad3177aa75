package errors_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// ending describes how a wait ended. The order of the cases does not matter.
func ending(err error) string {
	var (
		operation *lroerrors.OperationError
		result    *lroerrors.ResultError
		wait      *lroerrors.WaitError
		status    *lroerrors.StatusError
	)
	switch {
	case err == nil:
		return "here is the result"
	case errors.As(err, &operation):
		return "it failed or was canceled"
	case errors.As(err, &result):
		return "it succeeded; read the result again"
	case errors.As(err, &wait):
		return "we stopped waiting; store wait.ResumeToken() and resume later"
	case errors.As(err, &status):
		return "a request was refused or got no response"
	}
	return err.Error() // a mistake in the program, such as an invalid option
}

// The type of the error shows how the wait ended.
func Example() {
	svc := &fakes.Service{}
	svc.Plan(fakes.Plan{Path: "/widgets/bad", Ending: fakes.Failed})
	svc.Plan(fakes.Plan{Path: "/widgets/slow", RetryAfter: 5 * time.Minute})
	svc.Fault(fakes.Fault{Kind: fakes.Begin, Path: "/widgets/forbidden", Do: fakes.Status(http.StatusForbidden)})

	create := func(name string) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, "https://a.test/widgets/"+name, http.NoBody)
		if err != nil {
			return err
		}
		p, err := poller.Begin[struct{}](req, fakes.Client(svc), &poller.Options{
			Cadence: poller.Cadence{Default: time.Millisecond}, // short, because the service is in this process
		})
		if err != nil {
			return err
		}
		_, err = p.PollUntilDone(ctx)
		return err
	}
	for _, name := range []string{"good", "bad", "slow", "forbidden"} {
		fmt.Printf("%s: %s\n", name, ending(create(name)))
	}
	// Output:
	// good: here is the result
	// bad: it failed or was canceled
	// slow: we stopped waiting; store wait.ResumeToken() and resume later
	// forbidden: a request was refused or got no response
}
