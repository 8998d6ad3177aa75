// Package transport provides an [http.RoundTripper] for management services. It retries requests,
// respects throttling and adds credentials.
//
// Most callers need only [NewClient]:
//
//	client := transport.NewClient(&transport.Options{Token: token, UserAgent: "myctl/1.4"})
//	resp, err := client.Do(req)
//
// To use a [Transport] in your own [http.Client], also set the client's CheckRedirect field to the
// result of [CheckRedirect]. Put anything that must see each attempt, such as tracing, below the
// Transport, in [Options.Base]. Layers above it see all attempts and pauses as one exchange.
//
// # Retries
//
// By default, the Transport makes up to four attempts, each with the whole body. It returns the
// last response unchanged, with a nil error even if it is a 503. [DefaultPolicy] retries every
// verb, as the ARM specification recommends. [IdempotentOnly] retries a POST or PATCH only if it
// was not sent.
//
// Between attempts, the Transport waits for as long as Retry-After asks, or uses exponential
// back-off with jitter. It never sleeps past the context's deadline: if a pause would not end
// before the deadline, it returns the response or error at once. It also returns a response at once
// if the service asks for a pause longer than [Options.MaxRetryAfter]. Callers that schedule
// retries themselves, such as a Poller, use [WithLongestPause].
//
// After a 429, the throttle gate lets requests start at a pace that the service accepts; see
// [Options.NoThrottleGate] and docs/pace.md in the repository.
//
// # Errors
//
// If no response arrives, RoundTrip returns a *StatusError of package github.com/lro-go/lro/errors.
// The error contains no query, user-info or credential. An [http.Client] wraps this error in a
// [*url.Error]. Log the *StatusError, because the text of the url.Error contains the query.
// [AsError] converts a failure response to a *StatusError. See docs/errors.md in the repository.
//
// # Authorization
//
// [Options.Token] returns a bearer token for an origin, and the Transport caches it.
// [Options.Authorize] adds any other credential to each attempt. The Transport refuses a redirect
// to a foreign origin before it calls either function. See docs/authenticate.md in the repository.
package transport
