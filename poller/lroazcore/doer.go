package lroazcore

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// Doer returns a [poller.Doer] for pollers and pagers. It sends their requests through an azcore
// pipeline, with the pipeline's credential, retries, logs, telemetry and policies. It does not
// change the pipeline's errors, and is safe for concurrent use.
//
// The pipeline's retry options, in the Retry field of its ClientOptions, apply to every request
// that Begin, Cancel, PollUntilDone, Updates and pagers send. The options include StatusCodes,
// ShouldRetry and the pauses.
//
// Poll, Result, Advance and a poller.Group never wait, so that a throttled operation does not delay
// others. The pipeline makes only one attempt at each of their reads, and the poller schedules the
// next read. A 409 at a Location, such as AnotherOperationInProgress, then means that the operation
// has failed, even if your ShouldRetry would retry it. If your operations depend on such a retry,
// put the retry options into the context of each call to these methods. The call may then wait as
// long as the options allow:
//
//	status, err := p.Poll(policy.WithRetryOptions(ctx, options.Retry))
//
// Even without retries, azcore answers every claims challenge with another request. ResponseTimeout
// in poller.Options limits the duration of a read, including all its retries and their pauses.
//
// The poller limits the size of response bodies, but azcore reads the whole body of an error
// response (400 and above). The HTTP client below the pipeline follows redirects, and azcore's
// default client follows all of them. To restrict redirects to the poller's origins, use
//
//	policy.ClientOptions{Transport: &http.Client{CheckRedirect: transport.CheckRedirect()}}
//
// azcore treats a refused redirect like a failed connection, and retries the request before it
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
	resp, err := d.pipeline.Do(r)
	captureOf(req.Context()).record(resp)
	return resp, err
}

// retries returns a context that turns off retries if the read must not wait. A read with a capture
// comes from azcore's Poll and keeps the pipeline's retry options, because callers expect azcore's
// Poll to retry.
func retries(ctx context.Context) context.Context {
	mayWait := transport.LongestPause(ctx) > 0 || captureOf(ctx) != nil
	if mayWait {
		return context.Background()
	}
	return policy.WithRetryOptions(context.Background(), policy.RetryOptions{MaxRetries: -1})
}

// A layered context looks up each value in the caller's context first, so the caller's settings
// take precedence over this package's.
type layered struct {
	context.Context
	ours context.Context
}

// Value implements [context.Context]. It merges the headers from both contexts.
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

// ClientOptions returns options for an azcore client that sends its requests through the lro
// transport, which retries and respects throttling. ClientOptions disables azcore's retry policy,
// because azcore and the lro transport together would make up to 16 attempts instead of four. Leave
// the Token of opts nil, because azcore authorizes the requests.
func ClientOptions(opts *transport.Options) policy.ClientOptions {
	return policy.ClientOptions{Transport: transport.NewClient(opts), Retry: policy.RetryOptions{MaxRetries: -1}}
}
