package wire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/internal/redact"
)

// An Answer is a response whose body has been read.
type Answer struct {
	URL    *url.URL // the URL of the response, after redirects
	Moved  bool     // whether URL differs from the request's URL
	Code   int
	Header http.Header
	Body   []byte // without a byte order mark
	Sent   exchange.Sent
}

// Terms are the settings for one Send.
type Terms struct {
	Origins   exchange.Origins
	Header    http.Header // the headers to keep on a redirect to another origin
	Polling   bool        // whether the caller schedules further attempts itself, including one after a 401
	Immediate bool        // whether the transport makes only one attempt, without waiting at its throttle gate
	Limit     Limit
	Buf       *bytes.Buffer // receives the body, which stays valid until Buf is used again; if nil, Send allocates a buffer
}

// A Limit bounds the size and duration of a response. Name is the option that sets Bytes.
type Limit struct {
	Name  string
	Bytes int64         // maximum size of the body
	Time  time.Duration // 0 means [ResponseTimeout]; a negative value means no limit
}

// LimitError reports that a body is larger than its limit.
type LimitError struct{ Limit Limit }

// Error names the option that sets the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("body is larger than %d bytes, the limit of %s", e.Limit.Bytes, e.Limit.Name)
}

// ResponseTimeout limits the time for one exchange, including the body, if Limit.Time is 0. The
// time starts over with each MiB of the body. Without this limit, a dead or trickling connection
// could block the caller for days.
const ResponseTimeout = 5 * time.Minute

// timeout returns the time limit for one exchange, or 0 if there is no limit.
func (l Limit) timeout() time.Duration { return max(cmp.Or(l.Time, ResponseTimeout), 0) }

// start returns a context that ends when the time limit for one exchange expires.
func (l Limit) start(ctx context.Context) *exchange.Timed {
	d := l.timeout()
	if d == 0 {
		return exchange.Start(ctx, time.Time{})
	}
	t := exchange.Start(ctx, time.Now().Add(d))
	t.Limit(d, exchange.ResponseTimeout(d))
	return t
}

// longestPause is the longest a transport may pause between attempts at one read. The poller
// schedules longer pauses itself.
const longestPause = 5 * time.Second

// settings returns the settings in ctx, with the changes that t requires.
func (t *Terms) settings(ctx context.Context) exchange.Settings {
	s := *exchange.SettingsOf(ctx)
	s.Origins = t.Origins.List()
	s.Header = t.Header
	s.Reauthorizes = t.Polling
	if t.Polling {
		s.LongestPause = min(s.LongestPause, longestPause)
	}
	if t.Immediate {
		s.LongestPause = 0
	}
	return s
}

// Send sends a copy of req with the context ctx and reads the whole response. If that fails and the
// caller's context has ended, Send returns the context's error. Any other error is a *StatusError,
// which has the status code even if the body could not be read. On error, the Answer holds any part
// of the response that arrived.
func Send(ctx context.Context, client Doer, req *http.Request, t *Terms) (Answer, error) {
	settings := t.settings(ctx)
	var sent *http.Request
	var own *exchange.Timed // the time limit; nil if the client uses package transport, which enforces the limit itself
	if transportClient(client) != nil {
		settings.SetTimeout(t.Limit.timeout())
		sent = req.WithContext(exchange.ForExchange(ctx, settings))
	} else {
		own = t.Limit.start(exchange.WithSettings(ctx, settings))
		defer own.Stop()
		sent = req.WithContext(own)
	}

	asked := *sent.URL
	resp, failed := Do(client, sent)
	if failed != nil {
		return Answer{}, cause(ctx, own, failed)
	}
	body, err := t.read(resp, own)

	ans := Answer{URL: sent.URL, Code: resp.StatusCode, Header: resp.Header, Body: WithoutBOM(body)}
	if resp.Request != nil && resp.Request.URL != nil {
		ans.URL = resp.Request.URL
	}
	ans.Moved = *ans.URL != asked
	ans.Sent = exchange.SentOf(resp.Request)
	if err != nil {
		err = fmt.Errorf("reading the response: %w", redact.RequestError(ctx, redact.UnwrapURL(err)))
		return ans, cause(ctx, own, Refusal(exchange.Method(sent), ans, err))
	}
	return ans, nil
}

// cause returns the error of ctx, the caller's context, if ctx has ended. If the time limit of the
// exchange has expired, cause returns a copy of err that reports this. Otherwise, it returns err.
func cause(ctx context.Context, own *exchange.Timed, err *lroerrors.StatusError) error {
	if ctx.Err() != nil {
		return redact.ContextError(ctx)
	}

	if own != nil && own.Expired() != nil {
		late := *err // a copy, because the Doer may still use its error
		late.Err = own.Expired()
		return &late
	}
	return err
}

