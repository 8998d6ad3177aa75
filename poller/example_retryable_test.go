package poller_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	"github.com/lro-go/lro/poller"
)

type share struct{ Name string }

// createShareOnce starts one operation and waits for it to end.
func createShareOnce(ctx context.Context, client *http.Client, url string) (share, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(`{}`))
	if err != nil {
		return share{}, err
	}
	p, err := poller.Begin[share](req, client, &poller.Options{
		Cadence: poller.Cadence{Default: time.Millisecond}, // short pauses, because the service is in this process
	})
	if err != nil {
		return share{}, err
	}
	return p.PollUntilDone(ctx)
}

// createShare starts the operation again after each Retryable error, and gives up after the fourth
// attempt.
func createShare(ctx context.Context, client *http.Client, url string) (share, error) {
	const attempts = 4
	// For a real service, start with 30 seconds, or with the StatusError's RetryAfter if that is
	// longer.
	const pause = time.Millisecond

	for attempt := 1; ; attempt++ {
		s, err := createShareOnce(ctx, client, url)
		if err == nil || attempt == attempts || !poller.Retryable(err) {
			return s, err
		}
		fmt.Printf("attempt %d: %v\n", attempt, err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return share{}, fmt.Errorf("%w; not started again: %w", err, context.Cause(ctx))
		}
	}
}

// This example makes three attempts. The first is refused because the service is busy (quirk W57).
// The second fails with a retryable error (quirk W23). The third succeeds.
func ExampleRetryable() {
	svc := &fakes.Service{} // in place of a real service
	svc.Fault(fakes.Fault{
		Kind: fakes.Begin, Times: 1,
		Do: fakes.Respond(http.StatusConflict, `{"error":{"code":"Conflict","message":"another operation is in progress"}}`),
	})
	svc.Quirk(quirks.FailsWithRetryableError, "/shares/s1")

	s, err := createShare(context.Background(), fakes.Client(svc), "https://a.test/shares/s1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("created", s.Name)
	// Output:
	// attempt 1: lro: PUT https://a.test/shares/s1: 409 Conflict: Conflict: another operation is in progress (request id f0000000-0000-4000-8000-000000000001)
	// attempt 2: lro: operation Failed: RetryableError: A retryable error occurred. (ReferencedResourceNotProvisioned: A resource that is referred to is not provisioned.) (request id f0000000-0000-4000-8000-000000000005)
	// created s1
}
