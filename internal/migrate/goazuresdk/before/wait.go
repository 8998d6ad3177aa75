package before

import (
	"context"
	"net/http"

	"github.com/hashicorp/go-azure-sdk/sdk/client"
	"github.com/hashicorp/go-azure-sdk/sdk/client/pollers"
	"github.com/hashicorp/go-azure-sdk/sdk/client/resourcemanager"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

const jsonType = "application/json; charset=utf-8"

// create sends the request that creates a widget.
func (c *Client) create(ctx context.Context, name string, want widgets.Widget, opts client.Options) (*client.Response, error) {
	req, err := c.NewRequest(ctx, client.RequestOptions{
		ContentType:         jsonType,
		ExpectedStatusCodes: []int{http.StatusOK, http.StatusCreated, http.StatusAccepted},
		HttpMethod:          http.MethodPut,
		OptionsObject:       opts,
		Path:                widgets.Collection + "/" + name,
	})
	if err != nil {
		return nil, err
	}
	if err := req.Marshal(want); err != nil {
		return nil, err
	}
	return req.Execute(ctx)
}

// CreateThenPoll creates a widget and waits until the operation ends. ctx must have a deadline.
func (c *Client) CreateThenPoll(ctx context.Context, name string, want widgets.Widget) error {
	p, err := c.begin(ctx, name, want, nil)
	if err != nil {
		return err
	}
	return p.PollUntilDone(ctx)
}

func (c *Client) begin(ctx context.Context, name string, want widgets.Widget, opts client.Options) (pollers.Poller, error) {
	resp, err := c.create(ctx, name, want, opts)
	if err != nil {
		return pollers.Poller{}, err
	}
	return resourcemanager.PollerFromResponse(resp, c.Client)
}

// Get returns a widget.
func (c *Client) Get(ctx context.Context, name string) (w widgets.Widget, err error) {
	req, err := c.NewRequest(ctx, client.RequestOptions{
		ContentType:         jsonType,
		ExpectedStatusCodes: []int{http.StatusOK},
		HttpMethod:          http.MethodGet,
		Path:                widgets.Collection + "/" + name,
	})
	if err != nil {
		return w, err
	}
	resp, err := req.Execute(ctx)
	if err != nil {
		return w, err
	}
	return w, resp.Unmarshal(&w)
}

// Create creates a widget, waits, and then reads the widget with a GET, because the poller's result
// is the status document.
func (c *Client) Create(ctx context.Context, name string, want widgets.Widget) (widgets.Widget, error) {
	if err := c.CreateThenPoll(ctx, name, want); err != nil {
		return widgets.Widget{}, err
	}
	return c.Get(ctx, name)
}
