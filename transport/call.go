package transport

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/hashicorp/go-retryablehttp"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
)

// A call is the state of one call to RoundTrip. It is also the context of the request in the retry
// loop, so the loop's hooks and AsError can find it.
type call struct {
	caller

	t      *Transport
	isOwn  bool        // req was made for this call, so the Transport may change it
	theirs http.Header // req's headers, except those that must not be sent after a redirect
	host   string      // the Host of req
	loop   retryablehttp.Request

	// The values of headers that the caller did not set. They are arrays so that all attempts can
	// share them without an allocation.
	userAgent [1]string
	requestID [1]string // "" if the caller set the header

	// The current attempt.
	current *attempt
	token   string // the attempt's bearer token
	err     error  // why the attempt got no usable response
	unsent  bool   // the service cannot have received the attempt
	held    bool   // the throttle gate held the attempt back
	final   bool   // this attempt must be the last one

	first    attempt // stored here to save an allocation, because there is usually just one attempt
	sent     exchange.Sent
	everSent bool // the service may have received an attempt
	retries  int  // the number of retries, not counting one with a fresh token after a 401
	renewed  int  // the number of retries with a fresh token after a 401: 0 or 1

	gate gateState
}

type callKey struct{}

// Value returns the call itself for a callKey, and its record of attempts for an exchange.SentKey.
// It looks up any other key in the caller's context.
func (c *call) Value(key any) any {
	switch key.(type) {
	case callKey:
		return c
	case exchange.SentKey:
		return &c.sent
	}
	return c.Context.Value(key)
}

// String returns a fixed string, so that printing the context cannot leak a credential.
func (c *call) String() string { return "transport.call" }

// GoString is like String.
func (c *call) GoString() string { return c.String() }

// callOf returns the call in ctx, which must be the context of a request in the retry loop.
func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// noHeader is an empty header that all calls share. Nothing may write to it.
var noHeader = http.Header{}

// callersRequest returns the request to pass to the Policy. Its context does not contain the call.
func (c *call) callersRequest() *http.Request {
	if _, hasState := c.req.Context().(*call); !hasState {
		return c.req
	}
	req := c.req.WithContext(&c.Context)
	req.Host = c.host
	return req
}

// newCall returns a call that has no request yet.
func newCall(ctx context.Context, s exchange.Settings) *call {
	return &call{caller: caller{Context: exchange.Context{Context: ctx, Settings: s}}}
}

// callFor returns the call for req. The retry loop sends req itself if req was made for this call,
// and a copy otherwise.
func callFor(req *http.Request) *call {
	ctx := req.Context()
	first, hasState := ctx.(*call)
	if hasState && first.req == nil {
		first.isOwn = true
		first.req = req
		first.loop.Request = req
		return first
	}
	if hasState { // req has an earlier request's context, usually because it follows a redirect
		ctx = &first.Context
	}
	c := newCall(ctx, *exchange.SettingsOf(ctx))
	c.req = req
	c.loop.Request = req.WithContext(c)
	return c
}

// start returns the call for req. Each attempt sends the given headers instead of req.Header.
func (t *Transport) start(req *http.Request, header http.Header) *call {
	c := callFor(req)
	c.t = t
	c.theirs = header
	c.host = req.Host
	c.current = &c.first
	c.current.start(c)
	c.sent.FollowWrites = t.opts.FollowWrites

	c.userAgent[0] = t.userAgent
	if exchange.FirstValue(header, requestIDHeader) == "" {
		c.requestID[0] = newID()
	}
	if from := cameFrom(req); from != nil {
		c.continueFrom(from)
	}

	c.loop.Trailer = trailerOf(req)
	if len(c.loop.Trailer) > 0 {
		c.loop.ContentLength = -1 // HTTP/1 allows trailers only after a chunked body (RFC 9112, section 7.1)
	}
	c.loop.Header = noHeader // each attempt sets its own headers
	c.loop.Host = ""         // each attempt sets its own host
	c.loop.RequestURI = ""   // an http.Client rejects a request with a RequestURI, but a RoundTripper ignores it
	return c
}

// continueFrom prepares a call whose request follows a redirect from an earlier request. It copies
// the client request ID, because net/http copies only the headers that the caller set.
func (c *call) continueFrom(from *http.Request) {
	if c.requestID[0] != "" {
		c.requestID[0] = cmp.Or(from.Header.Get(requestIDHeader), c.requestID[0])
	}
	if isRead(c.req) && !isRead(from) {
		c.sent.Unanswered = true // a 303 turned the write into a read, so the write may have taken effect
		return
	}
	c.sent.Unanswered = exchange.SentOf(from).Unanswered
}

