package sdkv2

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
)

// A widget is the JSON body of a request or a response.
type widget struct {
	Properties struct {
		Size              int    `json:"size"`
		ProvisioningState string `json:"provisioningState,omitempty"`
	} `json:"properties"`
}

const widgets = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Contoso/widgets/"

// requestTime is the time limit for a request that starts an operation.
const requestTime = 5 * time.Minute

// start sends the request that starts an operation. Neither Ctrl-C nor the resource's timeout
// interrupts start, because only the response shows how to follow the operation.
func (c *Client) start(ctx context.Context, method string, d *schema.ResourceData) (*poller.Poller[widget], error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTime)
	defer cancel()
	var w widget
	w.Properties.Size = d.Get("size").(int)
	body, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, c.Endpoint+idOf(d), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return poller.Begin[widget](req, c.Doer, c.Options)
}

// get reads a widget. If the widget shows an operation in progress, the Poller follows it.
// Otherwise, the Poller is already done.
func (c *Client) get(ctx context.Context, d *schema.ResourceData) (*poller.Poller[widget], error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Endpoint+idOf(d), http.NoBody)
	if err != nil {
		return nil, err
	}
	options := *c.Options
	options.Strategy = arm.ProvisioningState
	return poller.Begin[widget](req, c.Doer, &options)
}

func idOf(d *schema.ResourceData) string { return widgets + d.Get("name").(string) }
