package engine

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/poller/strategy"
)

// HTTPSettings are the settings of an operation read over HTTP. They never change.
type HTTPSettings struct {
	Strategy      strategy.Strategy
	TokenOptions  record.TokenOptions
	Origins       exchange.Origins
	Header        http.Header // added to each request
	CancelRequest func(strategy.Status) (*strategy.Request, error)
	StatusLimit   wire.Limit
	ResultLimit   wire.Limit
	AcceptEarly   bool // accept a result even if the strategy still considers the operation in progress
}

// An httpSource is the [Source] that reads an operation over HTTP.
type httpSource struct {
	*HTTPSettings
	client  wire.Doer        // the caller's client, with redirects limited to the origins
	origins exchange.Origins // the origins in the settings and, unless the operation was resumed, the first request's origin
}

var _ Source = (*httpSource)(nil)

// Read implements [Source].
func (s *httpSource) Read(ctx context.Context, r record.Record, immediate bool) (read record.Reading) {
	var ans wire.Answer
	err := s.get(ctx, &r, immediate, &ans)
	s.fillAnswer(&read.Answer, &r, &ans)
	if !ans.Sent.Turn.IsZero() {
		postponed(&read, &ans)
		return read
	}
	if err != nil {
		target, _ := r.Task()
		read.Err = statusError(http.MethodGet, string(target), err)
		return read
	}
	read.Authentic = true
	if r.Phase != record.PendingResult {
		s.judgeStatus(&r, &read, &ans)
		return read
	}
	judgeResult(&read, &ans)
	mustInterpret := r.InterpretResult && !s.AcceptEarly
	if mustInterpret && read.Err == nil {
		s.reviewResult(&r, &read)
	}
	return read
}

// Enter implements [Source].
func (s *httpSource) Enter(ctx context.Context, target exchange.Link) (crowded bool, leave func()) {
	return wire.Enter(ctx, s.client, http.MethodGet, target.Parse())
}

// postponed records that the throttle gate of package transport held back the request, and until
// when.
func postponed(read *record.Reading, ans *wire.Answer) {
	read.Turn = ans.Sent.Turn
	read.Err = wire.Refusal(http.MethodGet, *ans, nil)
}

// reviewResult asks the strategy, once the result has been read, whether the operation really
// succeeded.
func (s *httpSource) reviewResult(r *record.Record, read *record.Reading) {
	err := s.step(&read.Answer, strategy.Situation{Age: age(r), Result: true}, &read.Move)
	read.NotSucceeded = err == nil && read.Move.Status.State != strategy.Succeeded
}

// get makes the next read. It retries once after a 401, because the Doer may obtain a fresh
// credential for the second request.
func (s *httpSource) get(ctx context.Context, r *record.Record, immediate bool, ans *wire.Answer) error {
	err := s.getOnce(ctx, r, immediate, ans)
	if ans.Code != http.StatusUnauthorized || ctx.Err() != nil {
		return err
	}
	err = s.getOnce(ctx, r, immediate, ans)
	ans.Sent.Turn = time.Time{} // even if the gate held back the retry, the first request was sent
	return err
}

func (s *httpSource) getOnce(ctx context.Context, r *record.Record, immediate bool, ans *wire.Answer) error {
	target, mayBeResult := r.Task()
	terms := wire.Terms{Origins: s.origins, Header: s.Header, Polling: true, Immediate: immediate, Limit: s.StatusLimit}
	if mayBeResult {
		terms.Limit = s.ResultLimit
	}
	var req http.Request
	err := s.setRequest(&req, r, http.MethodGet, target, nil)
	if err != nil {
		*ans = wire.Answer{}
		return err
	}
	*ans, err = wire.Send(ctx, s.client, &req, &terms)
	if err != nil {
		return err
	}
	return s.checkRedirect(r, target, ans)
}

// checkRedirect returns an error if a response redirects to an origin that is not allowed. Only a
// Doer that does not follow redirects returns such a response. The error ends the wait, because
// another read would get the same redirect.
func (s *httpSource) checkRedirect(r *record.Record, from exchange.Link, ans *wire.Answer) error {
	if ans.Code/100 != 3 {
		return nil
	}
	ref := ans.Header.Get("Location")
	if ref == "" {
		return nil
	}
	to, err := from.Resolve(ref)
	if err != nil {
		return nil // the strategy handles the response as a failed read
	}
	_, err = s.allow(r, to)
	return err
}

// setRequest makes req a request to target. It returns an error if requests to target are not
// allowed.
func (s *httpSource) setRequest(req *http.Request, r *record.Record, method string, target exchange.Link, body []byte) error {
	u, err := s.allow(r, target)
	if err != nil {
		return err
	}
	wire.SetRequest(req, method, u, body, r.Header)
	wire.AddHeaders(req.Header, s.Header)
	return nil
}

// allow parses a URL and returns an error if requests to it are not allowed. It runs right before
// each request.
func (s *httpSource) allow(r *record.Record, target exchange.Link) (*url.URL, error) {
	if target.IsZero() {
		return nil, lroerrors.ErrNoOperation
	}
	u := target.Parse()
	if u == nil {
		return nil, lroerrors.ErrNoOperation
	}
	return u, s.origins.Allow(u, r.Target.IsHTTPS())
}

