package poller

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/transport"
)

// Result returns the result of an operation that has ended. If the result has a URL of its own
// and has not been read, Result makes one attempt to read it, without waiting for the
// schedule. Later calls return the same value.
//
// The error is ErrNotDone before the operation has ended, a [*lroerrors.OperationError] if it
// failed or was canceled, and a [*lroerrors.WaitError] if ctx ended. If the read failed but a
// later one may succeed, the error is a [*lroerrors.StatusError], and NextPoll returns the time
// to try again. Once patience is spent, or if the result cannot be decoded, the error is a
// [*lroerrors.ResultError]; the next call starts over. Check for *OperationError first, then
// for *ResultError, *WaitError and *StatusError, in this order.
func (p *Poller[T]) Result(ctx context.Context) (T, error) {
	var zero T
	if !p.c.isDone() {
		return zero, lroerrors.ErrNotDone
	}
	for { // loops again if another caller has read a result that could not be decoded
		if v, ready, err := p.outcome(); ready {
			return v, err
		}
		if _, err := p.c.attempt(transport.WithLongestPause(ctx, 0), p.c.reads.Load(), p.c.hasEnded); err != nil {
			return zero, err
		}
	}
}

// outcome returns the result or the error of an operation that has ended. ready is false while the
// status or the result still has to be read.
func (p *Poller[T]) outcome() (_ T, ready bool, _ error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.value != nil {
		return *p.value, true, nil
	}
	var zero T
	r := p.c.snapshot()
	switch {
	case r.Phase != ended:
		return zero, false, nil
	case p.watching != nil:
		v, err := p.watching.outcome(r.Status)
		return v, true, err
	case r.Status.State != Succeeded:
		return zero, true, operationError(r.Status)
	case r.Result.Err != "" && !isNone[T]():
		return zero, true, &lroerrors.ResultError{URL: r.Result.at().String(), Err: errors.New(r.Result.Err)}
	}
	v := new(T)
	body, large := []byte(r.Result.Body), len(r.Result.Body) > maxToken
	if _, raw := any(v).(*json.RawMessage); raw && (!large || p.c.reads.Load() == 0) {
		body = bytes.Clone(body) // the caller may change the body, but its array is shared with the record or the first response
	}
	if err := decode(body, r.override(p.c.settings).Pointer, v); err != nil {
		if p.c.undecoded(); !r.Result.URL.IsZero() && !r.Result.From.IsZero() {
			return zero, false, nil // this body came from a check: read the result itself
		}
		return zero, true, &lroerrors.ResultError{URL: r.Result.URL.String(), Err: err}
	}
	p.value = v
	p.c.decoded()
	return *v, true, nil
}

// decoded drops the body of a result that has been decoded, if it is too large for a token or can
// be read again.
func (c *core) decoded() {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := *c.rec.Result
	switch {
	case !r.URL.IsZero():
		r.Body = nil
	case len(r.Body) > maxToken:
		r.Body, r.Size = nil, len(r.Body)
	default:
		r.Body = bytes.Clone(r.Body) // the body may be part of a larger array, which can then be released
	}
	c.rec.Result = &r
}

// undecoded is called if the result could not be decoded. If the result has a URL, undecoded
// schedules another read of it.
func (c *core) undecoded() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.rec.Result.URL.IsZero() {
		c.rec.Result = &result{URL: c.rec.Result.URL}
		c.rec.enter(phaseAfter(Succeeded, c.rec.Result))
	}
}

// isNone reports whether T is struct{}, which means that the caller needs no result.
func isNone[T any]() bool {
	_, none := any(new(T)).(*struct{})
	return none
}

// decode decodes the value at the JSON pointer ptr in body into v. An empty body leaves v zero.
// If v is a json.RawMessage, it may share the array of body.
func decode[T any](body []byte, ptr string, v *T) error {
	if isNone[T]() || jsonread.IsEmpty(body) {
		return nil
	}
	part, ok := jsonread.Pointer(body, ptr)
	if !ok {
		return fmt.Errorf("the document has no value at the ResultPointer %q", ptr)
	}
	if raw, ok := any(v).(*json.RawMessage); ok && json.Valid(part) {
		if *raw = slices.Clip(part); len(part) < len(body)/2 {
			*raw = bytes.Clone(part) // so that the rest of the body can be released
		}
		return nil
	}
	return json.Unmarshal(part, v)
}
