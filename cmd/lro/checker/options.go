package checker

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/lro-go/lro/cmd/lro/checker/rules"
	"github.com/lro-go/lro/transport"
)

// Pace is the minimum time between the starts of two consecutive requests.
const Pace = 200 * time.Millisecond

// A Request starts an operation or reads a resource or a listing.
type Request struct {
	Method string // GET, PUT, PATCH, POST or DELETE
	URL    string // an absolute http or https URL
	Header http.Header
	Body   []byte
}

// Options describes a check. Spec and Requests are required.
type Options struct {
	Spec     string    // the name of the specification; see [rules.Specs]
	Requests []Request // the requests, in order; Check finishes with one operation before it sends the next request

	// Client returns a new client with its own connections. Check calls it twice, to read over two
	// connections. The clients must not retry; see [Transport]. By default, they send no
	// credential.
	Client func() *http.Client

	Header  http.Header // headers for every request
	Origins []string    // additional origins to which Check may send requests; the origins of Requests are always allowed

	Interval time.Duration // the pause between two rounds of reads; 1 s by default, and at least [Pace]
	Timeout  time.Duration // how long to wait for each operation to end; 30 min by default

	// Patience is how long Check keeps trying if the status cannot be read, is not in the
	// specification, or still shows progress after the resource has reached a terminal state; 2 min
	// by default. The cleanup also retries a DELETE for at most this time, and then waits at most
	// as long for the resource to disappear.
	Patience time.Duration

	Probe  bool // also send invalid requests, which the service must refuse
	Cancel bool // ask the service to cancel each operation
	Keep   bool // do not delete what the check has created

	// Log is called with a line for each step. By default, nothing is logged.
	Log func(line string)
}

// withDefaults returns a copy of o in which defaults replace zero values, and Origins includes the
// origins of Requests. It returns an error if o is invalid.
func (o *Options) withDefaults() (*Options, error) {
	if o == nil || len(o.Requests) == 0 {
		return nil, errors.New("checker: no request to send")
	}
	if rules.For(o.Spec) == nil {
		return nil, fmt.Errorf("checker: unknown specification %q; the specifications are %q", o.Spec, rules.Specs())
	}
	c := *o
	c.Interval = max(cmp.Or(c.Interval, time.Second), Pace)
	c.Timeout = cmp.Or(c.Timeout, 30*time.Minute)
	c.Patience = cmp.Or(c.Patience, 2*time.Minute)
	c.Origins = slices.Clone(c.Origins)
	if c.Client == nil {
		c.Client = defaultClient
	}
	if c.Log == nil {
		c.Log = func(string) {}
	}
	for _, r := range c.Requests {
		origin, err := r.origin()
		if err != nil {
			return nil, err
		}
		c.Origins = append(c.Origins, origin)
	}
	return &c, nil
}

// methods lists the methods that a Request may have.
var methods = []string{http.MethodGet, http.MethodPut, http.MethodPatch, http.MethodPost, http.MethodDelete}

// origin returns the origin of the request's URL, or an error if the request is invalid.
func (r Request) origin() (string, error) {
	if !slices.Contains(methods, r.Method) {
		return "", fmt.Errorf("checker: the method %q is not one of %q", r.Method, methods)
	}
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" {
		return "", errors.New("checker: a request needs an absolute URL")
	}
	origin, err := transport.Origin(u)
	if err != nil {
		return "", fmt.Errorf("checker: %w", err)
	}
	return origin, nil
}

// Transport returns options for a client that has its own connections and does not retry. A
// function for [Options.Client] should call Transport each time, set the credential in the returned
// options, and pass these options to [transport.NewClient].
func Transport() *transport.Options {
	o := &transport.Options{Retries: -1, MaxRetryAfter: -1, HeaderTimeout: maxRequestTime, NoThrottleGate: true, UserAgent: "lro-check"}
	if base, ok := http.DefaultTransport.(*http.Transport); ok {
		o.Base = base.Clone()
	}
	return o
}

func defaultClient() *http.Client { return transport.NewClient(Transport()) }
