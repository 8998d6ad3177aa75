// Package transport makes one HTTP exchange with a management service dependable: it
// retries, backs off, obeys throttling and authorizes.
//
// Most callers need only [NewClient]. Use [New] to put the same behaviour below an
// [http.Client] of your own, and give that client [CheckRedirect]:
//
//	client := transport.NewClient(&transport.Options{Token: token, UserAgent: "myctl/1.4"})
//	resp, err := client.Do(req)
//
// # Retries
//
// The transport retries 408, 424, 429, every 5xx except 501 and 505, and network errors,
// for every verb (ARM resource provider API v2.0, "Retrying REST Calls"), up to three times
// by default, each time with the whole body. It obeys Retry-After, and otherwise backs off
// exponentially with jitter. After the last attempt it returns the response unchanged: a
// last 503 is a response with a nil error and a readable body, not an error.
//
// An attempt may have taken effect although its response was lost, so that a repeated POST
// has its effect twice, and a repeated PUT or DELETE is refused with 409 or 404. The
// Unanswered field of a *StatusError says so. [IdempotentOnly] does not repeat POST and
// PATCH.
//
// The transport does not sleep past the context's deadline, or longer than
// [Options.MaxRetryAfter] because the service asked: it returns the response at once.
// Callers that schedule the next attempt themselves use [WithLongestPause]. A Poller does
// that for its reads.
//
// # Errors
//
// If no response came, RoundTrip returns a *StatusError of package
// github.com/lro-go/lro/errors, which an [http.Client] wraps in a [*url.Error]. It names the
// request, how often it was sent and whether it may have taken effect, and contains no query, user-info or credential. Log
// this error and not the [*url.Error] around it, whose text contains the whole URL.
// [AsError] turns a response that reports a failure into the same type.
//
// # Authorization
//
// [Options.Token] returns a bearer token for an origin. The transport keeps it and fetches
// another shortly before it expires. A 401 drops it, and the transport repeats the request
// once with a new one, which carries the claims that the 401 demands. [Options.Authorize]
// sets any other credential, for each attempt. A redirect to a foreign origin is refused
// before either is added. Each origin gets a token of its own: return an empty [Token] for
// an origin that needs no token, such as that of a signed storage URL.
//
// A call to Token that ignores its context may outlive the requests that waited for it: at
// most one for each origin and claims. No other goroutine outlives the call that started it.
//
// # Identification
//
// The transport adds a User-Agent ([Options.UserAgent]) and an x-ms-client-request-id to a
// request that lacks them. All attempts of a request share the id. The polls of an operation
// repeat the id of the request that started it.
//
// # The throttle gate
//
// A 429 closes a gate for its host, subscription, provider namespace and kind (read or
// write), for as long as Retry-After says, but at most a minute, and without one for
// [Options.MinDelay]. Other requests of that key wait. When the time is over, one request
// goes ahead as a probe, and its response opens the gate or closes it again. If the probe gets
// another 429, the requests that wait share that answer: each counts it as an attempt of its
// own and pauses as if it had been sent, and one whose retries are spent returns.
//
// A request is not sent, and gets a 429 from the gate itself, with the code
// ClientThrottleGate, if it may not pause so long, or has waited at the gate
// [Options.MaxRetryAfter] for each of its retries.
//
// # Layers above and below
//
// Cookies that a retry needs, traces of each attempt and the like belong in [Options.Base],
// which sees every attempt. An [http.Client] above sees one exchange.
package transport
