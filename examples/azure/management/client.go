// Package management is a typed client for three types of Azure resources, written as the author of
// a management client would write it. Methods take and return the types of the API. A method that
// starts an operation returns a poller, and a method that lists resources returns a pager.
//
//	client, err := management.New(subscription, transport.NewClient(&transport.Options{Token: token}), nil)
//	…
//	p, err := client.StorageAccounts().BeginCreate(ctx, "group", "account", want)
//	…
//	account, err := p.PollUntilDone(ctx)
//
// Each resource type has its own file, and call.go contains the code that all types share. The
// poller chooses an operation's protocol from the response, so the methods do not specify it.
//
// If the service rejects a request, the error is a *StatusError of github.com/lro-go/lro/errors.
// Methods that wait for an operation may also return the other errors of that package.
package management

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/lro-go/lro/poller"
)

// Endpoint is the URL of Azure Resource Manager in the public cloud.
const Endpoint = "https://management.azure.com"

// Scope is the scope that a token for Endpoint needs.
const Scope = Endpoint + "/.default"

// Options configure [New]. Nil and the zero Options mean the defaults.
type Options struct {
	Endpoint string // an https URL, because requests contain tokens; the constant Endpoint by default

	// Poller contains the options for all pollers, except FinalStateVia, which each method sets.
	Poller poller.Options
}

// A Client manages the resources of a subscription. It is safe for concurrent use if its Doer is.
type Client struct {
	doer     poller.Doer
	root     string // the prefix of all URLs: the endpoint and the subscription
	endpoint string
	poller   poller.Options
}

// New returns a client that sends requests through doer, which must authenticate them. The doer can
// be an HTTP client from package transport with a Token, or an azcore pipeline wrapped by
// lroazcore.Doer.
func New(subscription string, doer poller.Doer, opts *Options) (*Client, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if doer == nil {
		return nil, errors.New("management: New needs a Doer that authenticates requests")
	}
	endpoint := strings.TrimSuffix(cmp.Or(o.Endpoint, Endpoint), "/")
	if u, err := url.Parse(endpoint); err != nil || u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("management: the endpoint %q is not an https URL", endpoint)
	}
	root, err := join(endpoint, "subscriptions", subscription)
	if err != nil {
		return nil, err
	}
	return &Client{doer: doer, root: root, endpoint: endpoint, poller: o.Poller}, nil
}

// Resume returns a poller for the operation that the token identifies. The token comes from the
// ResumeToken method, either of a poller that this package returned or of an azcore poller for the
// same API. T is the result type of the method that started the operation. Even if the token is
// forged, the poller sends requests only to the client's endpoint and to Options.Poller.Origins.
func Resume[T any](c *Client, token string) (*poller.Poller[T], error) {
	opts := c.poller
	opts.Origins = append([]string{c.endpoint}, opts.Origins...)
	return poller.Resume[T](token, c.doer, &opts)
}
