package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/lro-go/lro/cmd/lro/internal/output"
	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// resume resumes the wait for the operation in a token.
func (c *command) resume(ctx context.Context) error {
	c.flags.EndOnDeletion() // a resumed lro watch also succeeds once the resource is deleted
	p, err := c.restore()
	return c.follow(ctx, p, err)
}

// cancel asks the service to cancel the operation in a token, and waits until the operation ends.
func (c *command) cancel(ctx context.Context) error {
	p, err := c.restore()
	if err != nil {
		return c.follow(ctx, p, err)
	}

	c.printer.Start("waiting for the response to the cancellation")
	err = p.Cancel(ctx)
	if errors.Is(err, errors.ErrUnsupported) {
		c.printer.Stop()
		return output.UsageError{
			Err:    errors.New("this protocol defines no request that cancels an operation"),
			Advice: "name the request, such as --with 'DELETE URL' with the URL of the resource",
		}
	}
	if err != nil {
		return c.follow(ctx, p, output.CancelError{Err: err})
	}

	c.printer.Note("the service accepted the cancellation")
	p.WakeUp() // the operation may end soon, so read its status right away, not when the next read is due
	return c.follow(ctx, p, nil)
}

// restore returns a poller for the operation in the token. Only the flags determine which origins
// receive credentials, because a forged token could name any origin. If the token comes from a file
// and the wait stops early, a new token replaces it in the file.
func (c *command) restore() (*operation, error) {
	token, err := c.flags.ResumeToken(c.stdin)
	if err != nil {
		return nil, output.UsageError{Err: err}
	}
	if file := c.flags.TargetFile(); file != "" {
		c.tokenFile.path = file
	}

	p, err := poller.Resume[json.RawMessage](token, c.client, c.flags.PollerOptions(c.logger))
	if errors.Is(err, lroerrors.ErrForeignOrigin) || errors.Is(err, lroerrors.ErrBadToken) || errors.Is(err, lroerrors.ErrNewerToken) || errors.Is(err, strategy.ErrNotApplicable) {
		return nil, output.UsageError{Err: err}
	}
	if err == nil {
		c.printer.Start("")
	}
	return p, err
}
