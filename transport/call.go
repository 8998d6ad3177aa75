package transport

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
)

// A call is one call to RoundTrip: the attempts and the pauses between them. It is also the
// context of the retry loop's request, so that the loop's hooks and AsError can find it.
type call struct {
	context.Context // the caller's context

	t        *Transport
	req      *http.Request // the caller's request, which is never changed
	theirs   http.Header   // the headers of req, without any that must not be sent after a redirect
	loop     retryablehttp.Request
	settings *exchange.Settings
	added    [2]string // values of headers that the caller did not set: User-Agent, client request ID

	// The current attempt.
	limits *exchange.Timed // the context of the attempt
	token  string          // the bearer token that the attempt is sent with
	err    error           // why the attempt got no response
	what   string          // what the log calls the attempt
	final  bool            // no other attempt may follow

	sent    exchange.Sent
	retries int // attempts after the first, not counting the one after a 401
	renewed int // attempts after a 401: 0 or 1

	// At the throttle gate.
	key     *exchange.ThrottleKey // nil if no gate was closed. It is computed once, because a base may change the URL
	probe   bool                  // the current attempt is a probe
	waited  time.Duration         // how long the exchange has waited at the gate, in total
	refused int                   // the value of gates.refused when the exchange last checked its gate; -1 if it never has
}

type callKey struct{}

// Value returns the call, its record of the attempts, or a value from the caller's context.
func (x *call) Value(key any) any {
	switch key.(type) {
	case callKey:
		return x
	case exchange.SentKey:
		return &x.sent
	}
	return x.Context.Value(key)
}

func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// newCall returns the call for req. The request of its retry loop is a copy of req, and
// each attempt has the headers in header instead of req's own.
func (t *Transport) newCall(req *http.Request, header http.Header) *call {
	x := &call{Context: req.Context(), t: t, req: req, theirs: header, settings: exchange.SettingsOf(req.Context()), refused: -1}
	x.limits = exchange.Start(x.Context, x.settings.Due)
	x.sent.FollowWrites = t.opts.FollowWrites
	x.added[0] = t.userAgent
	if header.Get(requestIDHeader) == "" {
		x.added[1] = newID()
	}
	if from := cameFrom(req); from != nil { // req follows a redirect, and has the caller's headers, because net/http copies them
		if x.added[1] != "" {
			x.added[1] = cmp.Or(from.Header.Get(requestIDHeader), x.added[1])
		}
		x.sent.Unanswered = exchange.SentOf(from).Unanswered || isRead(req) && !isRead(from) // a 303, which turns a write into a read, means that the write took effect
	}
	x.loop.Request = req.WithContext(x)
	x.loop.Header = http.Header{} // each attempt sets the headers; the loop's http.Client would only make an unneeded copy of them
	x.loop.RequestURI = ""        // an http.Client rejects a request that has a RequestURI, whereas a RoundTripper ignores it
	return x
}

// header returns the caller's headers and those that the Transport adds.
func (x *call) header() http.Header {
	h := x.theirs.Clone()
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

// run makes the attempts and returns the last response.
func (x *call) run() (*http.Response, error) {
	if err := x.setBody(); err != nil {
		return nil, err
	}
	resp, err := x.t.loop.Do(&x.loop)
	if err != nil { // x.err is nil if the context ended during a pause, or if GetBody failed
		return nil, redact.RequestError(x.Context, cmp.Or(x.err, redact.UnwrapURL(err)))
	}
	resp.Request = x.loop.Request
	return resp, nil
}

// failure returns the error that RoundTrip returns if no response came.
func (x *call) failure(err error) error {
	return &lroerrors.StatusError{
		Method: exchange.Method(x.req), URL: redact.URL(x.req.URL),
		Attempts: x.sent.Attempts, Unanswered: x.sent.Unanswered, Err: err,
	}
}

// log writes a log record about the last attempt.
func (x *call) log(resp *http.Response, more ...slog.Attr) {
	logger := x.t.opts.Logger
	if !logger.Enabled(x.Context, slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{slog.String("method", exchange.Method(x.req)), slog.String("url", redact.URL(x.req.URL)), slog.Int("attempt", x.sent.Attempts)}
	if resp != nil {
		attrs = append(attrs, slog.Int("status", resp.StatusCode))
	}
	if x.err != nil {
		attrs = append(attrs, slog.String("error", redact.Text(redact.UnwrapURL(x.err).Error())))
	}
	logger.LogAttrs(x.Context, slog.LevelDebug, "lro: "+x.what, append(attrs, more...)...)
}
