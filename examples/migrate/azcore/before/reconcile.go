package before

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/examples/migrate/widgets"
)

// A Step is what one turn of a reconciler found out.
type Step struct {
	Token  string          // to store; "" once the operation has ended
	After  time.Duration   // how long until the next turn
	Widget *widgets.Widget // once it is there
}

// Reconcile reads the status of an operation once. It is the turn of a loop that
// keeps nothing but the token between two turns.
//
//nolint:bodyclose // azcore has read the body
func (c *Client) Reconcile(ctx context.Context, token string) (Step, error) {
	p, err := runtime.NewPollerFromResumeToken[widgets.Widget](token, c.pl, nil)
	if err != nil {
		return Step{}, err
	}
	resp, err := p.Poll(ctx)
	if err != nil {
		return Step{Token: token, After: 30 * time.Second}, err // final or not: the loop cannot know
	}
	if !p.Done() {
		token, err := p.ResumeToken()
		return Step{Token: token, After: pause(resp)}, err
	}
	w, err := p.Result(ctx)
	if err != nil {
		return Step{Token: token}, err // final or not: as above
	}
	return Step{Widget: &w}, nil
}

// pause is what the service asks for. The loop does by itself what PollUntilDone
// would do.
func pause(resp *http.Response) time.Duration {
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		return time.Duration(s) * time.Second
	}
	return 30 * time.Second
}
