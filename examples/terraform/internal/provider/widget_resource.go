package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"
)

var (
	_ resource.ResourceWithConfigure   = (*widgetResource)(nil)
	_ resource.ResourceWithImportState = (*widgetResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*widgetResource)(nil)
)

// A widgetResource is contoso_widget.
type widgetResource struct {
	service *service
}

func newWidgetResource() resource.Resource { return &widgetResource{} }

func (r *widgetResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_widget"
}

func (r *widgetResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "A widget. Everything that is done to one takes its time.",
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
				Description: "Succeeded, or the service's word for what is going on. Apply does not fail where a creation goes on" +
					" for longer than its timeout: what cannot do with an unfinished widget asks for Succeeded in a postcondition.",
			},
		},
		Blocks: map[string]schema.Block{
			"timeouts": timeouts.BlockAll(ctx),
		},
	}
}

func (r *widgetResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.service, _ = req.ProviderData.(*service) // nil before the provider is configured
}

// ImportState takes a name. Read does the rest, also for a widget that is still
// being made: that is the way back for what was begun by a process that was killed.
func (r *widgetResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("name"), req, resp)
}

// ModifyPlan lets a plan show that an operation is to be taken up: a widget that is
// not Succeeded is updated in place, whether or not its configuration has changed.
// Without a change in the plan Terraform would not call Update.
func (r *widgetResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.State.Raw.IsNull() || req.Plan.Raw.IsNull() {
		return // to be created, or destroyed
	}
	var state widgetModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	op, diags := load(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || (op == nil && state.ProvisioningState.ValueString() == succeeded) {
		return
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("provisioning_state"), types.StringUnknown())...)
	if op != nil {
		resp.Diagnostics.AddWarning(fmt.Sprintf("Widget %q: an operation goes on", state.Name.ValueString()),
			fmt.Sprintf("What was begun to %s it is not finished: %s. Apply will wait for it, and begin no other for the same.",
				op.Verb, state.ProvisioningState.ValueString()))
	}
}

// named is ctx for a widget: every line of the log has its name.
func named(ctx context.Context, m *widgetModel) context.Context {
	return tflog.SetField(ctx, "widget", m.Name.ValueString())
}

// doing says in a diagnostic what was done.
func doing(v verb, m *widgetModel) string {
	words := map[verb]string{creating: "Creating", updating: "Updating", deleting: "Deleting"}
	return fmt.Sprintf("%s widget %q", words[v], m.Name.ValueString())
}
