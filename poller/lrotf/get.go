package lrotf

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/transport"
)

// maxResource is the maximum size, in bytes, of a body that Get reads. ARM drops larger responses.
const maxResource = 4 << 20

// Get reads a resource, for the Get field of a [Resource] or for a data source. req is a GET
// request for the resource. client and opts are as in poller.Begin, but a nil Strategy means
// arm.ProvisioningState, which reads the progress from the resource itself. Get sends one request,
// which the client may retry.
//
// Get returns the resource, decoded from the whole body. If the resource shows an operation in
// progress, Get also returns a Poller that follows it. Otherwise the Poller is nil, even if the
// resource reports a failure. The error is a *StatusError, which matches ErrNotFound after a 404,
// or a *WaitError if the strategy cannot follow the response.
func Get[T any](req *http.Request, client poller.Doer, opts *poller.Options) (T, *poller.Poller[T], error) {
	var o poller.Options
	if opts != nil {
		o = *opts
	}
	if o.Strategy == nil {
		o.Strategy = arm.ProvisioningState
	}
	if client == nil {
		client = transport.NewClient(nil)
	}
	var v T
	failed := &lroerrors.StatusError{Method: req.Method, URL: req.URL.Scheme + "://" + req.URL.Host + req.URL.Path}
	resp, err := client.Do(req)
	if err != nil {
		if inner, ok := errors.AsType[*url.Error](err); ok {
			err = inner.Err // drops the outer error, because its text contains the query
		}
		failed.Err = err
		return v, nil, failed
	}
	defer resp.Body.Close()
	p, err := poller.New[T](resp, client, &o) // New leaves resp.Body readable
	if err != nil {
		return v, nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResource))
	if err == nil {
		err = json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), &v) // removes a byte order mark (quirk W42)
	}
	if err != nil {
		failed.StatusCode = resp.StatusCode
		failed.Err = err
		return v, nil, failed
	}
	if p.Done() {
		return v, nil, nil
	}
	return v, p, nil
}
