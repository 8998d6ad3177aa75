package wire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
)

// A Doer sends a request. *http.Client and azcore's Transporter are Doers.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// An Answer is a response whose body has been read.
type Answer struct {
	URL    *url.URL // the URL of the response, after redirects
	Moved  bool     // whether URL differs from the URL of the request
	Code   int
	Header http.Header
	Body   []byte        // without a byte order mark
	Held   bool          // whether the request was not sent, because our own throttle gate held it back
	Sent   exchange.Sent // what our transport reports about the request
}

// Terms are the settings for one Send.
type Terms struct {
	Origins exchange.Origins
	Header  http.Header   // the headers to keep on a redirect to another origin
	Polling bool          // whether the caller itself schedules the next attempt, and repeats a request after a 401
	Limit   Limit         // the limits on the size and the duration of the response
	Buf     *bytes.Buffer // receives the body, which is then valid until Buf is next used; if nil, a new buffer is allocated
}

// longestPause is the longest time for which a transport may pause between attempts at one read.
// The poller schedules longer pauses itself.
const longestPause = 5 * time.Second

// settings returns the settings in ctx, with the changes that t requires.
func (t Terms) settings(ctx context.Context) exchange.Settings {
	w := *exchange.SettingsOf(ctx)
	w.Origins, w.Header, w.Reauthorizes = t.Origins.List(), t.Header, t.Polling
	if t.Polling {
		w.LongestPause = min(w.LongestPause, longestPause)
	}
	return w
}

// Send sends req, which it modifies, and reads the whole response. If the caller's context ended,
// the error is the context's. Any other error is a *StatusError, which has the status code even if
// the body could not be read. If there is an error, the Answer holds whatever part of the response
// arrived.
func Send(ctx context.Context, client Doer, req *http.Request, t Terms) (Answer, error) {
	var own *exchange.Timed // nil for our transport, which limits the time itself with a context that it needs anyway
	settings := exchange.WithSettings(ctx, t.settings(ctx))
	if ours(client) != nil {
		settings.Timeout, settings.Due = t.Limit.timeout(), time.Time{}
		if settings.Timeout > 0 {
			settings.Due = time.Now().Add(settings.Timeout)
		}
		*req = *req.WithContext(settings)
	} else {
		own = t.Limit.start(settings)
		defer own.Stop()
		*req = *req.WithContext(own)
	}
	asked := *req.URL
	resp, failed := Do(client, req)
	if failed != nil {
		return Answer{}, cause(ctx, own, failed)
	}
	ans := Answer{URL: req.URL, Code: resp.StatusCode, Header: resp.Header, Held: settings.Held(), Sent: exchange.SentOf(resp.Request)}
	if resp.Request != nil && resp.Request.URL != nil {
		ans.URL = resp.Request.URL
	}
	ans.Moved = *ans.URL != asked
	var body []byte
	var err error
	if resp.Body != http.NoBody {
		if own != nil {
			resp.Body = own.Body(resp.Body, t.Limit.timeout())
		}
		defer resp.Body.Close()
		body, err = readAll(resp.Body, resp.ContentLength, t.Limit, t.Buf)
	}
	ans.Body = WithoutBOM(body)
	if err = cmp.Or(err, incomplete(resp, body)); err != nil {
		return ans, cause(ctx, own, Refusal(exchange.Method(req), ans, fmt.Errorf("reading the response: %w", redact.RequestError(ctx, redact.UnwrapURL(err)))))
	}
	return ans, nil
}

// Do sends a request. It returns either a response, whose Body is not nil, or a *StatusError.
func Do(client Doer, req *http.Request) (*http.Response, *lroerrors.StatusError) {
	resp, err := do(client, req)
	if resp == nil && err == nil {
		err = errors.New("the client returned neither a response nor an error")
	}
	if resp != nil && resp.Body == nil {
		resp.Body = http.NoBody
	}
	if err != nil {
		failed := NoAnswer(req, err)
		if resp == nil {
			return nil, failed
		}
		resp.Body.Close() // the body of a refused redirect
		refused, sent := *failed, exchange.SentOf(resp.Request)
		refused.Attempts, refused.Unanswered = sent.Attempts, sent.Unanswered
		return nil, &refused
	}
	return resp, nil
}

// cause returns the error of the caller's context if that context has ended. Otherwise, it
// returns err. If our own time limit caused err, the error of the limit replaces the bare
// "context canceled" in err.
func cause(ctx context.Context, own *exchange.Timed, err *lroerrors.StatusError) error {
	if ctx.Err() != nil {
		return redact.ContextError(ctx)
	}
	if own != nil && own.Expired() != nil {
		late := *err // a copy, because the Doer may still use the error that it returned
		late.Err = own.Expired()
		return &late
	}
	return err
}

// NoAnswer returns the error for a request without a response. It keeps the transport's
// *StatusError, but removes the *url.Error around it, whose text contains the query.
func NoAnswer(req *http.Request, err error) *lroerrors.StatusError {
	err = redact.UnwrapURL(err)
	se := lroerrors.StatusError{Method: exchange.Method(req), URL: redact.URL(req.URL), Err: err}
	if theirs, ok := err.(*lroerrors.StatusError); ok { //nolint:errorlint // a wrapped *StatusError is about another request, such as the request for a token
		se = *theirs // a copy, because the Doer may still use its error
	}
	if se.Err != nil {
		se.Err = foreignEnding(redact.RequestError(req.Context(), se.Err))
	}
	return &se
}

// foreignEnding hides how another operation ended. A Doer may follow an operation of its own, for
// example to get a credential, and return that operation's error. A caller that uses errors.As
// would mistake it for the error of this operation.
func foreignEnding(err error) error {
	_, operation := errors.AsType[*lroerrors.OperationError](err)
	_, result := errors.AsType[*lroerrors.ResultError](err)
	_, wait := errors.AsType[*lroerrors.WaitError](err)
	if operation || result || wait {
		return errors.New(err.Error())
	}
	return err
}

// Refusal returns the error for a response that reported no status. If the response could not be
// read, err says why. Otherwise, err is nil.
func Refusal(method string, ans Answer, err error) *lroerrors.StatusError {
	se := exchange.NewStatusError(method, ans.URL, ans.Code, ans.Header, ans.Body, err)
	se.Attempts, se.Unanswered = ans.Sent.Attempts, ans.Sent.Unanswered
	return se
}
