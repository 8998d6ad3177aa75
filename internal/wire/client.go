package wire

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/transport"
)

// A Doer sends a request. *http.Client and azcore's Transporter are Doers.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// defaultClient is the client of all pollers and pagers created without one. They share its
// connections and its throttle gate.
var defaultClient = sync.OnceValue(func() *http.Client {
	return &http.Client{Transport: transport.New(nil), CheckRedirect: marked}
})

// Guard limits client's redirects to the origins in the request's context (see
// [exchange.Origins.Mark]). Without this limit, net/http would follow a redirect to any origin. If
// client is an *http.Client, Guard returns a copy that also applies client's own CheckRedirect. It
// returns the default client if client is nil, and any other Doer unchanged.
func Guard(client Doer) Doer {
	if client == nil {
		return defaultClient()
	}
	hc, ok := client.(*http.Client)
	if !ok {
		return client
	}
	if hc == nil {
		return defaultClient()
	}

	guarded := *hc
	guarded.CheckRedirect = marked
	if theirs := hc.CheckRedirect; theirs != nil {
		guarded.CheckRedirect = func(req *http.Request, via []*http.Request) error {
			if err := marked(req, via); err != nil {
				return err
			}
			return theirs(req, via)
		}
	}
	return &guarded
}

// marked is a redirect policy that allows the origins in a request's context.
var marked = transport.CheckRedirect()

// transportClient returns client if it sends directly through package transport, which applies the
// Settings in a request's context. Otherwise, transportClient returns nil.
func transportClient(client Doer) *http.Client {
	hc, ok := client.(*http.Client)
	if !ok {
		return nil
	}
	if _, ok := hc.Transport.(*transport.Transport); !ok {
		return nil
	}
	return hc
}

// Enter blocks until client may start an exchange; see [exchange.Crowd.Enter]. Enter returns right
// away if client does not send directly through package transport.
func Enter(ctx context.Context, client Doer, method string, u *url.URL) (crowded bool, leave func()) {
	hc := transportClient(client)
	if hc == nil || u == nil {
		return false, func() {}
	}
	isRead := method == http.MethodGet || method == http.MethodHead
	return exchange.CrowdOf(hc.Transport).Enter(ctx, isRead, u.Host)
}

// Do sends a request. It returns either a *StatusError or a response with a non-nil Body.
func Do(client Doer, req *http.Request) (*http.Response, *lroerrors.StatusError) {
	resp, err := do(client, req)
	if resp == nil && err == nil {
		err = errors.New("the client returned neither a response nor an error")
	}
	if resp == nil {
		return nil, NoAnswer(req, err)
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	if err == nil {
		return resp, nil
	}

	resp.Body.Close() // resp is a redirect that the client refused to follow
	refused := NoAnswer(req, err)
	sent := exchange.SentOf(resp.Request)
	refused.Attempts = sent.Attempts
	refused.Unanswered = sent.Unanswered
	return nil, refused
}

// do is like client.Do, but usually does not wrap errors in a *url.Error. If client sends directly
// through package transport and would not change or reject req itself, do calls the transport
// directly and uses client only for a 3xx. This saves 5 allocations and 592 bytes per poll.
func do(client Doer, req *http.Request) (*http.Response, error) {
	hc := transportClient(client)
	if hc == nil || changesRequest(hc, req) {
		return client.Do(req)
	}

	resp, err := hc.Transport.RoundTrip(req)
	if err != nil || resp.StatusCode < 300 || resp.StatusCode > 399 {
		return resp, err
	}
	return followRedirect(hc, req, resp)
}

// followRedirect handles the 3xx response to req as hc would, without sending req again.
func followRedirect(hc *http.Client, req *http.Request, first *http.Response) (*http.Response, error) {
	follower := *hc
	follower.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
		if resp := first; resp != nil {
			first = nil
			return resp, nil
		}
		return hc.Transport.RoundTrip(req)
	})
	return follower.Do(req)
}

// changesRequest reports whether client would change or reject req before sending it.
func changesRequest(client *http.Client, req *http.Request) bool {
	return client.Jar != nil || client.Timeout != 0 || req.URL.User != nil || req.RequestURI != ""
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// NoAnswer returns the error for a request that got no response. It keeps the transport's
// *StatusError, but drops the *url.Error around it, whose text contains the query.
func NoAnswer(req *http.Request, err error) *lroerrors.StatusError {
	err = redact.UnwrapURL(err)
	se := lroerrors.StatusError{Method: exchange.Method(req), URL: redact.URL(req.URL), Err: err}
	if theirs, ok := err.(*lroerrors.StatusError); ok { //nolint:errorlint // a wrapped *StatusError is about another request
		se = *theirs // a copy, because the Doer may still use its error
	}
	if se.Err == nil {
		return &se
	}
	original := se.Err
	se.Err = foreignEnding(redact.RequestError(req.Context(), original))
	if errors.Is(original, lroerrors.ErrNotSent) && !errors.Is(se.Err, lroerrors.ErrNotSent) {
		se.Err = exchange.NotSent(se.Err) // RequestError may return the context's error, which does not match ErrNotSent
	}
	return &se
}

// foreignEnding returns err unchanged unless it is or wraps an *OperationError, *ResultError or
// *WaitError. In that case, foreignEnding returns an error with only the text of err, because a
// Doer may return the error of another operation, and errors.As must not find that error in this
// operation's error.
func foreignEnding(err error) error {
	_, operation := errors.AsType[*lroerrors.OperationError](err)
	_, result := errors.AsType[*lroerrors.ResultError](err)
	_, wait := errors.AsType[*lroerrors.WaitError](err)
	if operation || result || wait {
		return errors.New(err.Error())
	}
	return err
}
