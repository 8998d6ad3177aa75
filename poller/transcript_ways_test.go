package poller_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A way is a function that waits for an operation to end. p and err are the results of Begin.
type way func(s *stage, p *rawPoller, err error) (json.RawMessage, error)

type rawPoller = poller.Poller[json.RawMessage]

// A stage holds the context, the client and the options for following an operation. It also counts
// the resumes.
type stage struct {
	ctx     context.Context
	client  *http.Client
	opts    poller.Options
	resumed int
}

// pollUntilDone calls PollUntilDone once, as most callers do.
func (s *stage) pollUntilDone(p *rawPoller, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return p.PollUntilDone(s.ctx)
}

// rangeUpdates ranges over Updates, like a caller that shows progress.
func (s *stage) rangeUpdates(p *rawPoller, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	for _, err := range p.Updates(s.ctx) {
		if err != nil {
			return nil, err
		}
	}
	return p.PollUntilDone(s.ctx)
}

// resumeAndPoll resumes the operation before every poll, like a reconciler that stores only the
// token.
func (s *stage) resumeAndPoll(p *rawPoller, err error) (json.RawMessage, error) {
	for {
		token, stop := tokenFrom(p, err)
		if stop {
			return nil, err
		}
		if p, err = s.resume(token, s.client); err != nil {
			return nil, err
		}
		if p.Done() {
			return s.interruptAndResume(p, nil)
		}
		time.Sleep(time.Until(p.NextPoll()))
		if _, err := p.Poll(s.ctx); isWaitError(err) {
			return nil, err
		}
	}
}

// interruptAndResume resumes the operation in every pause after a response, like a process that is
// killed and restarted.
func (s *stage) interruptAndResume(p *rawPoller, err error) (json.RawMessage, error) {
	for {
		token, stop := tokenFrom(p, err)
		if stop {
			return nil, err
		}
		ctx, kill := context.WithCancel(s.ctx)
		client := *s.client
		client.Transport = afterwards{client.Transport, kill}
		if p, err = s.resume(token, &client); err != nil {
			kill()
			return nil, err
		}
		v, err := p.PollUntilDone(ctx)
		kill()
		if wait, ok := errors.AsType[*lroerrors.WaitError](err); !ok || wait.Reason != lroerrors.ReasonCanceled {
			return v, err
		}
	}
}

// tokenFrom returns the token from p, or from err if err is a WaitError. After any other error,
// stop is true, because there is no operation to follow.
func tokenFrom(p *rawPoller, err error) (token string, stop bool) {
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		token, err = wait.ResumeToken()
	} else if err == nil {
		token, err = p.ResumeToken()
	}
	return token, err != nil
}

// resume calls poller.Resume with the conversation's options, except FinalStateVia, which the token
// contains.
func (s *stage) resume(token string, client poller.Doer) (*rawPoller, error) {
	s.resumed++
	opts := s.opts
	opts.FinalStateVia = ""
	opts.Origins = append(slices.Clip(opts.Origins), origin)
	return poller.Resume[json.RawMessage](token, client, &opts)
}

func isWaitError(err error) bool {
	_, ok := errors.AsType[*lroerrors.WaitError](err)
	return ok
}

// An afterwards is a RoundTripper that calls a function 1 ms after every response.
type afterwards struct {
	http.RoundTripper
	do func()
}

func (a afterwards) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := a.RoundTripper.RoundTrip(req)
	time.AfterFunc(time.Millisecond, a.do)
	return resp, err
}
