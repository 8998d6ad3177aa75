package poller

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

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

// fetch reads the document that holds the result, and says where. It waits
// between failures as a wait for a status does.
func (c *core) fetch(ctx context.Context) (body []byte, url string, err error) {
	for {
		s := c.snapshot()
		if err := c.sleep(ctx, func() bool { return false }); err != nil {
			return nil, "", err
		}
		body, final, err := c.fetchOnce(ctx, &s)
		if final {
			return body, wire.Redacted(s.End.URL), err
		}
	}
}

// fetchOnce reads the result once. Unless final, the failure is survived.
func (c *core) fetchOnce(ctx context.Context, s *state) (body []byte, final bool, err error) {
	ans, err := c.get(ctx, s, s.End.URL, c.resultLimit)
	if err != nil && ctx.Err() != nil {
		return nil, true, c.stopped(ctx)
	}
	s.LastRead = time.Now()
	whole := err == nil
	if whole {
		if err = readable(ans); err == nil {
			s.Failing, s.Next, s.Asked = nil, s.LastRead, false
			c.fetched(ctx, s, nil)
			return ans.Body, true, nil
		}
		if ans.Code >= 300 {
			err = nil // the code tells it
		}
		err = wire.Refusal(http.MethodGet, ans, err)
	}
	se := asStatusError(http.MethodGet, s.End.URL, err)
	if c.failedResult(s, ans, se, whole) {
		s.Failing, s.Next, s.Asked = nil, s.LastRead, false // to be asked for again
		c.fetched(ctx, s, se)
		return nil, true, &lroerrors.ResultError{URL: wire.Redacted(s.End.URL), Err: se}
	}
	c.fetched(ctx, s, se)
	return nil, false, nil
}

// readable reports why an answer is not the result yet. A resource that was just
// created may be published late, or still be told by 202; nothing else is looked
// at, for the operation has succeeded.
func readable(ans wire.Answer) error {
	switch {
	case ans.Code == http.StatusAccepted:
		return errors.New("the result is not ready")
	case ans.Code < 200 || ans.Code > 299:
		return ErrNoStatus
	case !wire.IsEmpty(ans.Body) && !json.Valid(ans.Body):
		return errNotJSON
	}
	return nil
}

// failedResult counts a failure to read the result, schedules the next
// attempt, and reports whether there is to be none.
func (c *core) failedResult(s *state, ans wire.Answer, err *lroerrors.StatusError, whole bool) bool {
	s.addFailure(s.LastRead, err.StatusCode == http.StatusNotFound)
	c.backOff(s, ans.Header, s.LastRead)
	return s.final(s.End.URL, err, whole) != "" || c.Patience.spent(s.failures(), s.LastRead)
}

// fetched stores what a read of the result has shown.
func (c *core) fetched(ctx context.Context, s *state, err *lroerrors.StatusError) {
	attrs := []slog.Attr{slog.String("url", wire.Redacted(s.End.URL))}
	c.update(func() {
		c.s, c.woken, c.trouble = *s, nil, nil
		if err != nil {
			c.trouble = &trouble{err: err}
			attrs = append(attrs, slog.Any("error", err))
		}
	})
	c.Logger.LogAttrs(ctx, slog.LevelDebug, "lro: result", attrs...)
}
