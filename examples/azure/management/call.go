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

// A call is a request as the description of an API has it.
type call struct {
	method  string
	path    []string // segments, below the subscription
	version string   // of the API
	body    any      // nil: none

	result poller.FinalStateVia // x-ms-long-running-operation-options, where it matters
}

// begin sends a call and returns the poller of what it began. ctx bounds this request
// only. One that is sent and whose answer is lost may have begun an operation, so do not
// give it a context that Ctrl-C ends.
func begin[T any](ctx context.Context, c *Client, what call) (*poller.Poller[T], error) {
	req, err := c.request(ctx, what)
	if err != nil {
		return nil, err
	}
	opts := c.poller
	opts.FinalStateVia = what.result
	return poller.Begin[T](req, c.doer, &opts)
}

// done sends a call that is described as synchronous, and waits for its end all the
// same: the answer says whether there is anything to wait for, and services that are
// described as synchronous have been seen to answer otherwise (quirks W36 and W37).
// A GET is one of them, so that all methods have the same errors.
func done[T any](ctx context.Context, c *Client, what call) (T, error) {
	p, err := begin[T](ctx, c, what)
	if err != nil {
		var zero T
		return zero, err
	}
	return p.PollUntilDone(ctx)
}

// list returns the pager of a collection. It sends nothing.
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
		body = bytes.NewReader(text) // so that it can be sent again
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

// join adds segments to a URL. One that is empty would make the path that of something
// else: a DELETE of an account without a name that of all accounts. "." and ".." would,
// too, where a server or a proxy resolves them.
func join(root string, segments ...string) (string, error) {
	for i, s := range segments {
		if s == "" || s == "." || s == ".." {
			return "", fmt.Errorf("management: %q cannot be a name (after %q)", s, segments[:i])
		}
		root += "/" + url.PathEscape(s)
	}
	return root, nil
}
