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

// Doer sends through a pipeline of azcore, so that its credential, retries, logs,
// telemetry and the policies of its owner are those of a poller or a pager, too.
//
// A read of a status is the poller's to repeat: of it the pipeline's retries sleep for
// 5 s at most, and in a poller.Group not at all, so that one that is throttled for a
// minute holds up no other; azcore's defaults take the place of the pipeline's options
// there. Every other request is retried as the pipeline has it.
//
// The body of an answer is left to the reader, who bounds it; that of an error (400 and
// more) azcore reads whole, however long it is. The redirects are those of the client
// under the pipeline, and azcore's own follows any. Make that
//
//	policy.ClientOptions{Transport: &http.Client{CheckRedirect: transport.CheckRedirect()}}
//
// to have them kept within the origins that the poller may ask. A refused one azcore
// takes for a bad connection, and asks again where it came from before it gives up.
func Doer(pl runtime.Pipeline) poller.Doer { return doer{pl} }

type doer struct{ pipeline runtime.Pipeline }

// Do implements [poller.Doer].
func (d doer) Do(req *http.Request) (*http.Response, error) {
	// A clone: the policies change what they are given.
	r, err := runtime.NewRequestFromRequest(req.Clone(withRetries(req.Context())))
	if err != nil {
		return nil, err
	}
	runtime.SkipBodyDownload(r)
	return d.pipeline.Do(r)
}

// withRetries bounds the pauses of the pipeline's retries by what the maker of ctx
// bears. Beyond MaxRetryDelay azcore hands the response up, as we do.
func withRetries(ctx context.Context) context.Context {
	switch longest := transport.LongestPause(ctx); longest {
	case math.MaxInt64:
		return ctx
	case 0:
		return policy.WithRetryOptions(ctx, policy.RetryOptions{MaxRetries: -1})
	default:
		return policy.WithRetryOptions(ctx, policy.RetryOptions{MaxRetryDelay: longest})
	}
}

// ClientOptions are those of an azcore client whose requests go out through our
// transport, which retries them and heeds throttling in place of azcore's policy. With
// both, four attempts would become sixteen. opts has no Token: azcore authorizes.
func ClientOptions(opts *transport.Options) policy.ClientOptions {
	return policy.ClientOptions{Transport: transport.NewClient(opts), Retry: policy.RetryOptions{MaxRetries: -1}}
}
