package poller

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unique"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/wire"
)

// send sends req and returns the operation that it starts. The caller must call follow next.
func send(req *http.Request, client Doer, opts *Options) (*core, error) {
	set, err := resolve(opts)
	if err != nil {
		return nil, wire.NoAnswer(req, err)
	}
	origins, err := set.origins.With(req.URL)
	if err != nil {
		return nil, wire.NoAnswer(req, err)
	}
	ctx := origins.Mark(req.Context(), set.Header)
	mine := req.WithContext(ctx) // the default client changes neither the URL nor the headers
	if client != nil || len(set.Header) > 0 {
		mine = req.Clone(ctx)
	}
	if mine.Header == nil {
		mine.Header = http.Header{}
	}
	wire.AddMissing(mine.Header, set.Header)
	resp, refused := wire.Do(wire.Guard(client), mine)
	if refused != nil {
		return nil, refused
	}
	defer resp.Body.Close()
	if resp.Request == nil {
		resp.Request = req
	}
	return begin(req, resp, client, set, nil)
}

// begin returns the operation that req started and resp accepted. The caller must call follow next.
// optErr is the error in the options. If it is not nil, begin uses the operation only to build the
// token of the *WaitError that it returns.
func begin(req *http.Request, resp *http.Response, client Doer, set *settings, optErr error) (*core, error) {
	f := readFirst(req, resp, set.resultLimit())
	r := record{Phase: unfollowed, Status: &Status{State: InProgress}, First: f, LastRead: now(), Began: now()}
	if optErr == nil {
		r.rules = r.override(set)
	}
	r.Method, r.Target, r.Header = strings.ToUpper(cmp.Or(req.Method, http.MethodGet)), exchange.NewLink(req.URL.String()), wire.TravellingOf(req.Header, head(resp).Header)
	r.Created = r.Method == http.MethodPut && f.Code == http.StatusCreated
	origins, _ := set.origins.With(req.URL) // With adds nothing if the URL has no origin
	if !accepted(f.Code) {
		return nil, f.refusal(r.Method, f.err)
	}
	c := newCore(set, origins, client, r)
	c.first = new(firstHeader) // follow fills it
	if optErr != nil {
		return nil, c.unfollowable(optErr)
	}
	return c, nil
}

// A firstHeader stores the headers of a first response in much less memory than a map would need.
// The responses of a service usually have the same header names, so all operations share one copy
// of the names.
type firstHeader struct {
	names  unique.Handle[string] // the name of each value, one per line
	values string                // the values, one per line; leftOut stands for the URL of the status
}

const leftOut = "\x00"

// cleanHeader replaces what separates values, and leftOut. Neither is valid in a header (RFC 9110,
// section 5.5), but a Doer can return any text.
var cleanHeader = strings.NewReplacer("\n", " ", leftOut, " ")

func newFirstHeader(h http.Header, poll exchange.Link) firstHeader {
	sorted := slices.AppendSeq(make([]string, 0, len(h)), maps.Keys(h))
	slices.Sort(sorted)
	names, values := make([]string, 0, len(h)), make([]string, 0, len(h))
	for _, name := range sorted {
		for _, v := range h[name] {
			if v = cleanHeader.Replace(v); v == string(poll) {
				v = leftOut
			}
			names, values = append(names, cleanHeader.Replace(name)), append(values, v)
		}
	}
	if len(names) == 0 {
		return firstHeader{}
	}
	return firstHeader{unique.Make(strings.Join(names, "\n")), strings.Join(values, "\n")}
}

// header returns the headers as a new map, or nil if there are none. poll is the URL of the status.
func (f *firstHeader) header(poll exchange.Link) http.Header {
	if f == nil || *f == (firstHeader{}) {
		return nil
	}
	h, values := http.Header{}, strings.Split(f.values, "\n")
	for i, name := range strings.Split(f.names.Value(), "\n") {
		if values[i] == leftOut {
			values[i] = string(poll)
		}
		h[name] = append(h[name], values[i])
	}
	return h
}

// accepted reports whether a first response with this code starts an operation or is
// its result.
func accepted(code int) bool {
	switch code {
	case http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent:
		return true
	}
	return false
}

// readFirst reads the body of the caller's response, and puts it back for the caller.
func readFirst(req *http.Request, resp *http.Response, limit wire.Limit) *first {
	f := &first{Code: resp.StatusCode, Header: resp.Header, sent: exchange.SentOf(resp.Request)}
	if resp.Request != nil && resp.Request.URL != nil {
		f.URL = exchange.NewLink(resp.Request.URL.String())
	}
	if resp.Body == nil {
		return f
	}
	body, err := wire.ReadBody(resp, limit)
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), resp.Body), resp.Body}
	f.Body, f.Broken = wire.WithoutBOM(body), err != nil
	if ctx := context.Background(); err != nil {
		if req != nil {
			ctx = req.Context()
		}
		f.err = redact.RequestError(ctx, err)
	}
	return f
}

// follow passes the first response to the strategy and applies its Move. If none is true, the
// caller needs no result. The error is a *WaitError with the reason Unfollowable.
func (c *core) follow(none bool) error {
	r := c.snapshot()
	f := r.First
	r.Poll = f.URL
	a := c.answer(&r, wire.Answer{Code: f.Code, Header: f.Header, Body: f.Body})
	if a.First, a.NoResult = true, none; f.Broken {
		a.Body = nil
	}
	m, err := c.step(a)
	if err != nil {
		return c.unfollowable(err)
	}
	r.First = nil
	if err := c.adopt(&r, &a, m); err != nil {
		return c.unfollowable(err)
	}
	if err := c.followable(&r, f); err != nil {
		return c.unfollowable(err)
	}
	c.update(func() {
		if c.rec = r; c.first != nil {
			*c.first = newFirstHeader(f.Header, r.Poll)
		}
	})
	return nil
}

// followable returns an error if the status URL is not allowed, or if the strategy needed a body
// that could not be read.
func (c *core) followable(r *record, f *first) error {
	onItsOwn := r.Phase != polling || r.Status.Unconfirmed
	if f.Broken && f.Code != http.StatusAccepted && (onItsOwn || r.Poll == r.Target || r.Poll == f.URL) {
		return fmt.Errorf("reading the response: %w", f.err)
	}
	if onItsOwn {
		return nil // Confirm's URL is vetted when it is read
	}
	return c.vet(r, r.Poll, r.Poll.Parse())
}

// unfollowable returns the error for an operation that the service accepted but that cannot be
// followed. The token in this error contains the first response.
func (c *core) unfollowable(why error) error {
	return c.waitError(lroerrors.ReasonUnfollowable, c.rec.First.refusal(c.rec.Method, why), nil)
}

// refusal returns the error for a first response that cannot be followed.
func (f *first) refusal(method string, why error) *lroerrors.StatusError {
	return wire.Refusal(method, wire.Answer{URL: f.URL.Parse(), Code: f.Code, Header: f.Header, Body: f.Body, Sent: f.sent}, why)
}

// head returns the first request in a chain of redirects. It is the request as it was sent, so it
// may include a client request id that the transport added.
func head(resp *http.Response) *http.Request {
	req := resp.Request
	for req != nil && req.Response != nil && req.Response.Request != nil {
		req = req.Response.Request
	}
	return req
}
