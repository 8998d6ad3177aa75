package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/examples/terraform/internal/provider"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller/lrotf/lrotftest"
	"github.com/lro-go/lro/transport"
)

const widgets = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo/providers/Microsoft.Contoso/widgets"

// open returns a workspace for contoso_widget, and a function that attaches the workspace to a new
// provider, as after a restart.
func open(t *testing.T, svc *fakes.Service) (w *lrotftest.Workspace, attach func(settings lrotftest.Config) error) {
	t.Helper()
	client := transport.NewClient(&transport.Options{Base: &fakes.Transport{Handler: svc}})
	serve := providerserver.NewProtocol6(provider.NewWithClient(client))
	w, err := lrotftest.Open(t.Context(), serve(), lrotftest.Config{"endpoint": "https://a.test"}, "contoso_widget")
	require.NoError(t, err)
	return w, func(settings lrotftest.Config) error { return w.Attach(t.Context(), serve(), settings) }
}

// widget returns a widget's configuration, with a timeout of a hundred hours for each operation.
func widget(size int) lrotftest.Config {
	return lrotftest.Config{
		"name": "w1", "size": size,
		"timeouts": lrotftest.Config{"create": "100h", "update": "100h", "delete": "100h"},
	}
}
