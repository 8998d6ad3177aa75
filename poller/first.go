package poller

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// firstAnswer is the response that began an operation. It is kept until the
// operation can be followed, so that a token can try again with wider options.
type firstAnswer struct {
	URL    string
	Code   int
	Header http.Header
	Body   []byte
	Broken bool // the body could not be read whole
	Err    error
}

// begin makes the core of the operation that req began and resp accepted. A nil
// req is one that resp does not tell.
func begin(req *http.Request, resp *http.Response, client Doer, opts *Options, x extra) (*core, error) {
	if resp == nil {
		return nil, &lroerrors.StatusError{Err: errors.New("there is no response to begin from")}
	}
	set, optErr := resolve(opts)
	ans, readErr := readFirst(req, resp, set.resultLimit)
	s := firstState(req, ans, readErr, &usualRules)
	if !accepted(ans.Code) {
		return nil, wire.Refusal(s.Method, ans, readErr)
	}
	origins := set.origins
	if req != nil && req.URL != nil {
		if with, err := origins.With(req.URL); err == nil {
			origins = with
		}
	}
	c := newCore(set, origins, client, s)
	if optErr != nil {
		return nil, c.unfollowable(optErr)
	}
	c.s.rules = makeRules(rules{set.FinalStateVia, set.ResultPointer, set.Words, s.Header})
	x.Began = c.beginning()
	c.s.keep(x)
	return c, c.start(ans.URL)
}

// firstState is what is known of the operation that req began when its answer is all
// that has come. r are the rules of the service.
func firstState(req *http.Request, ans wire.Answer, readErr error, r *rules) state {
	s := state{
		rules: r, LastRead: time.Now(),
		First: &firstAnswer{Code: ans.Code, Header: ans.Header, Body: ans.Body, Broken: readErr != nil, Err: readErr},
	}
	if req != nil && req.URL != nil {
		s.Method, s.Target, s.rules = methodOf(req), withoutUserInfo(req.URL.String()), r.with(wire.Travelling(req.Header))
	}
	switch {
	case ans.URL == nil:
	case req != nil && ans.URL == req.URL:
		s.First.URL = s.Target // nothing led elsewhere
	default:
		s.First.URL = withoutUserInfo(ans.URL.String())
	}
	s.Created = s.Method == http.MethodPut && ans.Code == http.StatusCreated
	return s
}

func methodOf(req *http.Request) string {
	return strings.ToUpper(cmp.Or(req.Method, http.MethodGet))
}

// accepted tells the codes that begin an operation, or are its result.
func accepted(code int) bool {
	switch code {
	case http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent:
		return true
	}
	return false
}

// readFirst reads the body of a response that is not ours, and leaves it
// readable.
func readFirst(req *http.Request, resp *http.Response, limit wire.Limit) (wire.Answer, error) {
	ans := wire.Answer{Code: resp.StatusCode, Header: resp.Header}
	switch {
	case resp.Request != nil && resp.Request.URL != nil:
		ans.URL = resp.Request.URL
	case req != nil:
		ans.URL = req.URL
	}
	if resp.Body == nil {
		return ans, nil
	}
	body, err := wire.ReadBody(resp, limit)
	resp.Body = replayed(body, err, resp.Body)
	ans.Body = wire.WithoutBOM(body)
	return ans, err
}

// replayed is a body that reads as the one did of which read was read with err.
func replayed(read []byte, err error, rest io.ReadCloser) io.ReadCloser {
	type body struct {
		io.Reader
		io.Closer
	}
	if isA[*wire.LimitError](err) {
		return body{io.MultiReader(bytes.NewReader(read), rest), rest}
	}
	rest.Close()
	if err != nil {
		return io.NopCloser(io.MultiReader(bytes.NewReader(read), failing{err}))
	}
	return io.NopCloser(bytes.NewReader(read))
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// start shows the first answer to the strategy and follows what it says. from is
// the URL that gave it, if that is at hand.
func (c *core) start(from *url.URL) error {
	s := c.snapshot()
	if err := c.follow(&s, from); err != nil {
		return c.unfollowable(err)
	}
	c.update(func() { c.storeLocked(&s) })
	return nil
}

// follow is start for a state that nobody else has. It may be changed where there is
// an error.
func (c *core) follow(s *state, from *url.URL) error {
	first := s.First
	s.Poll = first.URL
	text := first.URL
	if from == nil || from.User != nil {
		var err error
		text = ""
		if from, err = url.Parse(first.URL); err != nil {
			return err
		}
	}
	ans := wire.Answer{URL: from, Text: text, Code: first.Code, Header: first.Header, Body: first.Body}
	if first.Broken {
		ans.Body = nil
	}
	move, err := c.step(c.answer(s, ans, true))
	if err != nil {
		return err
	}
	poll, u, err := resolveURL(first.URL, move.Poll)
	if err != nil {
		return err
	}
	move.Poll, s.Poll = poll, cmp.Or(poll, s.Poll)
	c.adopt(s, ans, move)
	return c.followable(s, first, u)
}

// followable reports why an operation cannot be followed as the strategy says:
// its URL may not be asked, or it was judged without a body that mattered. poll is
// the URL that the strategy named, nil if it named none.
func (c *core) followable(s *state, first *firstAnswer, poll *url.URL) error {
	if first.Broken && first.Code != http.StatusAccepted && (s.done() || s.confirming() || s.repeating() || s.Poll == s.Target || s.Poll == first.URL) {
		return fmt.Errorf("reading the response: %w", first.Err)
	}
	if s.done() || s.confirming() || s.repeating() {
		return nil
	}
	if poll != nil {
		return allow(c.origins, poll, s.Target)
	}
	return c.vet(s, s.Poll)
}

// unfollowable is the error of an operation that was accepted and cannot be
// followed. Its token keeps the first answer.
func (c *core) unfollowable(why error) error {
	c.s.Status.State = InProgress
	return c.waitError(lroerrors.Unfollowable, c.s.First.refusal(c.s.Method, why))
}

// refusal is the error of a first answer from which there is no way on.
func (f *firstAnswer) refusal(method string, why error) *lroerrors.StatusError {
	u, _ := url.Parse(f.URL)
	return wire.Refusal(method, wire.Answer{URL: u, Code: f.Code, Header: f.Header, Body: f.Body}, why)
}

// head returns the request that a chain of redirects began with.
func head(resp *http.Response) *http.Request {
	if resp == nil {
		return nil
	}
	req := resp.Request
	for req != nil && req.Response != nil && req.Response.Request != nil {
		req = req.Response.Request
	}
	return req
}

// followFirst follows an operation from its first answer, where that has yet to be
// understood. from is the URL that gave it, if that is at hand.
func (c *core) followFirst(s *state, from *url.URL) verdict {
	next := *s
	why := c.follow(&next, from)
	if why == nil {
		*s = next
		return verdict{}
	}
	return verdict{err: s.First.refusal(s.Method, why), reason: lroerrors.Unfollowable}
}

// doubt takes an answer whose body could not be read for no more than it tells:
// that the service accepted the request. The resource of a PUT or PATCH will tell.
func (f *firstAnswer) doubt(method string) {
	if f.Broken && (method == http.MethodPut || method == http.MethodPatch) {
		f.Code = http.StatusAccepted
	}
}
