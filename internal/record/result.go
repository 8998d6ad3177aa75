package record

import (
	"slices"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/poller/strategy"
)

// A Result holds the URL of an operation's result, the Body of the result, or both. If it has both,
// a token contains only the URL, because the Body can be read again. If the Body came from a
// different URL, such as the status URL, From is that URL.
type Result struct {
	URL  exchange.Link `json:"url,omitzero"`
	Body exact         `json:"body,omitempty"`
	From exchange.Link `json:"from,omitzero"`
	Err  string        `json:"error,omitempty"` // why the result is missing
	Size int           `json:"-"`               // the length of a body that ReleaseResult discarded as too large for a token, or 0
}

// isUnread reports whether the result has a URL that has not been read.
func (r *Result) isUnread() bool {
	if r == nil || r.URL.IsZero() {
		return false
	}

	return r.Body == nil
}

// At returns the URL of the result. If the result has no URL, At returns the URL of the response
// that contained the result.
func (r *Result) At() exchange.Link {
	if r == nil {
		return ""
	}
	if !r.URL.IsZero() {
		return r.URL
	}
	return r.From
}

// ReleaseResult discards the body of a decoded result if the body can be read again or is too large
// for a token.
func (r *Record) ReleaseResult() {
	kept := *r.Result
	body := r.Result.Body
	switch {
	case !kept.URL.IsZero():
		kept.Body = nil
	case len(body) > MaxToken:
		kept.Body = nil
		kept.Size = len(body)
	default:
		kept.Body = slices.Clone(body) // body may be part of a larger array, which the clone does not keep in memory
	}
	r.Result = &kept
}

// SkipResult changes the phase from PendingResult to Ended without reading the result. The resume
// token still contains the result's URL.
func (r *Record) SkipResult() {
	if r.Phase == PendingResult {
		r.enter(Ended)
	}
}

// RetryResult schedules another read of a result that could not be decoded, if the result has a URL.
func (r *Record) RetryResult() {
	if !r.Result.URL.IsZero() {
		r.Result = &Result{URL: r.Result.URL}
		r.enter(phaseAfter(strategy.Succeeded, r.Result))
	}
}

// applyResult stores the result's body and changes the phase to Ended.
func (r *Record) applyResult(body []byte) {
	if body == nil {
		body = []byte{} // nil would mean that the result has not been read
	}
	r.Result = &Result{URL: r.Result.URL, Body: body}
	r.enter(phaseAfter(strategy.Succeeded, r.Result))
}
