package poller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// send sends req and follows what it begins; and sends it again, if it is refused,
// as Options.Repeat says.
func send(req *http.Request, client Doer, opts *Options) (*core, error) {
	if opts == nil || opts.Repeat == nil {
		return sendOnce(req, client, opts)
	}
	set, err := resolve(opts)
	if err != nil {
		return nil, wire.NoAnswer(req, err)
	}
	if set.Repeat.Request == nil && !rewindable(req) {
		return nil, wire.NoAnswer(req, errors.New("Options.Repeat needs a request whose body can be read again (GetBody), or Repeat.Request"))
	}
	return set.sendUntilAccepted(req, client)
}

// sendOnce sends req and follows what it begins.
func sendOnce(req *http.Request, client Doer, opts *Options) (*core, error) {
	resp, err := sendFirst(req, client, opts)
	if err != nil {
		return nil, err
	}
	defer func() { resp.Body.Close() }() // begin puts another body in its place
	return begin(req, resp, client, opts, extra{})
}

// sendUntilAccepted sends req until it is accepted, or refused for good. The error
// of the last time is returned.
func (s *settings) sendUntilAccepted(req *http.Request, client Doer) (*core, error) {
	ctx, next := req.Context(), req
	x := extra{request: s.Repeat.kept(req)}
	for {
		resp, err := sendFirst(next, client, &s.Options) // as they were, whatever the caller does with his meanwhile
		if err != nil {
			return nil, err
		}
		c, err := begin(next, resp, client, &s.Options, x)
		resp.Body.Close()
		refused, ok := err.(*lroerrors.StatusError) //nolint:errorlint // one within tells of another request
		if !ok || x.Used >= s.Repeat.Times || !s.Repeat.refusedFor(refused) {
			return c, err
		}
		pause, _ := s.Repeat.pause(resp.Header, time.Now())
		if err := pauseFor(ctx, pause); err != nil {
			return nil, joined(refused, err)
		}
		x.Used++
		if next, err = s.afterRefusal(ctx, req); err != nil {
			return nil, joined(refused, err)
		}
	}
}

// kept is what an operation keeps of the request that began it: its own copy,
// without what its context holds, and the body as it can be made again. Nil where the
// caller makes another.
func (r *Repeat) kept(req *http.Request) *http.Request {
	if r.Request != nil {
		return nil
	}
	mine := req.Clone(context.Background())
	mine.Body = nil // what had none that can be made again was not sent
	return mine
}

// afterRefusal is the request to send when req was refused, to an origin that may be
// asked.
func (s *settings) afterRefusal(ctx context.Context, req *http.Request) (*http.Request, error) {
	next, err := s.Repeat.request(ctx, req)
	if err != nil {
		return nil, err
	}
	origins, err := s.origins.With(req.URL)
	if err != nil {
		return nil, err
	}
	return next, leadsHome(origins, next, req.URL.String())
}

// rewindable reports whether the body of a request can be read more than once.
func rewindable(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

// joined is a refusal after which the request could not be sent again. Nothing was
// accepted, so there is nothing to go on with.
func joined(refused *lroerrors.StatusError, why error) *lroerrors.StatusError {
	e := *refused
	e.Err = fmt.Errorf("it was not sent again: %w", why)
	if refused.Err != nil {
		e.Err = fmt.Errorf("%w; %w", refused.Err, e.Err)
	}
	return &e
}

// sendFirst sends the request that is to begin an operation. Its answer has a
// body and names the request.
func sendFirst(req *http.Request, client Doer, opts *Options) (*http.Response, error) {
	set, err := resolve(opts)
	if err != nil {
		return nil, wire.NoAnswer(req, err)
	}
	origins, err := set.origins.With(req.URL)
	if err != nil {
		return nil, wire.NoAnswer(req, err)
	}
	mine := req.Clone(origins.Mark(req.Context()))
	if mine.Header == nil {
		mine.Header = http.Header{}
	}
	wire.AddMissing(mine.Header, set.Header)
	resp, err := wire.Guard(client, origins).Do(mine)
	switch {
	case err != nil:
		if resp != nil && resp.Body != nil {
			resp.Body.Close()
		}
		return nil, wire.NoAnswer(req, err)
	case resp == nil:
		return nil, wire.NoAnswer(req, errors.New("the client returned neither a response nor an error"))
	case resp.Body == nil:
		resp.Body = http.NoBody
	}
	if resp.Request == nil {
		resp.Request = req
	}
	return resp, nil
}
