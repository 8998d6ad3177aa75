package after

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// busy reports whether the service refused a request because it is busy.
func busy(err error) bool {
	reason, ok := errors.AsType[*lroerrors.Detail](err)
	return ok && reason.Code == "Conflict"
}

// Resize changes a widget. While the service is busy, Resize sends the request again, up to six
// times in all.
func (c *Client) Resize(ctx context.Context, name string, want widgets.Widget) (widgets.Widget, error) {
	const attempts = 6
	pause := cmp.Or(c.BusyPause, 30*time.Second)
	for attempt := 1; ; attempt++ {
		req, err := c.request(ctx, http.MethodPatch, widgets.Collection+"/"+name, want)
		if err != nil {
			return widgets.Widget{}, err
		}
		p, err := poller.Begin[widgets.Widget](req, c.http, &c.opts)
		switch {
		case err == nil:
			return p.PollUntilDone(ctx)
		case attempt == attempts || !busy(err):
			return widgets.Widget{}, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return widgets.Widget{}, errors.Join(err, context.Cause(ctx))
		}
	}
}
