package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
)

// A Doer sends a request. *http.Client and azcore's Transporter are Doers.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// An Answer is one that was read whole.
type Answer struct {
	URL    *url.URL // that answered, after redirects
	Text   string   // of it, where that is at hand
	Code   int
	Header http.Header
	Body   []byte // without BOM
}

// Send sends one request and reads the answer whole. Its error is a
// *StatusError that holds the code even where the body could not be read, or
// the context's error when it was the caller's context that ended. With an
// error, the Answer holds what came.
func Send(ctx context.Context, client Doer, req *http.Request, limit Limit) (Answer, error) {
	return SendInto(ctx, client, req, limit, nil)
}

// Get is Send of a GET of u for JSON, with more headers, by one who polls and may ask
// the origins. The marks lie outside the watch, where they are found first and do not
// stand between it and its parent.
func Get(ctx context.Context, client Doer, origins Origins, u url.URL, limit Limit, more ...http.Header) (Answer, error) {
	sent := &struct {
		watch
		url    url.URL
		accept [1]string // its own: a Doer may change what it is given
	}{url: u, accept: [1]string{JSON}}
	sent.begin(ctx, limit.Time)
	defer sent.stop()
	sent.url.Host = strings.TrimSuffix(u.Host, ":") // as http.NewRequest does; the rest is as it does, too
	h := http.Header{"Accept": sent.accept[:]}
	for _, m := range more {
		AddHeaders(h, m)
	}
	req := (&http.Request{
		Method: http.MethodGet, URL: &sent.url, Host: sent.url.Host, Header: h, Body: http.NoBody,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(origins.MarkPolling(&sent.watch))
	return exchange(ctx, &sent.watch, client, req, limit, nil)
}

// SendInto is Send that reads the body into the memory of buf. The Answer's body
// is good until buf is used again. A nil buf makes a new one.
func SendInto(ctx context.Context, client Doer, req *http.Request, limit Limit, buf *bytes.Buffer) (Answer, error) {
	w := newWatch(ctx, limit.Time)
	defer w.stop()
	return exchange(ctx, w, client, req.WithContext(w), limit, buf)
}

// exchange sends a request whose context is w, one within ctx.
func exchange(ctx context.Context, w *watch, client Doer, req *http.Request, limit Limit, buf *bytes.Buffer) (Answer, error) {
	resp, err := client.Do(req)
	if resp == nil && err == nil {
		err = errors.New("the client returned neither a response nor an error")
	}
	if err != nil {
		if resp != nil && resp.Body != nil {
			resp.Body.Close()
		}
		return Answer{}, cause(ctx, w, NoAnswer(req, err))
	}
	return read(ctx, w, req, resp, limit, buf)
}

func read(ctx context.Context, w *watch, req *http.Request, resp *http.Response, limit Limit, buf *bytes.Buffer) (Answer, error) {
	ans := Answer{URL: req.URL, Code: resp.StatusCode, Header: resp.Header}
	if resp.Request != nil && resp.Request.URL != nil {
		ans.URL = resp.Request.URL
	}
	if resp.Body == nil || resp.Body == http.NoBody {
		return ans, nil
	}
	defer resp.Body.Close()
	body, err := w.readBody(resp, limit, buf)
	ans.Body = WithoutBOM(body)
	if err != nil {
		return ans, cause(ctx, w, Refusal(verb(req), ans, fmt.Errorf("reading the answer: %w", unwrapURL(err))))
	}
	return ans, nil
}

// cause puts the caller's context before a failure that it brought about, and
// our own bound before the bare "deadline exceeded" that it brought about.
func cause(ctx context.Context, w *watch, err *lroerrors.StatusError) error {
	if ctx.Err() != nil {
		return ContextError(ctx)
	}
	if why := w.expired(); why != nil {
		late := *err // the Doer may keep what it returned
		late.Err = why
		return &late
	}
	return err
}

// ContextError says why ctx ended, so that errors.Is finds both the context's
// error and the caller's cause.
func ContextError(ctx context.Context) error {
	err, why := ctx.Err(), context.Cause(ctx)
	if errors.Is(why, err) {
		return why
	}
	return fmt.Errorf("%w: %w", err, why)
}

// NoAnswer is the error of a request that got no answer. The transport's own
// account of it is kept, without the *url.Error around it, which prints the query.
func NoAnswer(req *http.Request, err error) *lroerrors.StatusError {
	err = unwrapURL(err)
	se, ok := err.(*lroerrors.StatusError) //nolint:errorlint // one within is about another request, such as that for a token
	if !ok {
		return &lroerrors.StatusError{Method: verb(req), URL: RedactedURL(req.URL), Err: foreignEnding(err)}
	}
	if hidden := foreignEnding(se.Err); se.Err != nil && hidden != se.Err { //nolint:errorlint // whether it is the very same
		theirs := *se
		theirs.Err = hidden
		return &theirs
	}
	return se
}

// foreignEnding hides the endings of other operations in a failure of a Doer,
// whose credential may come from one: errors.As would take them for this one's.
func foreignEnding(err error) error {
	_, operation := errors.AsType[*lroerrors.OperationError](err)
	_, result := errors.AsType[*lroerrors.ResultError](err)
	_, wait := errors.AsType[*lroerrors.WaitError](err)
	if operation || result || wait {
		return errors.New(err.Error())
	}
	return err
}

// unwrapURL takes err out of the *url.Error that an http.Client puts around it.
func unwrapURL(err error) error {
	for {
		ue, ok := err.(*url.Error) //nolint:errorlint // what wraps one has something to say
		if !ok || ue.Err == nil {
			return err
		}
		err = ue.Err
	}
}

// verb is the method of req, which may be empty for GET.
func verb(req *http.Request) string {
	if req.Method == "" {
		return http.MethodGet
	}
	return req.Method
}

// Refusal is the error of an answer that told no status. err says why the
// answer could not be read, or is nil.
func Refusal(method string, ans Answer, err error) *lroerrors.StatusError {
	se := &lroerrors.StatusError{
		Method:        method,
		URL:           RedactedURL(ans.URL),
		StatusCode:    ans.Code,
		RequestID:     RequestID(ans.Header),
		CorrelationID: CorrelationID(ans.Header),
		Err:           err,
	}
	if ans.Code >= 300 {
		se.Detail = AnswerDetail(ans.Header, bytes.TrimSpace(ans.Body))
	}
	return se
}
