package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/poller/strategy"
)

// Options configure [Begin], [New] and [Resume].
type Options struct {
	Client   wire.Doer // nil means the default client
	Settings *Settings
	NoResult bool // set if the caller does not need the result

	// Err is the error in the caller's options, or nil. Begin and Resume fail with Err. If the
	// service accepted the operation, New returns a *WaitError, so that the caller can resume from
	// its token with other options.
	Err error
}

// Begin sends req and returns the operation that it starts. If many other callers are sending
// requests, Begin waits its turn.
func Begin(req *http.Request, opts Options) (*Core, error) {
	client := wire.Guard(opts.Client)
	crowded, leave := wire.Enter(req.Context(), client, exchange.Method(req), req.URL)
	defer leave()
	if !crowded {
		return begin(req, client, opts)
	}

	var c *Core
	var err error
	log := func(v any) { logPanic(req.Context(), opts.Settings.Logger, "url", redact.URL(req.URL), v) }
	apart(log, func() { c, err = begin(req, client, opts) })
	return c, err
}

func begin(req *http.Request, client wire.Doer, opts Options) (*Core, error) {
	if opts.Err != nil {
		return nil, wire.NoAnswer(req, exchange.Rejected(opts.Err))
	}
	set := opts.Settings
	origins, err := set.Origins.With(req.URL)
	if err != nil {
		return nil, wire.NoAnswer(req, exchange.Rejected(err))
	}
	ctx := origins.Mark(req.Context(), set.Header)
	own := req.WithContext(ctx) // a shallow copy suffices, because the default client changes neither the URL nor the headers
	if opts.Client != nil || len(set.Header) > 0 {
		own = req.Clone(ctx)
		own.Trailer = req.Trailer // shared, not copied, because the request body may set the trailers once it has been read
	}
	if own.Header == nil {
		own.Header = http.Header{}
	}
	wire.AddMissing(own.Header, set.Header)
	resp, refused := wire.Do(client, own)
	if refused != nil {
		return nil, refused
	}
	defer resp.Body.Close()
	if resp.Request == nil {
		resp.Request = req
	}
	return follow(req, resp, opts)
}

// errNoRequest reports that the caller of New left the response's Request unset.
var errNoRequest = errors.New("the Request of the response is not set; its method and URL decide how to follow the operation")

// New returns the operation whose first response is resp.
func New(resp *http.Response, opts Options) (*Core, error) {
	req := firstRequest(resp)
	if req == nil || req.URL == nil {
		return nil, refusal(readFirst(req, resp, opts.Settings.ResultLimit), "", errNoRequest)
	}
	return follow(req, resp, opts)
}

// Resume returns the operation that a resume token describes. It sends no request.
func Resume(token string, opts Options) (*Core, error) {
	if err := record.CheckSize(token); err != nil {
		return nil, err
	}
	if opts.Err != nil {
		return nil, opts.Err
	}
	set := opts.Settings
	r, err := record.Parse(token)
	if err != nil {
		return nil, err
	}
	for _, link := range r.NextLinks() {
		if err := set.Origins.Allow(link.Parse(), r.Target.IsHTTPS()); err != nil {
			return nil, err
		}
	}
	r.Reschedule(now(), &set.Rules.Cadence)
	source := &httpSource{&set.HTTPSettings, wire.Guard(opts.Client), set.Origins}
	if opts.NoResult {
		r.SkipResult()
	}
	c := NewCore(set, source, r)
	c.noResult = opts.NoResult
	if r.Phase != record.Unfollowed {
		return c, nil
	}
	return c.followFirst(source)
}

// follow returns the operation that req started. It returns an error if the service did not accept
// req, or if the Core cannot follow the operation.
func follow(req *http.Request, resp *http.Response, opts Options) (*Core, error) {
	set := opts.Settings
	first := readFirst(req, resp, set.ResultLimit)
	method := strings.ToUpper(cmp.Or(req.Method, http.MethodGet))
	if !record.IsAccepted(first.Code) {
		return nil, refusal(first, method, first.Err)
	}
	at := now()
	r := record.Record{
		Phase:    record.Unfollowed,
		Created:  method == http.MethodPut && first.Code == http.StatusCreated,
		Method:   method,
		Target:   exchange.NewLink(req.URL.String()),
		Header:   exchange.PropagatedOf(req.Header, firstRequest(resp).Header),
		Status:   &strategy.Status{State: strategy.InProgress},
		First:    first,
		Began:    at,
		LastRead: at,
	}
	if opts.Err == nil {
		r.TokenOptions = set.TokenOptions
	}
	origins, _ := set.Origins.With(req.URL) // on an error, With returns the origins unchanged
	source := &httpSource{&set.HTTPSettings, wire.Guard(opts.Client), origins}
	c := NewCore(set, source, r)
	c.noResult = opts.NoResult
	if opts.Err != nil {
		return nil, c.unfollowable(exchange.Rejected(opts.Err))
	}
	return c.followFirst(source)
}

