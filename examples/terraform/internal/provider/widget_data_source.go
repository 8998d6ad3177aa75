package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/lro-go/lro/poller/lrotf"
)

var _ datasource.DataSourceWithConfigure = (*widgetDataSource)(nil)

// A widgetDataSource is the data source contoso_widget. It does not wait for operations, but its
// attribute provisioning_state shows whether one is in progress.
type widgetDataSource struct {
	service *service
}

func newWidgetDataSource() datasource.DataSource { return &widgetDataSource{} }

type widgetDataModel struct {
	ID                types.String   `tfsdk:"id"`
	Name              types.String   `tfsdk:"name"`
	Size              types.Int64    `tfsdk:"size"`
	ProvisioningState types.String   `tfsdk:"provisioning_state"`
	Timeouts          timeouts.Value `tfsdk:"timeouts"`
}

func (d *widgetDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_widget"
}

func (d *widgetDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "An existing widget.",
		Attributes: map[string]schema.Attribute{
			"id":                 schema.StringAttribute{Computed: true},
			"name":               schema.StringAttribute{Required: true},
			"size":               schema.Int64Attribute{Computed: true},
			"provisioning_state": schema.StringAttribute{Computed: true},
		},
		Blocks: map[string]schema.Block{
			"timeouts": timeouts.Block(ctx),
		},
	}
}

func (d *widgetDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.service, _ = req.ProviderData.(*service)
}

func (d *widgetDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m widgetDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	timeout, diags := m.Timeouts.Read(ctx, 5*time.Minute)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	w, _, err := d.service.get(ctx, m.Name.ValueString())
	if err != nil {
		resp.Diagnostics.Append(lrotf.Diagnose(ctx, fmt.Sprintf("Reading widget %q", m.Name.ValueString()), err, req.Config.Schema)...)
		return
	}
	m.ID = types.StringValue(w.ID)
	m.Size = types.Int64Value(w.Properties.Size)
	m.ProvisioningState = types.StringValue(w.Properties.ProvisioningState)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
