package before

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/examples/migrate/widgets"
)

// ClientBeginReplaceOptions are what azcore's generator writes for a method.
type ClientBeginReplaceOptions struct {
	ResumeToken string // of an operation that an earlier call started
}

// BeginReplace starts an operation or resumes one, as the generator writes it. The client
// hides its pipeline.
func (c *Client) BeginReplace(ctx context.Context, name string, want widgets.Widget, options *ClientBeginReplaceOptions) (*runtime.Poller[widgets.Widget], error) {
	if options == nil || options.ResumeToken == "" {
		return c.BeginCreate(ctx, name, want)
	}
	return runtime.NewPollerFromResumeToken[widgets.Widget](options.ResumeToken, c.pl, nil)
}

// Replace replaces a widget with a generated client and waits for it.
func Replace(ctx context.Context, client *Client, name string, want widgets.Widget) (widgets.Widget, error) {
	p, err := client.BeginReplace(ctx, name, want, nil)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx, nil)
}
