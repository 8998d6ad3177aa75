package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/lrotf"
	"github.com/lro-go/lro/poller/strategy"
)

// widgets is the path of the widget collection.
const widgets = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo/providers/Microsoft.Contoso/widgets"

// A widget is the JSON body of a response.
type widget struct {
	ID         string           `json:"id"`
	Name       string           `json:"name"`
	Properties widgetProperties `json:"properties"`
}

type widgetProperties struct {
	Size              int64  `json:"size"`
	ProvisioningState string `json:"provisioningState,omitempty"`
}

// A service is the provider's client for the widget service.
type service struct {
	origin  string
	client  poller.Doer
	cadence poller.Cadence
}

// operationOptions returns the options for starting or resuming an operation. A token does not
// contain them, so a resumed operation needs the same options.
func (s *service) operationOptions() *poller.Options { return s.options(cancelable{arm.Auto}) }

func (s *service) options(strategy poller.Strategy) *poller.Options {
	return &poller.Options{
		Cadence:  s.cadence,
		Origins:  []string{s.origin}, // a forged token in a state file must not direct requests to another host
		Strategy: strategy,
	}
}

// cancelable wraps a strategy and adds a cancel request, a DELETE of the status URL. ARM itself
// defines no cancel request.
type cancelable struct{ poller.Strategy }

// Cancel implements [strategy.Canceler].
func (cancelable) Cancel(a strategy.Answer) (*poller.Request, error) {
	return &poller.Request{Method: http.MethodDelete, URL: a.Poll}, nil
}

func (s *service) put(ctx context.Context, name string, p widgetProperties) (*poller.Poller[widget], error) {
	body, err := json.Marshal(map[string]any{"properties": p})
	if err != nil {
		return nil, err
	}
	return s.begin(ctx, http.MethodPut, name, body)
}

func (s *service) delete(ctx context.Context, name string) (*poller.Poller[widget], error) {
	return s.begin(ctx, http.MethodDelete, name, nil)
}

func (s *service) begin(ctx context.Context, method, name string, body []byte) (*poller.Poller[widget], error) {
	req, err := s.request(ctx, method, name, body)
	if err != nil {
		return nil, err
	}
	return poller.Begin[widget](req, s.client, s.operationOptions())
}

// get reads a widget. If an operation on the widget is in progress, get also returns its Poller.
func (s *service) get(ctx context.Context, name string) (widget, *poller.Poller[widget], error) {
	req, err := s.request(ctx, http.MethodGet, name, nil)
	if err != nil {
		return widget{}, nil, err
	}
	return lrotf.Get[widget](req, s.client, s.options(nil))
}

func (s *service) request(ctx context.Context, method, name string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.origin+widgets+"/"+url.PathEscape(name)+"?api-version=2026-01-01", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}
