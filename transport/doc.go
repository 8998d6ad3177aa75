// Package transport provides an [http.RoundTripper] for management services. It retries
// failed requests, respects throttling and adds credentials.
//
// Most callers need only [NewClient]:
//
//	client := transport.NewClient(&transport.Options{Token: token, UserAgent: "myctl/1.4"})
//	resp, err := client.Do(req)
//
// To use a [Transport] below an [http.Client] of your own, also set the CheckRedirect of that
// client to [CheckRedirect]. Put anything that must see each attempt, such as tracing, below the
// Transport, in [Options.Base]. Layers above see all attempts and their pauses as one exchange.
//
// # Retries
//
// By default the Transport makes up to four attempts, each with the whole body, and returns the
// last response unchanged, with a nil error even if it is a 503. [DefaultPolicy] retries every
// verb, as the ARM specification recommends. [IdempotentOnly] retries a POST or PATCH only if it
// was not sent.
//
// Between attempts, the Transport waits for as long as Retry-After asks, or uses exponential
// back-off with jitter. It never sleeps past the deadline of the context: it returns the response
// at once if the pause would not end before the deadline. It does the same if the service asks for
// a pause longer than [Options.MaxRetryAfter]. Callers that schedule the next attempt themselves,
// such as a Poller, use [WithLongestPause].
//
// After a 429, the throttle gate lets requests start at a pace that the service accepts; see
// [Options.NoThrottleGate] and docs/pace.md in the repository.
//
// # Errors
//
// If no response arrives, RoundTrip returns a *StatusError of package github.com/lro-go/lro/errors,
// which contains no query, user-info or credential. An [http.Client] wraps this error in a
// [*url.Error]. Log the *StatusError: the text of the [*url.Error] contains the whole URL.
// [AsError] converts a failure response to the same type. See docs/errors.md in the repository.
//
// # Authorization
//
// [Options.Token] returns a bearer token for an origin; the Transport caches it.
// [Options.Authorize] adds any other credential to each attempt. The Transport refuses a redirect
// to a foreign origin before it calls either function. See docs/authenticate.md.
package transport
