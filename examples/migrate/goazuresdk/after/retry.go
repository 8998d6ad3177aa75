package after

import (
	"context"
	"errors"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/poller"
)

// busy says whether a request, or the operation it began, failed because the
// service is busy.
func busy(err error) bool {
	reason, ok := errors.AsType[*lroerrors.Detail](err)
	return ok && reason.Code == "Conflict"
}

// Resize changes a widget. A request that is refused because the service is busy is
// sent again, and so is one whose operation fails for that reason.
func (c *Client) Resize(ctx context.Context, name string, want widgets.Widget) (widgets.Widget, error) {
	req, err := c.request(ctx, http.MethodPatch, widgets.Collection+"/"+name, want)
	if err != nil {
		return widgets.Widget{}, err
	}
	opts := c.opts
	opts.Repeat = &poller.Repeat{When: busy, Times: 5, Every: c.BusyPause}
	p, err := poller.Begin[widgets.Widget](req, c.http, &opts)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx)
}
