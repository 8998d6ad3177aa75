package management

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
)

// A call describes a request to the service.
type call struct {
	method  string
	path    []string // the path segments after the subscription
	version string   // the API version
	body    any      // nil means no body

	result poller.FinalStateVia // the final-state-via in x-ms-long-running-operation-options; "" if the poller needs none
}

// begin sends a request and returns a poller for the operation that the request starts. The caller
// should not pass a ctx that Ctrl-C cancels, because the operation may start even if the response
// is lost.
func begin[T any](ctx context.Context, c *Client, what call) (*poller.Poller[T], error) {
	req, err := c.request(ctx, what)
	if err != nil {
		return nil, err
	}
	opts := c.poller
	opts.FinalStateVia = what.result
	return poller.Begin[T](req, c.doer, &opts)
}

// callAndWait sends a request that normally starts no operation. If the service starts one anyway
// (quirks W36 and W37), callAndWait waits for it.
func callAndWait[T any](ctx context.Context, c *Client, what call) (result T, err error) {
	p, err := begin[T](ctx, c, what)
	if err != nil {
		return result, err
	}
	return p.PollUntilDone(ctx)
}

// list returns a pager for a collection, without sending a request.
func list[T any](c *Client, version string, path ...string) (*pager.Pager[T], error) {
	req, err := c.request(context.Background(), call{method: http.MethodGet, path: path, version: version})
	if err != nil {
		return nil, err
	}
	return pager.New[T](req, c.doer, nil), nil
}

func (c *Client) request(ctx context.Context, what call) (*http.Request, error) {
	target, err := join(c.root, what.path...)
	if err != nil {
		return nil, err
	}
	body := io.Reader(http.NoBody)
	if what.body != nil {
		text, err := json.Marshal(what.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text) // net/http can resend a body of this type
	}
	req, err := http.NewRequestWithContext(ctx, what.method, target+"?api-version="+what.version, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if what.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// join appends segments to a URL. It rejects empty segments, "." and "..", which would make the URL
// name something else, such as all accounts.
func join(root string, segments ...string) (string, error) {
	for i, s := range segments {
		if s == "" || s == "." || s == ".." {
			return "", fmt.Errorf("management: %q is not a valid name (after %q)", s, segments[:i])
		}
		root += "/" + url.PathEscape(s)
	}
	return root, nil
}
