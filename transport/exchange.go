package transport

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/failure"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/reqctx"
)

// An exchange is one call of RoundTrip: the attempts and the pauses between them.
type exchange struct {
	t      *Transport
	req    *http.Request // the caller's; never changed
	added  [2]string     // values of headers that the caller left to us: User-Agent, client request id
	loop   retryablehttp.Request
	wishes reqctx.Wishes

	ctx     *attemptContext // of the current attempt
	headers http.Header     // of the current attempt; the http.Client of the loop would copy them
	first   attemptContext

	// Of the last attempt.
	token string // that it carried
	err   error  // why no response came
	what  string // its name in the log
	final bool   // do not consult the policy

	unanswered bool // an attempt may have taken effect although no response says so

	waited  time.Duration // at the throttle gate
	refused int           // probes that had been refused when the exchange last looked at its gate; -1: never
	tries   int           // attempts, whether or not they were sent
	sent    int           // how many times the request was sent
	retries int           // attempts after the first, without the one after a 401
	renewed bool          // a 401 led to another attempt
}

// An attemptContext is the context of an attempt. The retry loop finds the exchange in it.
type attemptContext struct {
	reqctx.Timed
	x *exchange
}

type exchangeKey struct{}

func (c *attemptContext) Value(key any) any {
	if key == (exchangeKey{}) {
		return c.x
	}
	return c.Timed.Value(key)
}

// newExchange prepares the request that is sent: one copy of the caller's.
func (t *Transport) newExchange(req *http.Request) *exchange {
	x := &exchange{t: t, req: req, wishes: reqctx.Of(req.Context()), refused: -1}
	x.added[0] = t.userAgent
	if req.Header.Get(requestIDHeader) == "" {
		x.added[1] = newID()
	}
	if from := cameFrom(req); from != nil { // a redirect, which net/http builds from the caller's headers
		if x.added[1] != "" {
			x.added[1] = cmp.Or(from.Header.Get(requestIDHeader), x.added[1])
		}
		x.unanswered = reqctx.SentOf(from).Unanswered || isRead(req) && !isRead(from) // a 303 says that the write worked
	}
	x.start(&x.first)
	x.loop.Request = req.WithContext(x.ctx)
	x.loop.Header = http.Header{} // see attempt
	x.refresh(x.loop.Request)
	x.loop.RequestURI = "" // which http.Client rejects and a RoundTripper ignores
	return x
}

// start makes c the context of the next attempt.
func (x *exchange) start(c *attemptContext) {
	x.ctx, c.x = c, x
	c.Start(x.req.Context())
	c.Due(x.wishes.Due)
}

// header returns the caller's headers and those that we add.
func (x *exchange) header() http.Header {
	h := x.req.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if _, theirs := h["User-Agent"]; !theirs {
		h["User-Agent"] = x.added[:1:1]
	}
	if x.added[1] != "" {
		h[requestIDHeader] = x.added[1:]
	}
	return h
}

// refresh gives each attempt its own headers and URL, because Authorize may change them while
// net/http is still writing an abandoned attempt.
func (x *exchange) refresh(req *http.Request) {
	x.headers = x.header()
	if x.t.opts.Authorize != nil {
		u := *x.req.URL
		req.URL = &u
	}
}

// shown returns the Request of the response: a copy of the caller's that has our client
// request id and User-Agent, without the credential, and carries what we report.
func (x *exchange) shown() *http.Request {
	shown := reqctx.WithSent(x.req, reqctx.Sent{Attempts: x.sent, Unanswered: x.unanswered, FollowWrites: x.t.opts.FollowWrites})
	if x.added[1] == "" {
		return shown
	}
	if shown.Header = x.headers; x.t.tokens != nil || x.t.opts.Authorize != nil {
		shown.Header = x.header()
	}
	return shown
}

// run makes the attempts and returns the last response.
func (x *exchange) run() (*http.Response, error) {
	if err := x.setBody(); err != nil {
		return nil, err
	}
	resp, err := x.t.loop.Do(&x.loop)
	if err == nil {
		resp.Request = x.shown()
		x.offerBody(resp)
		return resp, nil
	}
	if x.err == nil { // the context ended during a pause, or GetBody failed
		x.err = failure.UnwrapURL(err)
	}
	return nil, failure.Ended(x.req.Context(), x.err)
}

// setBody makes the body repeatable: by the caller's GetBody, or else by reading it into
// memory. A body that is sent once remains a stream.
func (x *exchange) setBody() error {
	req, sentOnce := x.req, x.t.opts.Retries == 0 && x.t.tokens == nil
	if req.Body == nil || req.Body == http.NoBody || req.GetBody != nil || sentOnce {
		return nil
	}
	content, err := readAll(req.Context(), req.Body)
	if err != nil {
		return fmt.Errorf("reading the request body: %w", err)
	}
	if req.ContentLength > 0 && req.ContentLength != int64(len(content)) {
		return fmt.Errorf("the request body has %d bytes, but ContentLength is %d", len(content), req.ContentLength)
	}
	x.loop.ContentLength = int64(len(content))
	x.loop.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	x.loop.Body, _ = x.loop.GetBody()
	return nil
}

// offerBody gives the caller's request a GetBody if a 307 or 308 calls for the body again, and
// only our copy of it is left: an http.Client does not follow the redirect otherwise. It is
// the only change to a caller's request.
func (x *exchange) offerBody(resp *http.Response) {
	redirected := resp.StatusCode == http.StatusTemporaryRedirect || resp.StatusCode == http.StatusPermanentRedirect
	req, again := x.req, x.loop.GetBody
	if !redirected || req.GetBody != nil || again == nil {
		return
	}
	body, _ := again()
	req.Body = body
	req.GetBody = func() (io.ReadCloser, error) {
		if req.Body != body {
			return nil, errors.New("the request has another body now")
		}
		return again()
	}
}

// readAll reads and closes a caller's body. It closes the body early when ctx ends, to
// interrupt a Read that waits for a pipe.
func readAll(ctx context.Context, body io.ReadCloser) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { body.Close() })
	var content bytes.Buffer
	_, err := content.ReadFrom(body)
	if stop() {
		body.Close()
	}
	if ctx.Err() != nil {
		return nil, failure.Ended(ctx, err)
	}
	return content.Bytes(), err
}

// failure returns the error of RoundTrip if no response came.
func (x *exchange) failure(err error) error {
	return &lroerrors.StatusError{
		Method:     failure.Method(x.req),
		URL:        redact.URL(x.req.URL),
		Attempts:   x.sent,
		Unanswered: x.unanswered,
		Err:        err,
	}
}

// log records the last attempt.
func (x *exchange) log(resp *http.Response, more ...slog.Attr) {
	ctx, logger := x.req.Context(), x.t.opts.Logger
	if !logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", failure.Method(x.req)),
		slog.String("url", redact.URL(x.req.URL)),
		slog.Int("attempt", x.sent),
	}
	if resp != nil {
		attrs = append(attrs, slog.Int("status", resp.StatusCode))
	}
	if x.err != nil {
		attrs = append(attrs, slog.String("error", redact.Text(failure.UnwrapURL(x.err).Error())))
	}
	logger.LogAttrs(ctx, slog.LevelDebug, "lro: "+x.what, append(attrs, more...)...)
}