// header returns the headers of an attempt: the caller's and those that the Transport adds. They
// are a copy, because net/http may still be writing the headers of an earlier attempt. The first
// attempt needs no copy if the request was made for this call.
func (c *call) header() http.Header {
	h := c.theirs
	canChange := c.isOwn && c.sent.Attempts == 0
	if !canChange {
		h = h.Clone()
	}
	if h == nil {
		h = http.Header{}
	}
	if _, theirs := h["User-Agent"]; !theirs {
		h["User-Agent"] = c.userAgent[:]
	}
	if c.requestID[0] != "" {
		h[requestIDHeader] = c.requestID[:]
	}
	return h
}

// run makes the attempts and returns the last response.
func (c *call) run() (*http.Response, error) {
	if err := c.setBody(); err != nil {
		return nil, err
	}
	resp, err := c.makeAttempts()
	if err != nil {
		err = cmp.Or(c.err, redact.UnwrapURL(err)) // c.err is nil if the context ended in the pause after a response, or if GetBody failed
		return nil, redact.RequestError(c, err)
	}
	resp.Request = c.loop.Request
	return resp, nil
}

// makeAttempts sends the request, and retries it as the policy says. If the context allows no
// pauses, as in a poll, it sends the request once without the retry loop. The loop's http.Client
// would take 5% of a poll's CPU time.
func (c *call) makeAttempts() (*http.Response, error) {
	isSingle := c.isOwn && c.LongestPause == 0 && c.Reauthorizes
	if !isSingle {
		return c.t.loop.Do(&c.loop)
	}
	resp, err := attempts{}.RoundTrip(c.loop.Request)
	c.log(resp)
	return resp, err
}

// setBody makes sure that the request body can be sent more than once. It uses the caller's GetBody
// or, without one, reads the body into memory. If the Transport may send the request only once, the
// body stays a stream.
func (c *call) setBody() error {
	hasTrailer := len(c.loop.Trailer) > 0
	if hasTrailer && !hasBody(c.req) {
		return errTrailerOnly
	}
	if !hasBody(c.req) || c.req.GetBody != nil || !c.t.mayRepeat() {
		return nil
	}

	content, err := readAll(c, c.req.Body)
	if err != nil {
		return fmt.Errorf("reading the request body: %w", err)
	}
	if length := c.req.ContentLength; length > 0 && length != int64(len(content)) {
		return fmt.Errorf("the request body has %d bytes, but ContentLength is %d", len(content), length)
	}

	if !hasTrailer {
		c.loop.ContentLength = int64(len(content))
	}
	c.loop.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	c.loop.Body, _ = c.loop.GetBody()
	return nil
}

// failure returns RoundTrip's error for a call that got no response.
func (c *call) failure(err error) error { return failure(c.req, c.sent, c.everSent, err) }

// failure returns the error for a request that got no response. everSent is true if the service may
// have received the request.
func failure(req *http.Request, sent exchange.Sent, everSent bool, err error) error {
	if !everSent && req.Response == nil { // if req follows a redirect, an earlier request was sent
		err = exchange.NotSent(err)
	}
	return &lroerrors.StatusError{
		Method: exchange.Method(req), URL: redact.URL(req.URL),
		Attempts: sent.Attempts, Unanswered: sent.Unanswered, Err: err,
	}
}

// log writes a debug record about the last attempt.
func (c *call) log(resp *http.Response, more ...slog.Attr) {
	logger := c.t.opts.Logger
	if !logger.Enabled(&c.Context, slog.LevelDebug) {
		return
	}

	attrs := []slog.Attr{
		slog.String("method", exchange.Method(c.req)),
		slog.String("url", redact.URL(c.req.URL)),
		slog.Int("attempt", c.sent.Attempts),
	}
	if resp != nil {
		attrs = append(attrs, slog.Int("status", resp.StatusCode))
	}
	if c.err != nil {
		attrs = append(attrs, slog.String("error", redact.Text(redact.UnwrapURL(c.err).Error())))
	}
	attrs = append(attrs, more...)
	message := "lro: attempt"
	if c.held {
		message = "lro: held by the throttle gate"
	}
	logger.LogAttrs(&c.Context, slog.LevelDebug, message, attrs...)
}