// Refusal returns the error for a response that the caller does not accept. err says why the
// response could not be read, and is nil if it could.
func Refusal(method string, ans Answer, err error) *lroerrors.StatusError {
	se := exchange.NewStatusError(method, ans.URL, ans.Code, ans.Header, ans.Body, err)
	se.Attempts = ans.Sent.Attempts
	se.Unanswered = ans.Sent.Unanswered
	return se
}

// read reads the body of resp. If own is nil, read sets no time limit.
func (t *Terms) read(resp *http.Response, own *exchange.Timed) ([]byte, error) {
	if resp.Body == http.NoBody {
		return nil, incomplete(resp, nil)
	}

	if own != nil {
		resp.Body = own.Body(resp.Body, t.Limit.timeout())
	}
	defer resp.Body.Close()
	body, err := readAll(resp.Body, resp.ContentLength, t.Limit, t.Buf)
	return body, cmp.Or(err, incomplete(resp, body))
}

// ReadBody reads the body of resp, subject to limit. On error, it also returns what it has read,
// which is one byte more than the limit if the body is too large. If the body takes too long,
// ReadBody closes it. A body that may be incomplete is an error.
func ReadBody(resp *http.Response, limit Limit) ([]byte, error) {
	if resp.Body == nil {
		return nil, nil
	}
	t := limit.start(context.Background())
	defer t.Stop()
	body, err := readAll(t.Body(resp.Body, limit.timeout()), resp.ContentLength, limit, nil)
	return body, cmp.Or(err, incomplete(resp, body))
}

var (
	errPart = errors.New("a 206 holds only a part of the body")
	errCut  = fmt.Errorf("%w: the body is empty and ends when the connection closes", io.ErrUnexpectedEOF)
)

// incomplete returns an error if part of the response may be missing. A 206 contains only a part
// (RFC 9110, section 15.3.7). An HTTP/1 response without a length ends when the connection closes
// (RFC 9112, section 6.3), so an empty body may mean that the body was lost.
func incomplete(resp *http.Response, body []byte) error {
	switch resp.StatusCode {
	case http.StatusPartialContent:
		return errPart
	case http.StatusAccepted, http.StatusNoContent, http.StatusNotFound, http.StatusGone: // the status code is enough, so a missing body does not matter
		return nil
	}

	hasLength := resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0
	endsWithConnection := resp.ProtoMajor < 2 && resp.Close && !hasLength
	if endsWithConnection && jsonread.IsEmpty(WithoutBOM(body)) {
		return errCut
	}
	return nil
}

// A server can claim any Content-Length, so readSized first allocates at most maxAhead bytes, and
// later at most aheadFactor times as many bytes as have arrived.
const (
	maxAhead    = 256 << 10
	aheadFactor = 16
)

// readAll reads r into buf, or into new memory if buf is nil. size is the Content-Length, or -1.
func readAll(r io.Reader, size int64, limit Limit, buf *bytes.Buffer) (b []byte, err error) {
	most := min(limit.Bytes, math.MaxInt64-1) + 1 // one more byte, to detect a body over the limit
	if buf != nil {
		ahead := max(min(size, limit.Bytes, maxAhead), 0)
		buf.Reset()
		buf.Grow(int(ahead) + bytes.MinRead) // ReadFrom needs spare capacity to detect the end
		_, err = buf.ReadFrom(io.LimitReader(r, most))
		b = buf.Bytes()
	} else if size >= 0 {
		b, err = readSized(r, size, most)
	} else {
		b, err = io.ReadAll(io.LimitReader(r, most))
	}

	if err == nil && int64(len(b)) > limit.Bytes {
		err = &LimitError{limit}
	}
	return b, err
}

// readSized reads r until r ends or the maximum number of bytes has arrived. size is the
// Content-Length, which may be wrong.
func readSized(r io.Reader, size, most int64) ([]byte, error) {
	capacity := min(size, most-1) + 1 // one more byte, to detect the end
	b := make([]byte, 0, max(min(capacity, maxAhead), 0))
	for int64(len(b)) < most {
		if len(b) == cap(b) {
			length := int64(len(b))
			more := min(capacity-length, aheadFactor*length)
			b = slices.Grow(b, int(max(more, bytes.MinRead)))
		}

		n, err := r.Read(b[len(b):min(int64(cap(b)), most)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}

// utf8BOM is the byte order mark that some services send before their JSON (quirk W42). A parser
// may ignore it (RFC 8259, section 8.1).
var utf8BOM = []byte("\xef\xbb\xbf")

// WithoutBOM returns b without a leading byte order mark.
func WithoutBOM(b []byte) []byte { return bytes.TrimPrefix(b, utf8BOM) }
