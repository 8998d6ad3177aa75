package before

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// ClientBeginReplaceOptions is like the options type that the generator writes for each method.
type ClientBeginReplaceOptions struct {
	ResumeToken string // the token of an operation that an earlier call started
}

// BeginReplace starts or resumes an operation, as a generated method does. Only a method of the
// client can resume one, because the client does not expose its pipeline.
func (c *Client) BeginReplace(ctx context.Context, name string, want widgets.Widget, options *ClientBeginReplaceOptions) (*runtime.Poller[widgets.Widget], error) {
	if options == nil || options.ResumeToken == "" {
		return c.BeginCreate(ctx, name, want)
	}
	return runtime.NewPollerFromResumeToken[widgets.Widget](options.ResumeToken, c.pl, nil)
}

// Replace replaces a widget through a generated client, and waits with azcore's poller.
func Replace(ctx context.Context, client *Client, name string, want widgets.Widget) (widgets.Widget, error) {
	p, err := client.BeginReplace(ctx, name, want, nil)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx, nil)
}
