package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// Update takes up what an earlier run has begun, if anything, and then asks for
// what is still to be changed, if anything. So the widget that was created, or
// changed, while nobody waited for it costs no second request.
//
// Here an error leaves no mark: what is not finished may be one, and goes on with
// the next apply.
func (r *widgetResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state widgetModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	op, diags := load(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx = named(ctx, &plan)

	there, done := state.there(), state.ProvisioningState.ValueString() == succeeded
	if op != nil {
		var err error
		if there, err = r.service.takeUp(ctx, op, &plan, resp.Private, &resp.Diagnostics); err != nil {
			r.notUpdated(ctx, op.Verb, &state, err, resp)
			return
		}
		done = op.Verb != deleting
	}
	if !done || there.Properties.Size != plan.Size.ValueInt64() {
		var err error
		if there, err = r.service.carryOut(ctx, updating, &plan, resp.Private, &resp.Diagnostics); err != nil {
			r.notUpdated(ctx, updating, &state, err, resp)
			return
		}
	}
	plan.set(there)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// notUpdated returns the state as it was: the next plan shows the change again.
func (r *widgetResource) notUpdated(ctx context.Context, v verb, state *widgetModel, err error, resp *resource.UpdateResponse) {
	if word, ok := goesOn(err); ok {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("provisioning_state"), word)...)
	}
	resp.Diagnostics.Append(diagnose(doing(v, state), err))
}
