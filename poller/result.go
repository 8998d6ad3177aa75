package poller

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// Result returns the result of an operation that has ended. Where it is at
// another URL, it is read now, with the same patience as a status, and kept:
// later calls return the same value.
//
// Between failed reads it waits, as PollUntilDone does. A caller that must not
// wait, such as a reconciler, gives it a context shorter than Cadence.Min; the
// WaitError's NextPoll then says when to ask again.
//
// The error is ErrNotDone before the end, a [*lroerrors.OperationError] where
// the operation failed or was canceled, a [*lroerrors.ResultError] where it
// succeeded and its result could not be read, or a [*lroerrors.WaitError] that
// says so where ctx ended first. The last two are not kept: ask again.
func (p *Poller[T]) Result(ctx context.Context) (T, error) {
	var zero T
	if !p.Done() {
		return zero, lroerrors.ErrNotDone
	}
	if v, err := p.atHand(); err != nil {
		return zero, err
	} else if v != nil {
		return *v, nil
	}
	if err := p.c.acquire(ctx); err != nil {
		return zero, err
	}
	defer p.c.release()
	if v := p.kept(); v != nil {
		return *v, nil
	}
	body, url, err := p.c.fetch(ctx)
	if err != nil {
		return zero, err
	}
	return p.keep(body, url)
}

// atHand returns what can be told of an operation that has ended without a read;
// nil if its result has yet to be read.
func (p *Poller[T]) atHand() (*T, error) {
	if err := p.c.operationError(); err != nil {
		return nil, err
	}
	if err := p.c.resultMissing(); err != nil && !isNone[T]() {
		return nil, err
	}
	if body, ok, again := p.c.inHand(); ok {
		if _, err := p.keep(body, ""); err != nil && !again {
			return nil, err
		}
	}
	return p.kept(), nil
}

// kept returns the result if it has been read.
func (p *Poller[T]) kept() *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.value
}

// keep decodes the result and keeps it, unless it is kept already.
func (p *Poller[T]) keep(body []byte, url string) (T, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.value == nil {
		v := new(T)
		if url == "" && isRaw(v) && (len(body) <= maxToken || !p.c.snapshot().Read) {
			body = bytes.Clone(body) // that in hand goes into tokens, or is the first answer's, and the caller may write into his
		}
		if err := decode(body, p.c.pointer(), v); err != nil {
			var zero T
			return zero, &lroerrors.ResultError{URL: url, Err: err}
		}
		p.value = v
	}
	return *p.value, nil
}

func isRaw(v any) bool {
	_, ok := v.(*json.RawMessage)
	return ok
}

// decode decodes what ptr points to within body. An empty body leaves v zero. JSON
// as it came is not copied.
func decode[T any](body []byte, ptr string, v *T) error {
	if isNone[T]() || wire.IsEmpty(body) {
		return nil
	}
	part, ok := wire.Pointer(body, ptr)
	if !ok {
		return fmt.Errorf("the document has nothing at ResultPointer %q", ptr)
	}
	if raw, ok := any(v).(*json.RawMessage); ok && json.Valid(part) {
		*raw = slices.Clip(part)
		return nil
	}
	return json.Unmarshal(part, v)
}

// isNone reports whether T stands for "no result".
func isNone[T any]() bool {
	_, none := any(new(T)).(*struct{})
	return none
}

// resultMissing is the error of an operation that succeeded and whose strategy
// found no result where there should be one.
func (c *core) resultMissing() error {
	s := c.snapshot()
	end := s.success()
	if end.Err == nil {
		return nil
	}
	return &lroerrors.ResultError{URL: wire.Redacted(end.From), Err: end.Err}
}

// operationError is the error of an operation that ended badly, else nil.
func (c *core) operationError() error {
	s := c.snapshot()
	if s.Status.State != Failed && s.Status.State != Canceled {
		return nil
	}
	return s.operationError()
}

// operationError is the error that the status tells.
func (s *state) operationError() *lroerrors.OperationError {
	st := s.Status.status()
	e := &lroerrors.OperationError{
		State:         string(st.State),
		Word:          st.Word,
		Detail:        st.Error,
		StatusCode:    st.StatusCode,
		ID:            st.ID,
		Name:          st.Name,
		RequestID:     st.RequestID,
		CorrelationID: s.Status.Correlation,
	}
	if refused := s.extras().Refused; refused != nil {
		e.Err = refused
	}
	return e
}

// pointer says where within its document the result is.
func (c *core) pointer() string {
	s := c.snapshot()
	return s.pointer(c.ResultPointer)
}

// inHand returns the document that came with the status and holds the result. One
// that a check has read can be read again.
func (c *core) inHand() (body []byte, ok, again bool) {
	s := c.snapshot()
	end := s.success()
	if end.Read != nil {
		return end.Read, true, true
	}
	return end.Body, end.URL == "", false
}
