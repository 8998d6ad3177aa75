package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/strategy"
)

// An operation is a Poller whose result is JSON, which lro prints unchanged.
type operation = poller.Poller[json.RawMessage]

// begin starts an operation and waits for it to end.
//
// Canceling ctx does not cancel the first request, because only the response says which operation
// the service started. A second Ctrl-C exits at once.
func (c *command) begin(ctx context.Context) error {
	req, err := c.request(context.WithoutCancel(ctx), strings.ToUpper(c.name))
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) // nothing was sent
	}
	return c.first(ctx, req)
}

// watch waits for the operation whose status URL is given.
func (c *command) watch(ctx context.Context) error {
	switch c.strategy.Strategy {
	case nil:
		c.strategy.Strategy = arm.AzureAsyncOperation
	case arm.ARM:
		return usageError{errors.New("--strategy arm needs the response that started the operation; choose another strategy for watch")}
	}
	req, err := c.request(ctx, http.MethodGet)
	if err != nil {
		return err
	}
	return c.first(ctx, req)
}

// first sends the first request and waits for the operation to end.
func (c *command) first(ctx context.Context, req *http.Request) error {
	p, err := c.send(ctx, req)
	return c.follow(ctx, p, err)
}

// send sends the first request. Until a response arrives, it shows that lro is waiting and, for
// each retry, why the request is sent again.
func (c *command) send(ctx context.Context, req *http.Request) (*operation, error) {
	c.screen.start("waiting for the response to " + req.Method)
	problems, sent, ended := make(chan string), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		slow, interrupted := time.After(2*time.Second), ctx.Done()
		for {
			select {
			case <-sent:
				return
			case problem := <-problems:
				c.screen.progress(problem)
			case <-slow:
				if !c.screen.live() {
					c.screen.note("waiting for the response to " + req.Method)
				}
			case <-interrupted:
				interrupted = nil
				if req.Context().Err() == nil { // otherwise the request is canceled too, and there is no response to wait for
					c.screen.note("waiting for the response, because it says how to resume; press Ctrl-C again to exit now")
				}
			}
		}
	}()
	c.problems = problems
	p, err := poller.Begin[json.RawMessage](req, c.client, c.options())
	c.problems = nil
	close(sent)
	<-ended
	return p, err
}

// resume resumes a stored operation.
func (c *command) resume(ctx context.Context) error {
	p, err := c.restore()
	return c.follow(ctx, p, err)
}

// cancel asks the service to cancel a stored operation and waits for the operation to end.
func (c *command) cancel(ctx context.Context) error {
	p, err := c.restore()
	if err != nil {
		return c.follow(ctx, p, err)
	}
	c.screen.start("waiting for the response to the cancellation")
	if err := p.Cancel(ctx); errors.Is(err, errors.ErrUnsupported) {
		c.screen.stop()
		return usageError{errCannotCancel}
	} else if err != nil {
		return c.follow(ctx, p, err)
	}
	c.screen.note("the service accepted the cancellation")
	p.WakeUp() // the operation may end soon, so read its status now rather than when the next read is due
	return c.follow(ctx, p, nil)
}

var errCannotCancel = errors.New("this protocol has no request that cancels")

// restore returns the poller for the stored token. A forged token could name any origin, so only
// the flags determine which origins receive the credentials.
func (c *command) restore() (*operation, error) {
	token, err := c.readToken()
	if err != nil {
		return nil, err
	}
	p, err := poller.Resume[json.RawMessage](token, c.client, c.options())
	switch {
	case errors.Is(err, lroerrors.ErrForeignOrigin), errors.Is(err, lroerrors.ErrBadToken), errors.Is(err, strategy.ErrNotApplicable):
		return nil, usageError{err}
	case err == nil:
		c.screen.start("")
	}
	return p, err
}

// follow shows the progress of an operation until it ends, and then prints its result.
func (c *command) follow(ctx context.Context, p *operation, err error) error {
	result, err := c.await(ctx, p, err)
	if err != nil {
		return err
	}
	if err := c.screen.result(result); err != nil { // for example a full disk
		c.ended = false
		return c.saveToken(&lroerrors.ResultError{Err: err}, p.ResumeToken)
	}
	return nil
}

// await returns the result of an operation. err is the error from the call that returned p. If the
// operation can be resumed after an error, await saves its token.
func (c *command) await(ctx context.Context, p *operation, err error) (json.RawMessage, error) {
	if err == nil && c.tokenFile.early && !p.Done() {
		c.saveEarly(p)
	}
	var result json.RawMessage
	if err == nil {
		result, err = c.updates(ctx, p)
	}
	c.drawTimeline(err)
	c.screen.stop()
	if err == nil {
		c.ended = true
		return result, nil
	}
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		return nil, c.saveToken(err, wait.ResumeToken)
	}
	if _, ok := errors.AsType[*lroerrors.ResultError](err); ok {
		return nil, c.saveToken(err, p.ResumeToken)
	}
	_, c.ended = errors.AsType[*lroerrors.OperationError](err)
	return nil, err
}

// updates shows each status and returns the result.
func (c *command) updates(ctx context.Context, p *operation) (json.RawMessage, error) {
	quiet := p.Done() // an operation that ended at once has no progress
	for status, err := range p.Updates(ctx) {
		if err != nil {
			return nil, err
		}
		if c.recorder != nil {
			c.recorder.Status(status)
		}
		if !quiet {
			c.screen.show(status)
		}
	}
	return p.PollUntilDone(ctx)
}

// saveEarly writes the token to --token-file before the first read, so that not even kill -9 loses
// the operation. If that fails, lro tries again when the wait ends.
func (c *command) saveEarly(p *operation) {
	token, err := p.ResumeToken()
	if err == nil {
		err = c.tokenFile.write(token)
	}
	if err != nil {
		c.screen.note(fmt.Sprintf("the resume token could not be written: %v", err))
	}
}
