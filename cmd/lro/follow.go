package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// An operation is one whose result is JSON, shown as it came.
type operation = poller.Poller[json.RawMessage]

// begin begins an operation and follows it to its end.
//
// Neither Ctrl-C nor --timeout ends the first request: where its answer is lost,
// nobody knows what the service has begun. A second Ctrl-C does.
func (c *command) begin(ctx context.Context) error {
	req, err := c.request(context.WithoutCancel(ctx), strings.ToUpper(c.verb))
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) // nothing was sent
	}
	told := make(chan struct{})
	untold := context.AfterFunc(ctx, func() {
		defer close(told)
		c.screen.note("the request is under way; its answer says how to go on later")
	})
	p, err := poller.Begin[json.RawMessage](req, c.client, c.options())
	if !untold() {
		<-told
	}
	return c.follow(ctx, p, err)
}

// watch follows an operation of which nothing is left but its URL. A GET that is
// begun with a strategy by name asks the operation itself.
func (c *command) watch(ctx context.Context) error {
	switch c.strategy.Strategy {
	case nil:
		c.strategy.Strategy = poller.AzureAsyncOperation
	case poller.ARM:
		return usageError{errors.New("arm chooses by the response that began an operation, which is not at hand: name another strategy")}
	}
	req, err := c.request(ctx, http.MethodGet)
	if err != nil {
		return err
	}
	p, err := poller.Begin[json.RawMessage](req, c.client, c.options())
	return c.follow(ctx, p, err)
}

// resume goes on with a stored operation.
func (c *command) resume(ctx context.Context) error {
	p, err := c.restore()
	return c.follow(ctx, p, err)
}

// cancel asks the service to cancel a stored operation, and then follows it: how
// it ends is the service's to say.
func (c *command) cancel(ctx context.Context) error {
	p, err := c.restore()
	if err != nil {
		return c.follow(ctx, p, err)
	}
	if err := p.Cancel(ctx); errors.Is(err, errors.ErrUnsupported) {
		return usageError{errors.New("the protocol has no request that cancels: name one, such as --with 'DELETE URL' of what is being created")}
	} else if err != nil {
		return c.follow(ctx, p, err)
	}
	c.screen.note("the service has accepted to cancel it")
	p.WakeUp() // the end may be near: read once before the schedule says so
	return c.follow(ctx, p, nil)
}

// restore makes a poller of the stored token. A token may be forged, and then
// would send ours to whoever forged it, so that it is not asked whom to trust.
func (c *command) restore() (*operation, error) {
	token, err := c.readToken()
	if err != nil {
		return nil, err
	}
	p, err := poller.Resume[json.RawMessage](token, c.client, c.options())
	switch {
	case errors.Is(err, lroerrors.ErrForeignOrigin):
		return nil, usageError{fmt.Errorf("%w; if you trust it, name it with --origin", err)}
	case errors.Is(err, lroerrors.ErrBadToken):
		return nil, usageError{err}
	}
	return p, err
}

// follow shows how an operation is getting on until it has ended, and prints its
// result. What the wait ends with before is kept.
func (c *command) follow(ctx context.Context, p *operation, err error) error {
	result, err := c.await(ctx, p, err)
	if err != nil {
		return err
	}
	if err := c.screen.result(result); err != nil {
		return c.stop(&lroerrors.ResultError{Err: err}, p.ResumeToken) // a full disk, such as
	}
	c.keeper.done()
	return nil
}

// await is follow without the printing. err is that of the poller's making: one
// that could not be followed has a token as well.
func (c *command) await(ctx context.Context, p *operation, err error) (json.RawMessage, error) {
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		return nil, c.stop(err, wait.ResumeToken)
	} else if err != nil {
		return nil, err
	}
	if err := c.keep(p); err != nil {
		c.screen.note("the token could not be written: " + err.Error()) // it is tried again at the end
	}
	result, err := c.updates(ctx, p)
	switch {
	case err == nil:
		return result, nil
	case exitCode(ctx, err) == exitFailed || exitCode(ctx, err) == exitCanceled:
		c.keeper.done()
		return nil, err
	}
	return nil, c.stop(err, p.ResumeToken)
}

// updates shows each status, and then waits for the result.
func (c *command) updates(ctx context.Context, p *operation) (json.RawMessage, error) {
	progress := c.screen.progress(p.Done())
	defer progress.end()
	for status, err := range p.Updates(ctx) {
		if err != nil {
			return nil, err
		}
		progress.show(status)
	}
	return p.PollUntilDone(ctx)
}

// keep writes the token at once where --token-file names a file, so that not
// even kill -9 loses the operation.
func (c *command) keep(p *operation) error {
	if !c.keeper.named || p.Done() {
		return nil
	}
	token, err := p.ResumeToken()
	if err != nil {
		return err
	}
	return c.keeper.write(token)
}
