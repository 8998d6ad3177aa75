package quirks

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks that affect a response's headers, its status code or the encoding of its body.
const (
	// ByteOrderMark puts a byte order mark before every JSON body, contrary to
	// RFC 8259, section 8.1. A client that does not skip the mark cannot read
	// any status.
	ByteOrderMark Quirk = "W42"

	// EmptyBodyOfUnknownLength sends the empty body of a 200 or 204 without its length, as HTTP/2
	// allows. The response's ContentLength is then -1. A client that decodes every body whose
	// length is not 0 reports a failure.
	EmptyBodyOfUnknownLength Quirk = "W45"

	// RetryAfterOnce sends Retry-After only in the first response, as Microsoft.Network does. The
	// pause is the plan's RetryAfter, or 30 seconds by default. A client that looks only at the
	// latest response falls back to its own interval.
	RetryAfterOnce Quirk = "W48/once"

	// RetryAfterTooShort sends a Retry-After of 15 seconds for an operation that takes 90 minutes.
	// The plan's Polls or Duration replaces the 90 minutes. A client that honors Retry-After polls
	// 360 times in 90 minutes. Set a larger poller.Cadence.Min.
	RetryAfterTooShort Quirk = "W48/short"

	// RetryAfterTooLong sends a Retry-After of 1200 seconds, however soon the operation ends. A
	// client that honors it notices the end late. The contract limits Retry-After to ten minutes.
	// Set a smaller poller.Cadence.Max.
	RetryAfterTooLong Quirk = "W48/long"

	// ThrottledWithoutRetryAfter answers the first two polls of each operation with 429 and no
	// Retry-After, as AKS agent pools do. A client that needs Retry-After polls again right away,
	// or gives up.
	ThrottledWithoutRetryAfter Quirk = "W49/bare"

	// ThrottledWithPlainText is like ThrottledWithoutRetryAfter, but the body is a sentence of
	// plain text. A client that tries to decode the body as JSON may lose the status code.
	ThrottledWithPlainText Quirk = "W49/text"

	// Empty200InsteadOf204 sends 200 without a body where the contract requires 204, as
	// Microsoft.Maintenance does. A client that decodes the body of every 200 reports a failure.
	Empty200InsteadOf204 Quirk = "W56/empty"

	// NoContentType sends every body without a Content-Type, as Azure Storage's data plane does. A
	// client that depends on the header decodes neither the error nor the result.
	NoContentType Quirk = "W56/untyped"
)

var wireQuirks = []entry{
	{ByteOrderMark, "a byte order mark precedes the JSON", always(engine.Hooks{Answer: byteOrderMark})},
	{EmptyBodyOfUnknownLength, "an empty body has an unknown length", always(engine.Hooks{Answer: emptyBodyOfUnknownLength})},
	{RetryAfterOnce, "Retry-After is only in the first response", always(engine.Hooks{Plan: preferThirtySeconds, Answer: retryAfterOnce})},
	{RetryAfterTooShort, "Retry-After is 15 s, although the operation takes 90 minutes", always(engine.Hooks{Plan: retryAfterTooShort})},
	{RetryAfterTooLong, "Retry-After is 1200 s", always(engine.Hooks{Plan: retryAfterTooLong})},
	{ThrottledWithoutRetryAfter, "the status URL returns 429 without Retry-After", func() engine.Hooks { return throttled(tooManyRequests) }},
	{ThrottledWithPlainText, "the status URL returns 429 with plain text", func() engine.Hooks { return throttled(tooManyRequestsInText) }},
	{Empty200InsteadOf204, "a 200 without a body reports success", always(engine.Hooks{Answer: empty200InsteadOf204})},
	{NoContentType, "no response has a Content-Type", always(engine.Hooks{Answer: noContentType})},
}

func byteOrderMark(_ *engine.Service, _ *engine.Request, a *engine.Answer) {
	if json.Valid(a.Body) {
		a.Body = append([]byte("\xef\xbb\xbf"), a.Body...)
	}
}

func emptyBodyOfUnknownLength(_ *engine.Service, _ *engine.Request, a *engine.Answer) {
	done := a.StatusCode == http.StatusOK || a.StatusCode == http.StatusNoContent
	a.Unsized = done && len(a.Body) == 0
}

func preferThirtySeconds(_ *engine.Request, p *engine.Plan) {
	if p.RetryAfter == 0 {
		p.RetryAfter = 30 * time.Second
	}
}

func retryAfterOnce(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if q.Kind == engine.Poll {
		a.Header.Del("Retry-After")
	}
}

func retryAfterTooShort(_ *engine.Request, p *engine.Plan) {
	p.RetryAfter = 15 * time.Second
	if p.Polls == 0 && p.Duration == 0 {
		p.Duration = 90 * time.Minute
	}
}

func retryAfterTooLong(_ *engine.Request, p *engine.Plan) { p.RetryAfter = 1200 * time.Second }

// throttled returns hooks that answer each operation's first two polls with the response from the
// given function.
func throttled(answer func(*engine.Service, *engine.Request) engine.Answer) engine.Hooks {
	polls := tally[*engine.Operation]{}

	return engine.Hooks{Instead: func(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
		if q.Kind != engine.Poll || polls.next(q.Op) > 2 {
			return engine.Answer{}, false
		}
		return answer(s, q), true
	}}
}

func tooManyRequests(s *engine.Service, q *engine.Request) engine.Answer {
	return s.Dialect.Failure(q, http.StatusTooManyRequests, engine.Error{Code: "TooManyRequests", Message: "The request is being throttled."})
}

func tooManyRequestsInText(*engine.Service, *engine.Request) engine.Answer {
	return engine.Answer{
		StatusCode: http.StatusTooManyRequests,
		Header:     http.Header{"Content-Type": {"text/plain"}},
		Body:       []byte("Too many requests. Please try again later."),
	}
}

func empty200InsteadOf204(_ *engine.Service, _ *engine.Request, a *engine.Answer) {
	if a.StatusCode == http.StatusNoContent {
		a.StatusCode = http.StatusOK
	}
}

// noContentType removes the Content-Type from a response. It sets the header to an empty list,
// because net/http would otherwise add a type.
func noContentType(_ *engine.Service, _ *engine.Request, a *engine.Answer) {
	a.Set("Content-Type", "")
	a.Header["Content-Type"] = nil
}
