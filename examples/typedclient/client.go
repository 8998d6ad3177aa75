// Package typedclient is an example of a typed client for a resource type with long-running
// operations. The page docs/typed-client.md explains the code.
package typedclient

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A Widget is the JSON representation of a widget in requests and responses.
type Widget struct {
	ID         string     `json:"id,omitempty"`
	Name       string     `json:"name,omitempty"`
	Properties Properties `json:"properties"`
}

// Properties holds the properties of a [Widget].
type Properties struct {
	Size              int    `json:"size"`
	ProvisioningState string `json:"provisioningState,omitempty"`
}

// Restarted is the result of restarting a widget.
type Restarted struct {
	Seconds int `json:"seconds"`
}

// A Client sends requests for the widgets in a resource group. It is safe for concurrent use.
type Client struct {
	http     *http.Client
	endpoint string // such as https://management.azure.com
	group    string // such as /subscriptions/s/resourceGroups/g
	options  poller.Options
}

// New returns a [Client]. A nil httpClient means transport.NewClient(nil), which sends no
// credentials.
func New(endpoint, group string, httpClient *http.Client) *Client {
	if httpClient == nil {
		httpClient = transport.NewClient(nil)
	}
	return &Client{httpClient, endpoint, group, poller.Options{Origins: []string{endpoint}}}
}

// BeginCreate creates or replaces a widget. It returns the errors from poller.Begin.
func (c *Client) BeginCreate(ctx context.Context, name string, w Widget) (*poller.Poller[Widget], error) {
	return begin[Widget](ctx, c, http.MethodPut, c.widget(name), w, c.cancelable())
}

// ResumeCreate resumes a creation from its token. It returns the errors from poller.Resume.
func (c *Client) ResumeCreate(token string) (*poller.Poller[Widget], error) {
	return poller.Resume[Widget](token, c.http, c.cancelable())
}

// BeginRestart restarts a widget. It returns the errors from poller.Begin.
func (c *Client) BeginRestart(ctx context.Context, name string) (*poller.Poller[Restarted], error) {
	return begin[Restarted](ctx, c, http.MethodPost, c.widget(name)+"/restart", nil, &c.options)
}

// BeginDelete deletes a widget. It returns the errors from poller.Begin. A 204, which means that
// the widget does not exist, is not an error.
func (c *Client) BeginDelete(ctx context.Context, name string) (*poller.Poller[struct{}], error) {
	return begin[struct{}](ctx, c, http.MethodDelete, c.widget(name), nil, &c.options)
}

// Get returns a widget. If the service refuses the request, the error is a *StatusError of
// github.com/lro-go/lro/errors. If the widget does not exist, the error matches that package's
// ErrNotFound. Other errors come from the HTTP client or encoding/json.
func (c *Client) Get(ctx context.Context, name string) (Widget, error) {
	req, err := newRequest(ctx, http.MethodGet, c.url(c.widget(name)), nil)
	if err != nil {
		return Widget{}, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return Widget{}, err
	}
	defer resp.Body.Close()
	err = transport.AsError(resp)
	if err != nil {
		return Widget{}, err
	}
	var w Widget
	err = json.NewDecoder(resp.Body).Decode(&w)
	return w, err
}

// List returns a pager for the group's widgets. List itself sends no requests.
func (c *Client) List() *pager.Pager[Widget] {
	req, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, c.url(c.widgets()), http.NoBody) // ignore the error, because the pager reports a nil request
	return pager.New[Widget](req, c.http, nil)
}

// begin sends a request that starts an operation whose result is a T.
func begin[T any](ctx context.Context, c *Client, method, path string, body any, options *poller.Options) (*poller.Poller[T], error) {
	req, err := newRequest(ctx, method, c.url(path), body)
	if err != nil {
		return nil, err
	}
	return poller.Begin[T](req, c.http, options)
}

const version = "?api-version=2024-05-01"

// cancelable returns options with which Cancel deletes the widget. The URL of the DELETE is
// relative to the widget's URL, so Cancel also works after ResumeCreate.
func (c *Client) cancelable() *poller.Options {
	options := c.options
	options.CancelRequest = func(poller.Status) (*poller.Request, error) {
		return &poller.Request{Method: http.MethodDelete, URL: version}, nil
	}
	return &options
}

func (c *Client) widgets() string { return c.group + "/providers/Microsoft.Contoso/widgets" }

func (c *Client) widget(name string) string { return c.widgets() + "/" + url.PathEscape(name) }

func (c *Client) url(path string) string { return c.endpoint + path + version }

// newRequest returns a request with a JSON body, or without one if body is nil.
func newRequest(ctx context.Context, method, url string, body any) (*http.Request, error) {
	if body == nil {
		return http.NewRequestWithContext(ctx, method, url, http.NoBody)
	}
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(b)) // a bytes.Reader lets the transport send the body again
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}
