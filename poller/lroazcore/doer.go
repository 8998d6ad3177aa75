package lroazcore

import (
	"context"
	"math"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// Doer returns a Doer for pollers and pagers that sends requests through an azcore pipeline, with
// the pipeline's credential, retries, logs, telemetry and policies. It returns the pipeline's
// errors unchanged. It is safe for concurrent use.
//
// Retry options that the caller sets with policy.WithRetryOptions apply to every request, even if
// Poll, Result or a poller.Group then has to wait for a retry. Without them, the poller schedules
// the reads of a status: for PollUntilDone, the pipeline pauses for at most 5 s before it retries a
// read; for Poll, Result and a poller.Group, it makes only one attempt at each read, so that a
// throttled operation does not delay others. For all these reads, azcore's default retry options
// replace the Retry field of the pipeline's ClientOptions; for all other requests, that field
// applies. azcore always responds to a claims challenge with another request.
// Options.ResponseTimeout of package poller limits the duration of a read, including all its
// retries.
//
// The poller limits the size of a response body. If the response is an error (400 and above),
// however, azcore reads the whole body. The HTTP client below the pipeline follows redirects;
// azcore's default client follows all of them. To restrict them to the poller's origins, use
//
//	policy.ClientOptions{Transport: &http.Client{CheckRedirect: transport.CheckRedirect()}}
//
// azcore treats a refused redirect as a connection failure, and retries the request before it
// gives up.
func Doer(pl runtime.Pipeline) poller.Doer { return doer{pl} }

type doer struct{ pipeline runtime.Pipeline }

// Do implements [poller.Doer].
func (d doer) Do(req *http.Request) (*http.Response, error) {
	// Clone the request, because the policies modify it.
	r, err := runtime.NewRequestFromRequest(req.Clone(layered{req.Context(), retries(req.Context())}))
	if err != nil {
		return nil, err
	}
	runtime.SkipBodyDownload(r)
	return d.pipeline.Do(r)
}

// retries returns a context with retry options that limit the pauses between attempts to
// transport.LongestPause. If a response asks for a longer pause than MaxRetryDelay, azcore returns
// the response, like our transport.
func retries(ctx context.Context) context.Context {
	switch longest := transport.LongestPause(ctx); longest {
	case math.MaxInt64:
		return context.Background()
	case 0: // a single attempt
		return policy.WithRetryOptions(context.Background(), policy.RetryOptions{MaxRetries: -1})
	default:
		return policy.WithRetryOptions(context.Background(), policy.RetryOptions{MaxRetryDelay: longest})
	}
}

// A layered context looks up a value first in its caller's context and then in ours. azcore does
// not export its keys, so we cannot ask the caller's context whether it has a value.
type layered struct {
	context.Context
	ours context.Context
}

// Value implements [context.Context]. Headers from both contexts are sent.
func (c layered) Value(key any) any {
	theirs := c.Context.Value(key)
	ours := c.ours.Value(key)
	if theirs == nil {
		return ours
	}

	add, isHeader := ours.(http.Header)
	if set, ok := theirs.(http.Header); ok && isHeader {
		merged := add.Clone()
		for name, values := range set {
			merged[http.CanonicalHeaderKey(name)] = values
		}
		return merged
	}
	return theirs
}

// ClientOptions returns options for an azcore client that sends its requests through our transport.
// The transport retries and respects throttling, and azcore's retry policy is disabled: with both,
// four attempts would become 16. Leave the Token of opts nil, because azcore authorizes the
// requests.
func ClientOptions(opts *transport.Options) policy.ClientOptions {
	return policy.ClientOptions{Transport: transport.NewClient(opts), Retry: policy.RetryOptions{MaxRetries: -1}}
}
