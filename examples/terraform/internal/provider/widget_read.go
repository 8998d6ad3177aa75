package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// Read tells what is there. An operation of an earlier run is asked once how it is
// getting on: a plan does not wait.
func (r *widgetResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state widgetModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	op, diags := load(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	timeout, diags := state.Timeouts.Read(ctx, 5*time.Minute)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(named(ctx, &state), timeout)
	defer cancel()
	if op != nil && r.readOperation(ctx, op, &state, resp) {
		return
	}
	r.readWidget(ctx, &state, resp)
}

// readOperation asks an operation, and reports whether that tells all there is to
// know. Otherwise private state holds no operation any more.
func (r *widgetResource) readOperation(ctx context.Context, op *operation, state *widgetModel, resp *resource.ReadResponse) bool {
	p, err := r.service.resume(string(op.Token))
	if _, unfollowable := errors.AsType[*lroerrors.WaitError](err); unfollowable || errors.Is(err, lroerrors.ErrBadToken) {
		resp.Diagnostics.AddWarning("An operation cannot be followed", "The widget itself is asked. "+err.Error())
		resp.Diagnostics.Append(forget(ctx, resp.Private)...)
		return false
	}
	if err != nil { // the endpoint is another one now, for instance
		resp.Diagnostics.Append(diagnose(doing(op.Verb, state), err))
		return true
	}
	w, err := ask(ctx, p)
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok { // the service will not tell, or does not know it
		resp.Diagnostics.Append(warning(diagnose(doing(op.Verb, state), wait)))
		if isGone(err) {
			resp.Diagnostics.Append(forget(ctx, resp.Private)...)
			return false
		}
	}
	switch {
	case !hasEnded(err):
		// What the state says of the widget stays: it was asked for, and is not there
		// yet. A 404 of the widget would say nothing now.
		state.ProvisioningState = types.StringValue(cmp.Or(p.Status().Word, string(p.Status().State)))
		resp.Diagnostics.Append(keep(ctx, resp.Private, op.Verb, p)...)
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
		return true
	case err != nil:
		resp.Diagnostics.Append(warning(diagnose(doing(op.Verb, state), err)))
	case op.Verb != deleting:
		state.set(w)
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	}
	resp.Diagnostics.Append(forget(ctx, resp.Private)...)
	return err == nil && op.Verb != deleting
}

// ask reads the status of an operation once. ErrNotDone means that it is still in
// progress. If it has ended, ask waits for the result, because the service may answer
// 404 for a while after it has created something.
func ask(ctx context.Context, p *poller.Poller[widget]) (*widget, error) {
	status, err := p.Poll(ctx)
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		return nil, wait
	}
	progress(ctx, status)
	if !p.Done() {
		return nil, lroerrors.ErrNotDone
	}
	w, err := p.PollUntilDone(ctx)
	return &w, err
}

// readWidget reads the widget itself.
func (r *widgetResource) readWidget(ctx context.Context, state *widgetModel, resp *resource.ReadResponse) {
	w, p, err := r.service.get(ctx, state.Name.ValueString())
	if notFound(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose(fmt.Sprintf("Reading widget %q", state.Name.ValueString()), err))
		return
	}
	if p != nil && w.Properties.ProvisioningState != "Deleting" {
		// Begun by a process that was killed, or by somebody else: it is followed as
		// if it were ours.
		v := updating
		if state.ID.IsNull() { // imported
			v = creating
		}
		resp.Diagnostics.Append(keep(ctx, resp.Private, v, p)...)
	}
	state.set(w)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}
