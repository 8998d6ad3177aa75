package lrotf

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/lro-go/lro/poller"
)

// ModifyPlan makes a plan show that Update will resume an operation. If an operation is unfinished
// or the resource is not Ready, ModifyPlan makes the status attribute unknown in the plan, so that
// Terraform calls Update even if the configuration has not changed. Computed attributes without a
// value become unknown too. A warning names an unfinished operation.
func (r *Resource[M, T]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.State.Raw.IsNull() || req.Plan.Raw.IsNull() {
		return // Terraform will create or destroy the resource
	}
	var state M
	var word types.String
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(r.status()), &word)...)
	op, diags := load(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || (op == nil && r.isReady(word.ValueString())) {
		return
	}
	raw, err := unknownIfComputed(ctx, resp.Plan)
	if err != nil {
		resp.Diagnostics.AddError("The plan cannot be completed", err.Error())
		return
	}
	resp.Plan.Raw = raw
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(r.status()), types.StringUnknown())...)
	if op != nil {
		resp.Diagnostics.AddWarning(fmt.Sprintf("An operation on %s is in progress", r.Name(&state)),
			fmt.Sprintf("The operation to %s it has not finished: %s. Apply waits for it instead of starting another.", op.Verb, word.ValueString()))
	}
}

// Update waits for any operation that an earlier run left unfinished. It then sends a request,
// unless the resource matches the plan or only the timeouts changed. After an error, the resource
// is not tainted, and at most its status attribute has changed. If an operation is still in
// progress, private state contains it, and the next apply waits for it.
func (r *Resource[M, T]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	ctx, plan, j, stop := r.start(ctx, req.Plan, req.Plan.Schema, resp.Private, &resp.Diagnostics)
	defer stop()
	var state M
	var word types.String
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(r.status()), &word)...)
	op, diags := load(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if op == nil && r.isReady(word.ValueString()) && !differs(req.Plan.Raw, req.State.Raw, timeoutsBlock) {
		raw, err := known(req.Plan.Raw, req.State.Raw)
		if err != nil {
			resp.Diagnostics.AddError("The state cannot be updated", err.Error())
			return
		}
		resp.State.Raw = raw
		return
	}
	verb, v, err := r.resumeAndUpdate(ctx, op, plan, &state, req, j)
	if err != nil {
		r.notDone(ctx, r.doing(verb, &state), err, &resp.State, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(r.Set(ctx, plan, v)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	}
}

// resumeAndUpdate resumes op, waits for its end, and then updates the resource unless the resource
// is as planned. If the resource does not exist, resumeAndUpdate creates it, or returns
// errNotVisible if the first creation may still be in progress. If op is nil, resumeAndUpdate only
// updates the resource. The returned verb belongs to the last operation.
func (r *Resource[M, T]) resumeAndUpdate(ctx context.Context, op *operation, plan, state *M, req resource.UpdateRequest, j *job) (verb, T, error) {
	if op == nil {
		return r.update(ctx, updating, plan, state, j)
	}

	v, settled, err := r.finish(ctx, op, plan, req, j)
	if notFound(err) {
		if op.Verb == creating && r.hasToken(op) {
			return creating, v, errNotVisible
		}
		return r.update(ctx, creating, plan, state, j)
	}
	if err != nil {
		return op.Verb, v, err
	}
	if op.Verb == deleting && !settled {
		return r.update(ctx, creating, plan, state, j)
	}

	// v is the current resource, whether the operation succeeded or its outcome is unknown.
	agrees, isReady := r.compare(ctx, req.Plan, v)
	if agrees && (isReady || !settled) {
		return op.Verb, v, nil
	}
	return r.update(ctx, updating, plan, state, j)
}

// errNotVisible is the error of an apply that can neither resume a creation nor find the resource.
// The apply does not start a second creation, because the first one may still be in progress.
var errNotVisible = errors.New("the creation that an earlier run started cannot be followed, and the resource does not exist, " +
	"or not yet. To create it again, for example because the first creation failed, run apply with -replace and the resource's address")

// finish resumes op and waits for it to end. If the service has lost track of op, finish follows
// the operation that the resource shows. The result settled has the same meaning as for the method
// resume.
func (r *Resource[M, T]) finish(ctx context.Context, op *operation, plan *M, req resource.UpdateRequest, j *job) (v T, settled bool, err error) {
	p, settled, err := r.resume(ctx, op, plan, j)
	if err != nil {
		return v, settled, err
	}
	tflog.Info(ctx, "resuming an operation of an earlier run", map[string]any{"verb": op.Verb})
	var isDone func(context.Context) (T, bool)
	if r.showsEnd(op, req) {
		isDone = func(ctx context.Context) (T, bool) { return r.isAsPlanned(ctx, plan, req.Plan) }
	}
	v, err = follow(ctx, j, op.Verb, p, isDone)
	if !isGone(err) {
		return v, settled, err
	}

	tokenless := &operation{Verb: op.Verb}
	p, settled, readErr := r.resume(ctx, tokenless, plan, j)
	if readErr != nil {
		return v, settled, err
	}
	v, err = follow(ctx, j, op.Verb, p, nil)
	return v, settled, err
}

// showsEnd reports whether a resource that matches the plan proves that op has ended. A match
// proves nothing if op is a deletion, or an update whose configuration has been changed back,
// because the resource may have matched even before op started.
func (r *Resource[M, T]) showsEnd(op *operation, req resource.UpdateRequest) bool {
	if op.Verb == updating {
		return differs(req.Plan.Raw, req.State.Raw, timeoutsBlock, r.status())
	}
	return op.Verb == creating
}

// isAsPlanned reads the resource, and reports whether it is Ready, matches the plan and shows no
// operation in progress.
func (r *Resource[M, T]) isAsPlanned(ctx context.Context, plan *M, planned tfsdk.Plan) (T, bool) {
	v, p, err := r.Get(ctx, plan)
	if err != nil || p != nil {
		return v, false
	}
	agrees, isReady := r.compare(ctx, planned, v)
	return v, agrees && isReady
}

// update starts the update or creation that v names, and follows it. It returns v, and either the
// resource or an error.
func (r *Resource[M, T]) update(ctx context.Context, v verb, plan, state *M, j *job) (verb, T, error) {
	p, err := begin(ctx, j, v, func(ctx context.Context) (*poller.Poller[T], error) {
		if v == creating || r.BeginUpdate == nil {
			return r.BeginCreate(ctx, plan)
		}
		return r.BeginUpdate(ctx, plan, state)
	})
	if err != nil {
		return v, *new(T), err
	}
	value, err := follow(ctx, j, v, p, nil)
	return v, value, err
}

// notDone adds err to diags and leaves the resource in the Terraform state. If the operation is
// still in progress, notDone sets the status attribute to the last known word.
func (r *Resource[M, T]) notDone(ctx context.Context, doing string, err error, state *tfsdk.State, diags *diag.Diagnostics) {
	if isUnfinished(err) {
		diags.Append(state.SetAttribute(ctx, path.Root(r.status()), lastWord(err))...)
	}
	diags.Append(diagnose(ctx, doing, err, state.Schema, "")...)
}
