package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// widgets is the collection that all widgets are in.
const widgets = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo/providers/Microsoft.Contoso/widgets"

// A widget is the resource as the service writes it, and the result of a PUT.
type widget struct {
	ID         string           `json:"id,omitempty"`
	Name       string           `json:"name,omitempty"`
	Properties widgetProperties `json:"properties"`
}

type widgetProperties struct {
	Size              int64  `json:"size"`
	ProvisioningState string `json:"provisioningState,omitempty"`
}

// A service is the client of the management service.
type service struct {
	origin  string
	client  poller.Doer
	cadence poller.Cadence
}

// options are those of every operation, begun or resumed: a token holds none of
// them.
func (s *service) options() *poller.Options {
	return &poller.Options{
		Cadence:  s.cadence,
		Origins:  []string{s.origin}, // a token in a state file vouches for nothing; this does
		Strategy: cancelable{poller.ARM},
	}
}

// A cancelable is a strategy for a service that has what ARM has not: a way to cancel,
// by a DELETE of the URL that is polled.
type cancelable struct{ poller.Strategy }

// Cancel implements [poller.Canceler].
func (cancelable) Cancel(a poller.Answer) (*poller.Request, error) {
	return &poller.Request{Method: http.MethodDelete, URL: a.Poll}, nil
}

// begin sends a request that begins an operation.
//
// It is not cut short: not by Ctrl-C, and not by a timeouts block. A request that
// has left cannot be taken back, and without its answer nobody can follow what it
// has begun. The transport gives up by itself on a service that does not answer.
func (s *service) begin(ctx context.Context, method, name string, body *widget) (*poller.Poller[widget], error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Minute)
	defer cancel()
	req, err := s.request(ctx, method, name, body)
	if err != nil {
		return nil, err
	}
	return poller.Begin[widget](req, s.client, s.options())
}

// resume takes up what another run has begun. It sends nothing.
func (s *service) resume(token string) (*poller.Poller[widget], error) {
	return poller.Resume[widget](token, s.client, s.options())
}

// get reads a widget as it is now. The poller is that of the operation under way
// on it, which somebody else may have begun; nil if there is none.
func (s *service) get(ctx context.Context, name string) (*widget, *poller.Poller[widget], error) {
	req, err := s.request(ctx, http.MethodGet, name, nil)
	if err != nil {
		return nil, nil, err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		if inner, ok := errors.AsType[*url.Error](err); ok {
			err = inner.Err // its own text has the query
		}
		return nil, nil, &lroerrors.StatusError{Method: req.Method, URL: s.origin + req.URL.Path, Err: err}
	}
	defer resp.Body.Close()
	// A GET that is begun with ProvisioningState asks the resource itself, and goes
	// on doing so. Of what has failed it is the error, and the body still there.
	opts := s.options()
	opts.Strategy = poller.ProvisioningState
	p, err := poller.New[widget](resp, s.client, opts)
	if err != nil {
		return nil, nil, err
	}
	var w widget
	if err := decode(resp.Body, &w); err != nil {
		return nil, nil, &lroerrors.StatusError{Method: req.Method, URL: s.origin + req.URL.Path, StatusCode: resp.StatusCode, Err: err}
	}
	if p.Done() {
		return &w, nil, nil
	}
	return &w, p, nil
}

func (s *service) request(ctx context.Context, method, name string, body *widget) (*http.Request, error) {
	var content io.Reader = http.NoBody
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.origin+widgets+"/"+url.PathEscape(name)+"?api-version=2026-01-01", content)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// decode reads one document.
func decode(r io.Reader, v any) error {
	return json.NewDecoder(io.LimitReader(r, 4<<20)).Decode(v)
}

// notFound reports whether the service knows of no such widget. A wait that was
// given up may hold the 404 of a status, and that says nothing.
func notFound(err error) bool {
	_, waited := goesOn(err)
	refused, ok := errors.AsType[*lroerrors.StatusError](err)
	return ok && !waited && refused.StatusCode == http.StatusNotFound
}