// fillAnswer fills in the Answer for the strategy. It takes a pointer because each copy of an
// Answer would grow the stack of every polling goroutine.
func (s *httpSource) fillAnswer(a *strategy.Answer, r *record.Record, ans *wire.Answer) {
	a.Method = r.Method
	a.Target = string(r.Target)
	a.Memo = r.Memo
	a.Status = *r.Status

	options := r.Override(s.TokenOptions)
	a.FinalStateVia = options.Via
	a.Words = options.Words

	a.Code = ans.Code
	a.Header = ans.Header
	a.Body = ans.Body
	target, _ := r.Task()
	a.Poll = string(target)
	a.URL = a.Poll
	if ans.Moved {
		a.URL = string(exchange.NewLink(ans.URL.String()))
	}
}

// judgeStatus has the strategy interpret the response to a status read, unless the response's
// status code says nothing about an operation.
func (s *httpSource) judgeStatus(r *record.Record, read *record.Reading, ans *wire.Answer) {
	if isGeneral(ans.Code) && !s.readsServerError(ans.Code) {
		read.Err = wire.Refusal(http.MethodGet, *ans, nil)
		return
	}
	err := s.step(&read.Answer, strategy.Situation{Age: age(r)}, &read.Move)
	if err == nil {
		return
	}
	if errors.Is(err, strategy.ErrNotJSON) {
		read.Authentic = false // a 4xx whose body is not JSON may come from a gateway
	}
	if ans.Code >= 400 && errors.Is(err, strategy.ErrNoStatus) {
		err = nil // the error would add nothing to the status code
	}
	read.Err = wire.Refusal(http.MethodGet, *ans, err)
}

// isGeneral reports whether a status code says nothing about an operation in nearly every protocol.
// In a few protocols, a 5xx describes the operation; see readsServerError.
func isGeneral(code int) bool {
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return code >= 500
}

// readsServerError reports whether the code is a 5xx that the strategy interprets.
func (s *httpSource) readsServerError(code int) bool {
	if code < 500 {
		return false
	}
	reader, ok := s.Strategy.(strategy.ServerErrorReader)
	return ok && reader.ReadsServerError(code)
}

// judgeResult interprets the response to a read of the result. A 404 or 202 is a failed read,
// because a service may be slow to publish a resource.
func judgeResult(read *record.Reading, ans *wire.Answer) {
	var why error
	if ans.Code == http.StatusAccepted {
		why = errors.New("the result is not ready")
	} else if ans.Code >= 200 && ans.Code <= 299 {
		if jsonread.IsEmpty(ans.Body) || json.Valid(ans.Body) {
			return
		}
		why = strategy.ErrNotJSON
	}
	read.Err = wire.Refusal(http.MethodGet, *ans, why)
}

// step calls the strategy. If the wait is about to end (in.Lost is set), step calls only a Wrapper,
// because no other strategy has a second URL to read.
func (s *httpSource) step(a *strategy.Answer, in strategy.Situation, m *record.Move) (err error) {
	if w, ok := s.Strategy.(strategy.Wrapper); ok {
		m.Move, m.Detour, err = w.StepIn(*a, in)
	} else if in.Lost == "" {
		m.Move, err = s.Strategy.Step(*a)
	}
	s.upgrade(a, m)
	isNew := len(m.Memo) > 0 && string(m.Memo) != string(a.Memo)
	if isNew && !record.FitsToken(m.Memo) {
		*m = record.Move{}
		return errors.New("the strategy's Memo is not JSON, or is nested deeper than a token can hold")
	}
	return err
}

// upgrade replaces http with https in a Move's URLs if the operation was started over https (quirk
// W61).
func (s *httpSource) upgrade(a *strategy.Answer, m *record.Move) {
	if !exchange.Link(a.Target).IsHTTPS() {
		return
	}
	m.Poll = s.origins.Upgrade(m.Poll)
	m.Else = s.origins.Upgrade(m.Else)
	m.Result.URL = s.origins.Upgrade(m.Result.URL)
}

// Replacement implements [Source].
func (s *httpSource) Replacement(a strategy.Answer, in strategy.Situation) (m record.Move, err error) {
	err = s.step(&a, in, &m)
	return m, err
}

// age returns the time since the operation started.
func age(r *record.Record) time.Duration { return r.Age(now()) }

// Subject implements [Source]. It returns the URL of the next read.
func (s *httpSource) Subject(r *record.Record) (kind, name string) {
	target, _ := r.Task()
	return "url", target.String()
}

// Key implements [Source].
func (s *httpSource) Key(r *record.Record) any {
	target, _ := r.Task()
	u := target.Parse()
	if u == nil || u.Host == "" {
		return nil
	}
	return exchange.ThrottleKeyOf(http.MethodGet, u)
}

// Token implements [Source].
func (s *httpSource) Token(r *record.Record) (string, error) { return r.Token() }

// statusError returns err if it is a *StatusError, and otherwise a *StatusError that wraps err.
func statusError(method, rawURL string, err error) *lroerrors.StatusError {
	if se, ok := err.(*lroerrors.StatusError); ok { //nolint:errorlint // a wrapped StatusError describes another request
		return se
	}
	return &lroerrors.StatusError{Method: method, URL: redact.RawURL(rawURL), Err: err}
}
