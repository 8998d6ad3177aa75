package lrotf

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/lro-go/lro/poller"
)

// Delete deletes the resource and waits until it is gone, or resumes a deletion that an earlier run
// left unfinished. If a creation or an update is in progress, Delete first cancels that operation,
// or waits for it if the service cannot cancel it. If the earlier run left a deletion without a
// token, Delete requests the deletion again.
//
// After an error, the resource stays in the state. If an operation is still in progress, private
// state contains it, and the next destroy resumes it.
func (r *Resource[M, T]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	ctx, state, j, stop := r.start(ctx, req.State, req.State.Schema, resp.Private, &resp.Diagnostics)
	defer stop()
	op, diags := load(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if op != nil && op.Verb != deleting {
		if err := r.cancel(ctx, op, state, j); err != nil {
			r.notDone(ctx, r.doing(op.Verb, state), err, &resp.State, &resp.Diagnostics)
			return
		}
		op = nil
	}
	err := r.remove(ctx, op, state, j)
	if err != nil && !notFound(err) && !unread(err) { // after a ResultError, the deletion has succeeded
		r.notDone(ctx, r.doing(deleting, state), err, &resp.State, &resp.Diagnostics)
	}
}

// remove deletes the resource and waits until it is gone. op is a deletion left unfinished by an
// earlier run, or nil.
func (r *Resource[M, T]) remove(ctx context.Context, op *operation, state *M, j *job) error {
	p, err := r.deletion(ctx, op, state, j)
	if err != nil {
		return err
	}
	_, err = follow(ctx, j, deleting, p, nil)
	return err
}

// deletion returns a Poller for op or, if op is nil or has no usable token, for a new deletion.
func (r *Resource[M, T]) deletion(ctx context.Context, op *operation, state *M, j *job) (*poller.Poller[T], error) {
	if op != nil {
		p, err := r.fromToken(op, j)
		if p != nil || err != nil {
			return p, err
		}
	}
	return begin(ctx, j, deleting, func(ctx context.Context) (*poller.Poller[T], error) { return r.BeginDelete(ctx, state) })
}

// cancel cancels an operation and waits for it to end. It returns an error only if the operation
// may still be in progress.
func (r *Resource[M, T]) cancel(ctx context.Context, op *operation, state *M, j *job) error {
	p, _, err := r.resume(ctx, op, state, j)
	if notFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := p.Cancel(ctx); err != nil { // wait for the operation instead
		tflog.Warn(ctx, "the operation cannot be canceled", map[string]any{"error": err.Error()})
	}
	p.WakeUp() // the current pause is from before the cancellation, so it no longer applies
	_, err = follow(ctx, j, op.Verb, p, nil)
	if p.Done() || isGone(err) {
		return nil
	}
	return err
}
