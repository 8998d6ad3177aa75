package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// Delete deletes a widget, or goes on with its deletion. A creation or a change
// that is under way is canceled first: nobody wants to wait for that any more.
//
// A deletion that was not followed to its end is an error, so that the widget and
// the token stay in the state for the next run.
func (r *widgetResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state widgetModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	op, diags := load(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx = named(ctx, &state)
	if op != nil && op.Verb != deleting {
		if err := r.cancel(ctx, op, &state, resp); err != nil {
			notDeleted(ctx, op.Verb, &state, err, resp)
			return
		}
		op = nil
	}
	var err error
	if op != nil {
		_, err = r.service.takeUp(ctx, op, &state, resp.Private, &resp.Diagnostics)
	} else {
		_, err = r.service.carryOut(ctx, deleting, &state, resp.Private, &resp.Diagnostics)
	}
	if err != nil && !notFound(err) {
		notDeleted(ctx, deleting, &state, err, resp)
	}
}

// notDeleted leaves the widget in the state.
func notDeleted(ctx context.Context, v verb, state *widgetModel, err error, resp *resource.DeleteResponse) {
	if word, ok := goesOn(err); ok {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("provisioning_state"), word)...)
	}
	resp.Diagnostics.Append(diagnose(doing(v, state), err))
}

// cancel gives an operation up. It fails only where the operation goes on; how it
// ends is no matter.
func (r *widgetResource) cancel(ctx context.Context, op *operation, state *widgetModel, resp *resource.DeleteResponse) error {
	p, err := r.service.resume(string(op.Token))
	if err != nil {
		return err
	}
	if err := p.Cancel(ctx); err != nil { // then it is waited for
		tflog.Warn(ctx, "the operation cannot be canceled", map[string]any{"error": err.Error()})
	}
	p.WakeUp() // Cancel leaves the waiting to the poller; the pause that the service asked for was not meant for this
	_, err = r.service.follow(ctx, op.Verb, state, p, resp.Private, &resp.Diagnostics)
	if p.Done() || isGone(err) {
		return nil
	}
	return err
}
