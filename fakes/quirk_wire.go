package fakes

import (
	"net/http"
	"time"
)

// Quirks of headers and of encodings.
const (
	// ByteOrderMark puts a byte order mark before every JSON body, contrary to
	// RFC 8259, section 8.1. A client that does not skip it cannot read any
	// status.
	ByteOrderMark Quirk = "W42"

	// EmptyOfUnknownLength sends the empty body of a 200 or 204 without its
	// length, as HTTP/2 allows: the response has a ContentLength of -1. A
	// client that decodes every body whose length is not 0 reports a failure.
	EmptyOfUnknownLength Quirk = "W45"

	// DeleteEndsIn204 ends the polls of a DELETE with 204 instead of a status
	// document, as Storage and Quota do. A client that requires a status there
	// reports a failure.
	DeleteEndsIn204 Quirk = "W46"

	// RetryAfterOnce sends Retry-After only in the first response, as Network
	// does: 30 seconds, or the RetryAfter of the plan. A client that looks only
	// at the latest response falls back to its own pace.
	RetryAfterOnce Quirk = "W48/once"

	// RetryAfterTooShort asks for pauses of 15 seconds. The operation takes 90
	// minutes, unless its plan sets Polls or Duration, so a client that follows
	// the contract polls 360 times. Set a greater poller.Cadence.Min.
	RetryAfterTooShort Quirk = "W48/short"

	// RetryAfterTooLong asks for pauses of 1200 seconds, however soon the
	// operation ends. A client that obeys learns the end late. The contract
	// limits Retry-After to ten minutes. Set a smaller poller.Cadence.Max.
	RetryAfterTooLong Quirk = "W48/long"

	// ThrottledWithoutPause answers the first two polls of each operation with
	// 429 and no Retry-After, as the agent pools of AKS do. A client that needs
	// one polls again at once, or gives up.
	ThrottledWithoutPause Quirk = "W49/bare"

	// ThrottledInText is like ThrottledWithoutPause, but with a sentence of
	// plain text as the body. A client that decodes it as JSON loses the status
	// code.
	ThrottledInText Quirk = "W49/text"

	// DoneWithoutBody sends 200 without a body where the contract has 204, as
	// Maintenance does. A client that decodes the body of every 200 reports a
	// failure.
	DoneWithoutBody Quirk = "W56/empty"

	// NoContentType sends no Content-Type with any body, as the data plane of
	// Storage does. A client that depends on it decodes neither the error nor
	// the result.
	NoContentType Quirk = "W56/untyped"
)

var quirksOfTheWire = map[Quirk]func() behaviour{
	ByteOrderMark:        func() behaviour { return behaviour{answer: byteOrderMark} },
	EmptyOfUnknownLength: func() behaviour { return behaviour{answer: emptyOfUnknownLength} },
	DeleteEndsIn204:      func() behaviour { return behaviour{plan: deleteByStatus, answer: deleteEndsIn204} },
	RetryAfterOnce: func() behaviour {
		return behaviour{plan: retryAfter(30*time.Second, false), answer: retryAfterOnce}
	},
	RetryAfterTooShort: func() behaviour {
		return behaviour{plan: func(q *question, p *Plan) {
			retryAfter(15*time.Second, true)(q, p)
			if p.Polls == 0 && p.Duration == 0 {
				p.Duration = 90 * time.Minute
			}
		}}
	},
	RetryAfterTooLong:     func() behaviour { return behaviour{plan: retryAfter(1200*time.Second, true)} },
	ThrottledWithoutPause: func() behaviour { return throttled(tooMany) },
	ThrottledInText: func() behaviour {
		return throttled(func(*Service, *question) Answer {
			return Answer{
				StatusCode: http.StatusTooManyRequests,
				Header:     http.Header{"Content-Type": {"text/plain"}},
				Body:       []byte("Too many requests. Please try again later."),
			}
		})
	},
	DoneWithoutBody: func() behaviour { return behaviour{answer: doneWithoutBody} },
	NoContentType: func() behaviour {
		// An empty header keeps net/http from guessing the type.
		return behaviour{answer: func(_ *Service, _ *question, a *Answer) {
			a.set("Content-Type", "")
			a.Header["Content-Type"] = nil
		}}
	},
}

func byteOrderMark(_ *Service, _ *question, a *Answer) {
	if a.isJSON() {
		a.Body = append([]byte("\xef\xbb\xbf"), a.Body...)
	}
}

func emptyOfUnknownLength(_ *Service, _ *question, a *Answer) {
	a.unsized = len(a.Body) == 0 && (a.StatusCode == http.StatusOK || a.StatusCode == http.StatusNoContent)
}

// deleteByStatus makes a DELETE use a status document.
func deleteByStatus(q *question, p *Plan) {
	if q.method == http.MethodDelete && p.Style&(AzureAsyncOperation|OperationLocation|Synchronous) == 0 {
		p.Style = AzureAsyncOperation
	}
}

func deleteEndsIn204(_ *Service, q *question, a *Answer) {
	if q.deleted() {
		*a = Answer{StatusCode: http.StatusNoContent}
	}
}

// retryAfter makes operations ask for pauses of d: always, or only if the plan
// has no RetryAfter.
func retryAfter(d time.Duration, always bool) func(*question, *Plan) {
	return func(_ *question, p *Plan) {
		if always || p.RetryAfter == 0 {
			p.RetryAfter = d
		}
	}
}

func retryAfterOnce(_ *Service, q *question, a *Answer) {
	if q.kind == Poll {
		a.Header.Del("Retry-After")
	}
}

// throttled answers the first two polls of each operation.
func throttled(answer func(*Service, *question) Answer) behaviour {
	asked := tally[*operation]{}
	return behaviour{instead: func(s *Service, q *question) (Answer, bool) {
		if q.kind != Poll || asked.next(q.op) > 2 {
			return Answer{}, false
		}
		return answer(s, q), true
	}}
}

func tooMany(s *Service, q *question) Answer {
	return s.speech().failure(q, http.StatusTooManyRequests, Error{Code: "TooManyRequests", Message: "The request is being throttled."})
}

func doneWithoutBody(_ *Service, _ *question, a *Answer) {
	if a.StatusCode == http.StatusNoContent {
		a.StatusCode = http.StatusOK
	}
}
