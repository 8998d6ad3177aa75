// Package management is a client of three types of Azure resources, as the author of
// a management client writes one: methods with the API's own types, that return a
// poller where the operation takes its time and a pager where there are many.
//
//	client, err := management.New(subscription, transport.NewClient(&transport.Options{Token: token}), nil)
//	…
//	p, err := client.StorageAccounts().BeginCreate(ctx, "group", "account", want)
//	…
//	account, err := p.PollUntilDone(ctx)
//
// A type of resource is one file. What they share is in call.go, and that is all there
// is: how an operation is followed is found out from the answer, so no method says it.
//
// Methods return a *StatusError of github.com/lro-go/lro/errors where the service
// refuses, and those that wait for the end of an operation return the other errors of
// that package, too.
package management

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/lro-go/lro/poller"
)

// Endpoint is Azure Resource Manager in the public cloud.
const Endpoint = "https://management.azure.com"

// Scope is the scope of its tokens.
const Scope = Endpoint + "/.default"

// Options are those of [New]. The zero Options, and nil, are the defaults.
type Options struct {
	Endpoint string // [Endpoint]; another one in another cloud. Only https: requests have tokens

	// Poller are those of every poller. Leave them out, but for a Logger, unless you
	// know better than the service. Methods set what their API wants.
	Poller poller.Options
}

// A Client manages the resources of one subscription. It may be used by several
// goroutines, as the Doer may.
type Client struct {
	doer     poller.Doer
	root     string // of all URLs: the endpoint and the subscription
	endpoint string
	poller   poller.Options
}

// New returns a client that sends its requests through doer, which is where they are
// authorized: one of package transport with a Token, or an azcore pipeline by
// lroazcore.Doer.
func New(subscription string, doer poller.Doer, opts *Options) (*Client, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if doer == nil {
		return nil, errors.New("management: a Doer is needed, which authorizes requests")
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

// Resume takes up an operation of this client from its token: that of a poller's
// ResumeToken, or of an azcore client for the same API. T is as in the method that
// began it. Only the client's own endpoint is asked, whatever the token says.
func Resume[T any](c *Client, token string) (*poller.Poller[T], error) {
	opts := c.poller
	opts.Origins = append([]string{c.endpoint}, opts.Origins...)
	return poller.Resume[T](token, c.doer, &opts)
}
