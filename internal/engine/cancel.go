package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/poller/strategy"
)

// Cancel asks the service to cancel the operation. It does not wait for a read in flight, so its
// request may overlap with that read.
func (c *Core) Cancel(ctx context.Context) error {
	if ctx.Err() != nil {
		return c.Stopped(ctx)
	}
	r := c.Record()
	if r.Done() {
		return nil
	}
	err := c.source.Stop(ctx, &r, c.Status())
	if err == ErrInterrupted { //nolint:errorlint // a Source returns it unwrapped
		return c.Stopped(ctx)
	}
	return err
}

// Stop implements [Source]. It sends the cancel request. Once the service has reported that the
// operation succeeded, Stop sends only a request from the caller's CancelRequest.
func (s *httpSource) Stop(ctx context.Context, r *record.Record, now strategy.Status) error {
	if r.Status.Unconfirmed && s.CancelRequest == nil {
		return nil
	}
	cancel, target, err := s.cancelRequest(r, now)
	if err != nil {
		return &lroerrors.StatusError{URL: r.Poll.String(), Err: exchange.Rejected(redact.RequestError(ctx, err))}
	}
	var ans wire.Answer
	var req http.Request
	err = s.setRequest(&req, r, cancel.Method, target, cancel.Body)
	if err == nil {
		ans, err = wire.Send(ctx, s.client, &req, &wire.Terms{Origins: s.origins, Header: s.Header, Limit: s.StatusLimit})
	}
	if isCanceled(cancel, &ans) { // the status code is enough, even if reading the body failed
		return nil
	}
	if err != nil && ctx.Err() != nil {
		return ErrInterrupted
	}
	if err != nil {
		return statusError(cancel.Method, string(target), err)
	}
	return wire.Refusal(cancel.Method, ans, nil)
}

// isCanceled reports whether the service accepted the cancel request, or whether the operation had
// already ended.
func isCanceled(cancel *strategy.Request, ans *wire.Answer) bool {
	if ans.Code >= 200 && ans.Code <= 299 || slices.Contains(cancel.OK, ans.Code) {
		return true
	}
	// If a DELETE took effect but its response was lost, the retry gets a 404 or a 410. Such a
	// response therefore means that the service accepted the request.
	isGone := ans.Code == http.StatusNotFound || ans.Code == http.StatusGone
	return isGone && cancel.Method == http.MethodDelete && ans.Sent.Unanswered
}

// cancelRequest returns the cancel request and its absolute URL. The request comes from the
// caller's CancelRequest or, if that is nil, from the strategy.
func (s *httpSource) cancelRequest(r *record.Record, now strategy.Status) (*strategy.Request, exchange.Link, error) {
	if s.CancelRequest != nil {
		return s.callersCancelRequest(r, now)
	}
	monitor := r.MonitorURL()
	canceler, ok := s.Strategy.(strategy.Canceler)
	if !ok {
		return nil, "", errNoCancelRequest
	}
	var a strategy.Answer
	s.fillAnswer(&a, r, &wire.Answer{})
	a.Poll = string(monitor)
	a.URL = string(monitor)
	found, err := canceler.Cancel(a)
	if err != nil {
		return nil, "", err
	}
	if found == nil {
		return nil, "", errNoCancelRequest
	}
	return completeCancelRequest(*found, monitor)
}

// callersCancelRequest returns the request from the caller's CancelRequest. It resolves a relative
// URL against the first request's URL, not the status URL. The service chose the status URL, and
// must not choose which resource the cancel request changes.
func (s *httpSource) callersCancelRequest(r *record.Record, now strategy.Status) (*strategy.Request, exchange.Link, error) {
	found, err := s.CancelRequest(now)
	if err != nil {
		return nil, "", fmt.Errorf("CancelRequest: %w", err)
	}
	if found == nil {
		return nil, "", errNoCancelRequest
	}
	if found.URL == "" {
		return nil, "", errors.New("CancelRequest: the URL is empty")
	}
	return completeCancelRequest(*found, r.Target)
}

var errNoCancelRequest = fmt.Errorf("no cancel request is known for this operation: %w", errors.ErrUnsupported)

// completeCancelRequest validates a cancel request, fills in its defaults, and returns it with its
// absolute URL.
func completeCancelRequest(cancel strategy.Request, base exchange.Link) (*strategy.Request, exchange.Link, error) {
	target := base
	if cancel.URL != "" {
		var err error
		target, err = base.Resolve(cancel.URL)
		if err != nil {
			return nil, "", err
		}
	}
	if len(cancel.Body) > 0 && !json.Valid(cancel.Body) {
		return nil, "", errors.New("CancelRequest: the Body is not JSON")
	}
	cancel.Method = strings.ToUpper(cmp.Or(cancel.Method, http.MethodPost))
	if !record.IsMethod(cancel.Method) {
		return nil, "", errors.New("CancelRequest: the Method is invalid")
	}
	return &cancel, target, nil
}
