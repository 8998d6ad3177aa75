// Package provider implements the contoso provider, with a resource and a data source that use
// [github.com/lro-go/lro/poller/lrotf]. The resource is in widget_resource.go, and the data source
// is in widget_data_source.go. The requests of both are in service.go. The provider itself, with
// its configuration, is in provider.go.
package provider

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// endpointEnv is the environment variable for the endpoint. The provider uses it if the
// configuration sets no endpoint.
const endpointEnv = "CONTOSO_ENDPOINT"

type contoso struct {
	client poller.Doer
}

// New returns a provider that sends its requests over the network.
func New() provider.Provider {
	// A real service needs credentials: set Token in transport.Options.
	return NewWithClient(transport.NewClient(nil))
}

// NewWithClient returns a provider that sends its requests through client.
func NewWithClient(client poller.Doer) provider.Provider {
	return &contoso{client: client}
}

func (p *contoso) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "contoso"
}

// A providerModel is the provider block of a configuration.
type providerModel struct {
	Endpoint types.String `tfsdk:"endpoint"`
	MinPause types.String `tfsdk:"min_pause"`
}

func (p *contoso) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"endpoint": schema.StringAttribute{
			Optional:    true,
			Description: "The origin of the service, such as https://widgets.example. Default: $" + endpointEnv + ".",
		},
		"min_pause": schema.StringAttribute{
			Optional: true,
			Description: "The shortest pause between two reads of a status, whatever the service asks for. Default: 10s." +
				" Omit it in production, because reads count against request limits.",
		},
	}}
}

func (p *contoso) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	endpoint := config.Endpoint.ValueString()
	if config.Endpoint.IsNull() { // an unknown value is not null, so the environment does not replace it
		endpoint = os.Getenv(endpointEnv)
	}
	if endpoint == "" {
		resp.Diagnostics.AddAttributeError(path.Root("endpoint"), "No endpoint",
			"Set endpoint to a value that is known at plan time, or set $"+endpointEnv+".")
	}
	var pause time.Duration
	if text := config.MinPause.ValueString(); text != "" {
		var err error
		if pause, err = time.ParseDuration(text); err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("min_pause"), "Not a duration", err.Error())
		}
	}
	s := &service{origin: strings.TrimSuffix(endpoint, "/"), client: p.client, cadence: poller.Cadence{Min: pause}}
	resp.ResourceData, resp.DataSourceData = s, s
}

func (p *contoso) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newWidgetResource}
}

func (p *contoso) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{newWidgetDataSource}
}
