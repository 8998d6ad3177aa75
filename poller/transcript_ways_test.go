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

// A way to wait for an operation to its end. p is nil and err the error where
// the operation did not begin.
type way func(s *stage, p *rawPoller, err error) (json.RawMessage, error)

type rawPoller = poller.Poller[json.RawMessage]

// A stage is where a conversation is held.
type stage struct {
	ctx     context.Context
	client  *http.Client
	opts    poller.Options
	resumed int
}

// pollUntilDone is the way of most callers.
func (s *stage) pollUntilDone(p *rawPoller, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return p.PollUntilDone(s.ctx)
}

// rangeUpdates is the way of those who show progress.
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

// resumeAndPoll is the way of a reconciler that keeps nothing but the token.
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

// interruptAndResume is the way of a process that is killed after every answer.
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

// tokenFrom returns the token to resume from. There is none if no operation was started.
func tokenFrom(p *rawPoller, err error) (token string, stop bool) {
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		token, err = wait.ResumeToken()
	} else if err == nil {
		token, err = p.ResumeToken()
	}
	return token, err != nil
}

// resume names what a token does not hold. The rule for the result it does.
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

// afterwards calls do shortly after every answer.
type afterwards struct {
	http.RoundTripper
	do func()
}

func (a afterwards) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := a.RoundTripper.RoundTrip(req)
	time.AfterFunc(time.Millisecond, a.do)
	return resp, err
}
