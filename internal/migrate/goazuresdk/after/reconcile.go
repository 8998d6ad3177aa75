package after

import (
	"context"
	"errors"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// A Step is the outcome of one turn of a reconciler. If the operation failed, the error returned
// with the Step gives the reason.
type Step struct {
	Token  string          // the token to store; "" if the operation has ended
	After  time.Duration   // the pause before the next turn
	Widget *widgets.Widget // nil until the widget has been created
}

// Begin starts the creation of a widget and returns the token for the next turn.
func (c *Client) Begin(ctx context.Context, name string, want widgets.Widget) (token string, err error) {
	p, err := c.begin(ctx, name, want, &c.opts)
	if err != nil {
		return "", err
	}
	return p.ResumeToken()
}

// Reconcile reads the status of the operation once, if a read is due.
func (c *Client) Reconcile(ctx context.Context, token string) (Step, error) {
	opts := c.opts
	opts.Origins = []string{c.endpoint} // a forged token could name any other origin
	p, err := poller.Resume[widgets.Widget](token, c.http, &opts)
	if err != nil {
		return Step{}, err
	}
	if early := time.Until(p.NextPoll()); early > 0 {
		return Step{Token: token, After: early}, nil // too early: something else triggered this turn
	}
	if _, err := p.Poll(ctx); err != nil {
		if wait, over := errors.AsType[*lroerrors.WaitError](err); over {
			return Step{Token: token}, wait // wait.Reason shows whether another turn can succeed
		}
		// Only this read failed. The token counts the failure and holds the time of the next read.
	}
	if !p.Done() {
		token, err := p.ResumeToken()
		return Step{Token: token, After: time.Until(p.NextPoll())}, err
	}
	return end(ctx, p)
}

// end tries once to read the result. If that fails, the token records that the operation
// succeeded, and a later turn can read the result.
func end(ctx context.Context, p *poller.Poller[widgets.Widget]) (Step, error) {
	w, err := p.Result(ctx)
	if err == nil {
		return Step{Widget: &w}, nil
	}
	if _, final := errors.AsType[*lroerrors.OperationError](err); final {
		return Step{}, err
	}
	token, none := p.ResumeToken()
	_, spent := errors.AsType[*lroerrors.ResultError](err)
	if spent || none != nil || ctx.Err() != nil {
		return Step{Token: token}, errors.Join(err, none)
	}
	return Step{Token: token, After: time.Until(p.NextPoll())}, nil // the result could not be read this time: a later turn tries again
}
