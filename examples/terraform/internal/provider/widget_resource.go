package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotf"
)

var (
	_ resource.ResourceWithConfigure   = (*widgetResource)(nil)
	_ resource.ResourceWithImportState = (*widgetResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*widgetResource)(nil)
)

// A widgetResource is the resource contoso_widget. The embedded Resource implements Create, Read,
// Update, Delete and ModifyPlan.
type widgetResource struct {
	lrotf.Resource[widgetModel, widget]
	service *service
}

// A widgetModel is a widget in a configuration, a plan or a state.
type widgetModel struct {
	ID                types.String   `tfsdk:"id"`
	Name              types.String   `tfsdk:"name"`
	Size              types.Int64    `tfsdk:"size"`
	ProvisioningState types.String   `tfsdk:"provisioning_state"`
	Timeouts          timeouts.Value `tfsdk:"timeouts"`
}

func newWidgetResource() resource.Resource {
	r := &widgetResource{}
	r.Resource = lrotf.Resource[widgetModel, widget]{
		Name: func(m *widgetModel) string { return fmt.Sprintf("widget %q", m.Name.ValueString()) },
		BeginCreate: func(ctx context.Context, plan *widgetModel) (*poller.Poller[widget], error) { // also used for updates, because the request is a PUT
			plan.ID = types.StringValue(widgets + "/" + plan.Name.ValueString())
			return r.service.put(ctx, plan.Name.ValueString(), widgetProperties{Size: plan.Size.ValueInt64()})
		},
		BeginDelete: func(ctx context.Context, state *widgetModel) (*poller.Poller[widget], error) {
			return r.service.delete(ctx, state.Name.ValueString())
		},
		Client: func() (poller.Doer, *poller.Options) { return r.service.client, r.service.operationOptions() },
		Get: func(ctx context.Context, m *widgetModel) (widget, *poller.Poller[widget], error) {
			return r.service.get(ctx, m.Name.ValueString())
		},
		Set: func(_ context.Context, m *widgetModel, w widget) diag.Diagnostics {
			m.ID = types.StringValue(w.ID)
			m.Name = types.StringValue(w.Name)
			m.Size = types.Int64Value(w.Properties.Size)
			m.ProvisioningState = types.StringValue(w.Properties.ProvisioningState)
			return nil
		},
	}
	return r
}

func (r *widgetResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_widget"
}

func (r *widgetResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "A widget. Its operations may take hours.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"name": schema.StringAttribute{
				Required:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"size": schema.Int64Attribute{Required: true},
			"provisioning_state": schema.StringAttribute{
				Computed: true,
				Description: "Succeeded, or the service's word for the operation in progress. Apply does not fail if a creation takes" +
					" longer than its timeout: if other resources need a finished widget, check for Succeeded in a postcondition.",
			},
		},
		Blocks: map[string]schema.Block{
			"timeouts": timeouts.BlockAll(ctx),
		},
	}
}

func (r *widgetResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.service, _ = req.ProviderData.(*service) // ProviderData is nil until the provider is configured
}

// ImportState stores the given name in the state. Read then fetches the other attributes, even
// while the widget is being created.
func (r *widgetResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("name"), req, resp)
}
