package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	lroerrors "github.com/lro-go/lro/errors"
)

// Create creates a widget.
//
// A creation that was not followed to its end is returned as a state and a WARNING.
// With an error Terraform would mark the resource as tainted, and the next apply
// would destroy it and begin again, whatever the provider does: no Read and no plan
// removes that mark. Only a creation that has failed is worth it.
func (r *widgetResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan widgetModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx = named(ctx, &plan)
	if !r.isFree(ctx, &plan, resp) {
		return
	}
	w, err := r.service.carryOut(ctx, creating, &plan, resp.Private, &resp.Diagnostics)
	word, unfinished := goesOn(err)
	ending, ended := errors.AsType[*lroerrors.OperationError](err)
	switch {
	case err == nil:
		plan.set(w)
	case unfinished:
		plan.pending(word)
		resp.Diagnostics.Append(warning(diagnose(doing(creating, &plan), err)))
	case ended:
		plan.pending(ending.State) // what it has left is there, and must go first
		resp.Diagnostics.Append(diagnose(doing(creating, &plan), err))
	default: // nothing was begun
		resp.Diagnostics.Append(diagnose(doing(creating, &plan), err))
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// isFree reports whether nobody has the name yet. A PUT would take over a widget of
// somebody else, or of a process that was killed before it could return a state.
func (r *widgetResource) isFree(ctx context.Context, plan *widgetModel, resp *resource.CreateResponse) bool {
	name := plan.Name.ValueString()
	there, _, err := r.service.get(ctx, name)
	switch {
	case notFound(err):
		return true
	case err != nil:
		resp.Diagnostics.Append(diagnose(fmt.Sprintf("Reading widget %q", name), err))
	default:
		resp.Diagnostics.AddError(fmt.Sprintf("Widget %q exists already", name),
			fmt.Sprintf("It is %s. If it is yours, import it:\n\n  tofu import ADDRESS %s\n\nAn operation that goes on is taken up then.",
				there.Properties.ProvisioningState, name))
	}
	return false
}
