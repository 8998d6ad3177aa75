// Package transport makes one HTTP exchange with a management service
// dependable: it retries, backs off, heeds throttling and authorizes.
//
// Most callers need only [NewClient]. Use [New] to put the same behaviour
// below an [http.Client] of your own, and give that client [CheckRedirect]:
//
//	client := transport.NewClient(&transport.Options{Token: credential})
//	resp, err := client.Do(req)
//
// # What is tried again
//
// 408, 424, 429, every 5xx but 501 and 505, and failures of the socket are
// tried again for every verb (ARM resource provider API v2.0, "Retrying REST
// Calls"), at most three times, each time with the whole body. Retry-After
// says when; without one the pause grows and is drawn at random. What came
// last is returned as it is: a last 503 is a response with a nil error and a
// readable body, not an error. [IdempotentOnly] is a stricter policy.
//
// A pause is never slept into the context's deadline, nor when it is longer
// than [Options.MaxRetryAfter]: the response is handed up at once. Callers that
// schedule their next attempt themselves say so with [WithPolling].
//
// # Errors
//
// Where no answer came, RoundTrip returns a *StatusError of package
// github.com/lro-go/lro/errors, which an [http.Client] wraps in a [*url.Error].
// It tells the request and how often it was sent, and holds no query,
// user-info or credential. The [*url.Error] around it does: net/http prints
// the whole URL. Log the inner one.
//
// # Authorization
//
// [Options.Token] gives a bearer token, which is kept and asked for again shortly
// before it expires. A 401 drops it, and the request is sent once more with a fresh
// one. Any other credential is set by [Options.Authorize], for every attempt. A
// redirect to a foreign origin is refused before either is added.
//
// # The throttle gate
//
// A 429 closes a gate for its host, subscription, provider namespace and kind
// (read or write), for as long as Retry-After says and at most a minute. Other
// requests of that key wait; one that may not wait so long is answered with a 429
// made here, and nothing is sent. When the time is over one of them goes ahead, and
// its answer opens the gate for all or closes it again.
//
// # What stands above and below
//
// Cookies that a retry needs, traces of each attempt and the like belong into
// [Options.Base], which sees every attempt. An [http.Client] above sees one
// exchange.
package transport
