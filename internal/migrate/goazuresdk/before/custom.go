package before

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/go-azure-sdk/sdk/client/pollers"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// readyPoller waits until a widget is Running, because this service reports Succeeded too early.
type readyPoller struct {
	client *Client
	name   string
}

var _ pollers.PollerType = readyPoller{}

// Poll implements pollers.PollerType.
func (p readyPoller) Poll(ctx context.Context) (*pollers.PollResult, error) {
	req, err := p.client.request(ctx, http.MethodGet, p.name)
	if err != nil {
		return nil, err
	}
	resp, err := req.Execute(ctx)
	if err != nil {
		return nil, err
	}
	var w widgets.Widget
	if err := resp.Unmarshal(&w); err != nil {
		return nil, err
	}
	result := &pollers.PollResult{HttpResponse: resp, PollInterval: 10 * time.Second}
	switch w.Properties.ResourceState {
	case "Creating":
		result.Status = pollers.PollingStatusInProgress
	case "Running":
		result.Status = pollers.PollingStatusSucceeded
	default:
		return nil, pollers.PollingFailedError{HttpResponse: resp, Message: fmt.Sprintf("resourceState is %q", w.Properties.ResourceState)}
	}
	return result, nil
}

// CreateReady creates a widget and waits until it is running.
func (c *Client) CreateReady(ctx context.Context, name string, want widgets.Widget) (w widgets.Widget, err error) {
	if err := c.CreateThenPoll(ctx, name, want); err != nil {
		return w, err
	}
	p := pollers.NewPoller(readyPoller{c, name}, 0, pollers.DefaultNumberOfDroppedConnectionsToAllow)
	if err := p.PollUntilDone(ctx); err != nil {
		return w, err
	}
	return w, p.FinalResult(&w)
}
