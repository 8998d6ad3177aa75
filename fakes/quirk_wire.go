package fakes

import (
	"net/http"
	"time"
)

// Quirks of headers and of encodings.
const (
	// ByteOrderMark puts a byte order mark before every body of JSON, against RFC
	// 8259, section 8.1. A client that does not skip it cannot read any status.
	ByteOrderMark Quirk = "W42"

	// EmptyOfUnknownLength does not say how long the empty body of a 200 or 204 is,
	// as HTTP/2 allows: the response has a ContentLength of -1. A client that decodes
	// whatever is not of length 0 fails what has succeeded.
	EmptyOfUnknownLength Quirk = "W45"

	// DeleteEndsIn204 ends the polls of a DELETE with 204 in place of a status
	// document, as Storage and Quota do. A client that wants a status there fails what
	// has succeeded.
	DeleteEndsIn204 Quirk = "W46"

	// RetryAfterOnce has Retry-After in the answer that begins an operation, of 30
	// seconds unless the plan says another, and in no other, as the networks. A
	// client that looks at the last answer alone falls back to a pace of its own.
	RetryAfterOnce Quirk = "W48/once"

	// RetryAfterTooShort asks for 15 seconds where the operation takes an hour and a
	// half, which is its Duration where the plan has none. A client by the contract
	// asks 360 times; poller.Options.Cadence bounds it, with a greater Min.
	RetryAfterTooShort Quirk = "W48/short"

	// RetryAfterTooLong asks for 1200 seconds, however soon the operation ends. A
	// client that obeys, and the contract bounds Retry-After by ten minutes, learns
	// it late; poller.Options.Cadence bounds it, with a smaller Max.
	RetryAfterTooLong Quirk = "W48/long"

	// ThrottledWithoutPause answers the first two questions about each operation 429
	// without a Retry-After, as the agent pools of AKS. A client that needs one asks
	// at once, or gives up.
	ThrottledWithoutPause Quirk = "W49/bare"

	// ThrottledInText is the same with a sentence of plain text as the body. A client
	// that decodes it as JSON loses the status.
	ThrottledInText Quirk = "W49/text"

	// DoneWithoutBody says 200 without a body where the contract has 204, as
	// Maintenance does. A client that decodes the body of every 200 fails what has
	// succeeded.
	DoneWithoutBody Quirk = "W56/empty"

	// NoContentType has no Content-Type, whatever the body, as the data plane of
	// Storage. A client that goes by it does not decode the error, or the result.
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
		// The header is there and has no value: else the transport would guess one.
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

// deleteByStatus lets a DELETE tell by a status document, if it does not.
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

// retryAfter lets an operation ask for pauses of d, if its plan has none, or
// always.
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

// throttled answers the first two questions about each operation.
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
