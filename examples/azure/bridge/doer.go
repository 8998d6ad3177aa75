package bridge

import (
	"context"
	"math"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// Doer returns a Doer for pollers and pagers that sends its requests through a pipeline of
// azcore, with the pipeline's credential, retries, logs, telemetry and policies.
//
// The poller schedules the reads of a status. While PollUntilDone waits, the pipeline's retries
// of a read pause for at most 5 s; Poll, Result and a poller.Group make one attempt for each
// read, so that a throttled operation delays no other. In both cases azcore's defaults replace
// the pipeline's retry options. Every other request is retried with the pipeline's options.
// azcore always answers a claims challenge with another request.
//
// The poller limits the size of a body, except for an error (400 and above), which azcore reads
// completely. The client below the pipeline follows the redirects, and azcore's default client
// follows all of them. To keep them within the poller's origins, use
//
//	policy.ClientOptions{Transport: &http.Client{CheckRedirect: transport.CheckRedirect()}}
//
// azcore treats a refused redirect as a connection failure, and retries the request before it
// gives up.
func Doer(pl runtime.Pipeline) poller.Doer { return doer{pl} }

type doer struct{ pipeline runtime.Pipeline }

// Do implements [poller.Doer].
func (d doer) Do(req *http.Request) (*http.Response, error) {
	// The policies change the request.
	r, err := runtime.NewRequestFromRequest(req.Clone(withRetries(req.Context())))
	if err != nil {
		return nil, err
	}
	runtime.SkipBodyDownload(r)
	return d.pipeline.Do(r)
}

// withRetries limits the pauses between the pipeline's attempts to transport.LongestPause. If a
// response asks for a longer pause than MaxRetryDelay, azcore returns it, as our transport does.
func withRetries(ctx context.Context) context.Context {
	switch longest := transport.LongestPause(ctx); longest {
	case math.MaxInt64:
		return ctx
	case 0: // a single attempt
		return policy.WithRetryOptions(ctx, policy.RetryOptions{MaxRetries: -1})
	default:
		return policy.WithRetryOptions(ctx, policy.RetryOptions{MaxRetryDelay: longest})
	}
}

// ClientOptions returns options for an azcore client that sends its requests through our
// transport. The transport retries and obeys throttling, and azcore's retry policy is disabled:
// with both, four attempts would become sixteen. Leave the Token of opts nil, because azcore
// authorizes the requests.
func ClientOptions(opts *transport.Options) policy.ClientOptions {
	return policy.ClientOptions{Transport: transport.NewClient(opts), Retry: policy.RetryOptions{MaxRetries: -1}}
}
