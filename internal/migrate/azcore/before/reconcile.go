package before

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// A Step is the result of one call to Reconcile.
type Step struct {
	Token  string          // the token to store; "" if the operation has succeeded
	After  time.Duration   // the pause before the next call
	Widget *widgets.Widget // nil until the widget has been created
}

// Begin starts creating a widget and returns the token for the first call to Reconcile.
func (c *Client) Begin(ctx context.Context, name string, want widgets.Widget) (token string, err error) {
	p, err := c.BeginCreate(ctx, name, want)
	if err != nil {
		return "", err
	}
	return p.ResumeToken() // returns an error if the operation has already ended
}

// Reconcile reads the status of an operation once. Between calls, the caller needs to store only
// the token.
//
//nolint:bodyclose // azcore has read the body
func (c *Client) Reconcile(ctx context.Context, token string) (Step, error) {
	p, err := runtime.NewPollerFromResumeToken[widgets.Widget](token, c.pl, nil)
	if err != nil {
		return Step{}, err
	}
	resp, err := p.Poll(ctx)
	if err != nil {
		return Step{Token: token, After: 30 * time.Second}, err // the caller cannot know whether this error is final
	}
	if !p.Done() {
		token, err := p.ResumeToken()
		return Step{Token: token, After: pause(resp)}, err
	}
	w, err := p.Result(ctx)
	if err != nil {
		return Step{Token: token}, err // the caller cannot know whether this error is final
	}
	return Step{Widget: &w}, nil
}

// pause returns the pause in Retry-After if it is a number of seconds, and otherwise 30 s.
// PollUntilDone computes its own pause, but does not expose it.
func pause(resp *http.Response) time.Duration {
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		return time.Duration(s) * time.Second
	}
	return 30 * time.Second
}