// followFirst passes the first response to the strategy and applies the resulting Move. Any error
// is a *WaitError with the reason Unfollowable.
func (c *Core) followFirst(source *httpSource) (*Core, error) {
	r := c.Record()
	first := r.First
	r.Poll = first.URL
	var a strategy.Answer
	source.fillAnswer(&a, &r, &wire.Answer{Code: first.Code, Header: first.Header, Body: first.Body})
	a.First = true
	a.NoResult = c.noResult
	if first.Broken {
		a.Body = nil
	}
	var m record.Move
	err := source.step(&a, strategy.Situation{Age: age(&r)}, &m)
	if err != nil {
		return nil, c.unfollowable(err)
	}
	r.First = nil
	err = r.Adopt(&a, &m, &c.settings.Rules)
	if err == nil {
		err = source.checkFollowable(&r, first)
	}
	if err != nil && r.Once {
		err = c.decideFirst(&r, &a, err)
	}
	if err != nil {
		return nil, c.unfollowable(err)
	}
	if c.noResult {
		r.SkipResult()
	}
	mayBeAbsent := r.Method == http.MethodPut && first.Code == http.StatusAccepted
	r.Absent = mayBeAbsent && r.Phase == record.Polling && r.Poll == r.Target
	c.update(func() { // update returns no observers to notify, because the Core is new
		c.rec = r
		c.markLocked(time.Now())
	})
	return c, nil
}

// decideFirst asks the strategy how the operation ended, because err keeps the Core from reading
// the status. If the strategy does not know, decideFirst returns err.
func (c *Core) decideFirst(r *record.Record, a *strategy.Answer, err error) error {
	later := *a
	later.First = false
	later.Memo = r.Memo
	in := strategy.Situation{Age: age(r), Lost: lroerrors.ReasonUnfollowable, Once: true}
	m, _ := c.source.Replacement(later, in) // an error means only that the strategy does not know how the operation ended
	if r.Decide(a, &m, &c.settings.Rules) {
		return nil
	}
	return err
}

// checkFollowable returns an error if the status URL is not allowed, or if the strategy needed the
// first response's body but the body could not be read.
func (s *httpSource) checkFollowable(r *record.Record, first *record.First) error {
	needsNoPoll := r.Phase != record.Polling || r.Status.Unconfirmed
	if first.Broken && first.Code != http.StatusAccepted {
		usesBody := needsNoPoll || r.Poll == r.Target || r.Poll == first.URL
		if usesBody {
			return fmt.Errorf("reading the response: %w", first.Err)
		}
	}
	if needsNoPoll {
		return nil // no poll follows, and any other URL is checked right before it is read
	}
	_, err := s.allow(r, r.Poll)
	return err
}

// unfollowable returns the error for an accepted operation that the Core cannot follow. The error's
// resume token contains the first response.
func (c *Core) unfollowable(why error) error {
	return c.waitError(lroerrors.ReasonUnfollowable, refusal(c.rec.First, c.rec.Method, why), nil)
}

// refusal returns a *StatusError that describes the first response.
func refusal(first *record.First, method string, why error) *lroerrors.StatusError {
	ans := wire.Answer{URL: first.URL.Parse(), Code: first.Code, Header: first.Header, Body: first.Body, Sent: first.Sent}
	return wire.Refusal(method, ans, why)
}

// firstRequest returns the first request in a chain of redirects, as sent. It may include a client
// request id that the transport added.
func firstRequest(resp *http.Response) *http.Request {
	req := resp.Request
	for req != nil && req.Response != nil && req.Response.Request != nil {
		req = req.Response.Request
	}
	return req
}

// readFirst reads the body of resp, and restores it for the caller of New.
func readFirst(req *http.Request, resp *http.Response, limit wire.Limit) *record.First {
	first := &record.First{Code: resp.StatusCode, Header: resp.Header, Sent: exchange.SentOf(resp.Request)}
	if resp.Request != nil && resp.Request.URL != nil {
		first.URL = exchange.NewLink(resp.Request.URL.String())
	}
	if resp.Body == nil {
		return first
	}
	body, err := wire.ReadBody(resp, limit)
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), resp.Body), resp.Body}
	first.Body = wire.WithoutBOM(body)
	if err != nil {
		ctx := context.Background()
		if req != nil {
			ctx = req.Context()
		}
		first.Broken = true
		first.Err = redact.RequestError(ctx, err)
	}
	return first
}
