package after

import (
	"context"
	"errors"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// A Step is what one turn of a reconciler found out.
type Step struct {
	Token  string          // to store; "" once the operation has ended
	After  time.Duration   // how long until the next turn
	Widget *widgets.Widget // once it is there
}

// Reconcile reads the status of an operation once, if that is due. It is the turn of a loop that
// keeps nothing but the token between two turns.
func (c *Client) Reconcile(ctx context.Context, token string) (Step, error) {
	p, err := c.resume(token)
	if err != nil {
		return Step{}, err
	}
	if early := time.Until(p.NextPoll()); early > 0 {
		return Step{Token: token, After: early}, nil // something else has woken us
	}
	if _, err := p.Poll(ctx); err != nil {
		if wait, over := errors.AsType[*lroerrors.WaitError](err); over {
			return Step{Token: token}, wait // its Reason says whether another turn may help
		}
		// One read has failed. The token counts it, and says when to try again.
	}
	if !p.Done() {
		token, err := p.ResumeToken()
		return Step{Token: token, After: time.Until(p.NextPoll())}, err
	}
	return end(ctx, p)
}

// end reads the result, once. If that fails, nothing is lost: the token says that the
// operation succeeded.
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
	return Step{Token: token, After: time.Until(p.NextPoll())}, nil // one read failed; try again
}
