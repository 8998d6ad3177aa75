package after

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	generated "github.com/lro-go/lro/internal/migrate/azcore/before"
	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller/lroazcore"
)

// Replace replaces a widget through the unchanged generated client, and waits with lro's poller.
func Replace(ctx context.Context, client *generated.Client, name string, want widgets.Widget) (widgets.Widget, error) {
	p, err := lroazcore.Follow(ctx, func(ctx context.Context, token string) (*runtime.Poller[widgets.Widget], error) {
		return client.BeginReplace(ctx, name, want, &generated.ClientBeginReplaceOptions{ResumeToken: token})
	}, nil)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx)
}
