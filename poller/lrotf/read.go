package lrotf

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/lro-go/lro/poller"
)

// readTime is the timeout of Read if the timeouts block does not set one.
const readTime = 5 * time.Minute

// Read refreshes the state. If an earlier run left an operation unfinished, Read calls
// poller.Advance, which reads the status at most once and does not wait. If the operation
// succeeded, its result becomes the state. If the operation failed, its error becomes a warning. If
// no run has read a creation's status for 12 hours, and Read does not find the status, a Ready
// resource means that the creation succeeded.
//
// Read reads the resource itself if there is no operation, or if the operation has no usable token,
// ended without a result, or is no longer known to the service. If the resource does not exist,
// Read removes it from the state, unless its creation may still be in progress. If Read finds an
// operation, other than a deletion, that another client started, the next apply waits for that
// operation too.
func (r *Resource[M, T]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	ctx, state, j, stop := r.start(ctx, req.State, req.State.Schema, resp.Private, &resp.Diagnostics)
	defer stop()
	op, diags := load(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	timeout, diags := j.timeouts.Read(ctx, readTime)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	if op == nil || !r.hasToken(op) {
		r.readResource(ctx, op, state, resp)
		return
	}
	client, opts := r.Client()
	step, err := poller.Advance[T](ctx, string(op.Token), client, opts)
	if isUnusable(err) {
		j.warnUnusable(err)
		r.readResource(ctx, op, state, resp)
		return
	}
	if !hasEnded(err) && !isUnfinished(err) { // an unrelated error, such as an invalid option
		resp.Diagnostics.Append(diagnose(ctx, r.doing(op.Verb, state), err, req.State.Schema, "")...)
		return
	}
	progress(ctx, step.Status)
	isRead := step.Token != string(op.Token)
	if isRead && step.Status.ReadErr == nil {
		op.LastRead = time.Now()
	}
	if op.Verb == creating && isForgotten(step.Status, op.LastRead) && r.setReady(ctx, state, resp) {
		return
	}
	if !r.setStep(ctx, op, step, err, state, resp) {
		resp.Diagnostics.Append(forget(ctx, resp.Private)...)
		r.readResource(ctx, nil, state, resp)
	}
}

// setStep stores the outcome of Advance in the state and returns true. If the operation ended
// without a result, or the service no longer knows it, setStep returns false. The caller must then
// forget the operation and read the resource.
func (r *Resource[M, T]) setStep(ctx context.Context, op *operation, step poller.Step[T], err error, state *M, resp *resource.ReadResponse) bool {
	if err != nil && !unread(err) {
		resp.Diagnostics.Append(warnings(diagnose(ctx, r.doing(op.Verb, state), err, resp.State.Schema, ""))...)
	}
	isPending := err == nil && !step.Done
	isResumable := isUnfinished(err) && !isGone(err)
	if isPending || isResumable {
		// Keep the other attributes until the operation ends, because the resource might not show
		// the requested values yet.
		resp.Diagnostics.Append(store(ctx, resp.Private, operation{Verb: op.Verb, Token: json.RawMessage(step.Token), LastRead: op.LastRead})...)
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(r.status()), wordOf(step.Status))...)
		return true
	}

	if err != nil || op.Verb == deleting {
		return false
	}
	resp.Diagnostics.Append(forget(ctx, resp.Private)...)
	r.setRead(ctx, state, step.Result, resp)
	return true
}

// setReady reads a resource whose creation may have ended. If the resource is Ready and shows no
// operation in progress, setReady stores it and returns true.
func (r *Resource[M, T]) setReady(ctx context.Context, state *M, resp *resource.ReadResponse) bool {
	v, p, err := r.Get(ctx, state)
	if err != nil || p != nil {
		return false
	}
	shown, word, ok := r.show(ctx, resp.State, v)
	if !ok || !r.isReady(word) {
		return false
	}
	resp.Diagnostics.Append(forget(ctx, resp.Private)...)
	resp.State = shown
	return true
}

// readResource reads the resource and updates the state. op is an unfinished operation without a
// usable token, or nil.
func (r *Resource[M, T]) readResource(ctx context.Context, op *operation, state *M, resp *resource.ReadResponse) {
	v, p, err := r.Get(ctx, state)
	if notFound(err) {
		if op != nil && op.Verb == creating {
			// The resource might not be visible yet. If Read removed it from the state, the next
			// apply would create it again.
			tflog.Warn(ctx, "the resource does not exist yet")
			return
		}
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose(ctx, "Reading "+r.Name(state), err, resp.State.Schema, "")...)
		return
	}
	resp.Diagnostics.Append(r.keepFound(ctx, op, p, resp)...)
	r.setRead(ctx, state, v, resp)
}

// keepFound removes the stored operation if p is nil. Otherwise, it stores the operation that p
// follows, unless that is another client's deletion. op is the unfinished operation of an earlier
// run, or nil.
func (r *Resource[M, T]) keepFound(ctx context.Context, op *operation, p *poller.Poller[T], resp *resource.ReadResponse) diag.Diagnostics {
	if p == nil {
		return forget(ctx, resp.Private)
	}
	if op != nil {
		return keep(ctx, resp.Private, op.Verb, p, time.Now())
	}
	if strings.EqualFold(p.Status().Word, "Deleting") {
		return nil // Delete requests the deletion again
	}
	return keep(ctx, resp.Private, r.foreignVerb(ctx, resp), p, time.Now())
}

// foreignVerb returns the verb for an operation that another client started. If the state has no
// status, as after an import, the operation may be the creation.
func (r *Resource[M, T]) foreignVerb(ctx context.Context, resp *resource.ReadResponse) verb {
	var word *string
	if resp.State.GetAttribute(ctx, path.Root(r.status()), &word).HasError() || word != nil {
		return updating
	}
	return creating
}

func (r *Resource[M, T]) setRead(ctx context.Context, state *M, v T, resp *resource.ReadResponse) {
	resp.Diagnostics.Append(r.Set(ctx, state, v)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	}
}
