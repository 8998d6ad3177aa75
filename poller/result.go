package poller

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/engine"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/internal/record"
)

// Result returns the result of an operation that has ended. It makes one attempt to read an unread
// result, even before the read is due.
//
// The error is ErrNotDone if the operation has not ended, or if the resource shows that the
// operation is still in progress (see AcceptEarly). The error is a [*lroerrors.OperationError] if
// the operation failed or was canceled, and a [*lroerrors.WaitError] if ctx ended. If the read
// failed or was held back by the throttle gate, the error is a [*lroerrors.StatusError]: call
// Result again at NextPoll. Once patience has run out, or if the result cannot be decoded, the
// error is a [*lroerrors.ResultError], and the next call tries again.
func (p *Poller[T]) Result(ctx context.Context) (T, error) {
	for { // each round returns the outcome or makes one read
		if !p.Done() {
			return *new(T), lroerrors.ErrNotDone
		}
		v, ready, err := p.outcome()
		if ready {
			return v, err
		}
		err = p.core.Read(ctx, p.core.Reads(), engine.ForResult)
		if err != nil {
			return v, err
		}
	}
}

// outcome returns the result or error of an operation that has ended. ready is false if a read is
// still needed.
func (p *Poller[T]) outcome() (v T, ready bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.value != nil {
		return *p.value, true, nil
	}
	r := p.core.Record()
	if r.Phase != record.Ended {
		return v, false, nil
	}
	if p.watch != nil {
		v, err = p.watch.outcome(&r)
		return v, true, err
	}
	if r.Status.State != Succeeded {
		return v, true, r.OperationError()
	}
	if r.Result.Err != "" && !isNone[T]() {
		return v, true, &lroerrors.ResultError{URL: r.Result.At().String(), Err: errors.New(r.Result.Err)}
	}
	decoded, err := p.decode(&r)
	if err == nil {
		p.value = decoded
		p.core.ReleaseResult()
		return *decoded, true, nil
	}
	p.core.RetryResult()
	if !r.Result.URL.IsZero() && !r.Result.From.IsZero() {
		return v, false, nil // this body cannot be decoded and came from another response, so read the result from its own URL
	}
	return v, true, &lroerrors.ResultError{URL: r.Result.URL.String(), Err: err}
}

func (p *Poller[T]) decode(r *record.Record) (*T, error) {
	v := new(T)
	body := []byte(r.Result.Body)
	isLarge := len(body) > record.MaxToken
	isFirst := p.core.Reads() == 0 // if so, the result is the body of the first response, which the caller also has
	if _, raw := any(v).(*json.RawMessage); raw && (isFirst || !isLarge) {
		body = bytes.Clone(body) // so that changes to the result do not affect the record or the first response
	}
	return v, decode(body, p.core.ResultPointer(), v)
}

// isNone reports whether T is struct{}, which means that the caller needs no result.
func isNone[T any]() bool {
	_, none := any(new(T)).(*struct{})
	return none
}

// decode unmarshals the value at the JSON pointer ptr in body into v. It leaves v unchanged if T is
// struct{} or body is empty. If T is json.RawMessage, *v may alias body.
func decode[T any](body []byte, ptr string, v *T) error {
	if isNone[T]() || jsonread.IsEmpty(body) {
		return nil
	}
	part, ok := jsonread.Pointer(body, ptr)
	if !ok {
		return fmt.Errorf("the document has no value at the ResultPointer %q", ptr)
	}
	if raw, ok := any(v).(*json.RawMessage); ok && json.Valid(part) {
		*raw = slices.Clip(part)
		if len(part) < len(body)/2 {
			*raw = bytes.Clone(part) // so that the rest of the body can be released
		}
		return nil
	}
	return json.Unmarshal(part, v)
}
