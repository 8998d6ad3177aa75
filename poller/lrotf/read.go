package lrotf

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// readTime is the timeout for Read if the timeouts block does not set one.
const readTime = 5 * time.Minute

// Read refreshes the state. If an earlier run left an operation unfinished, Read reads the status
// of the operation once, because a plan does not wait. If the operation has succeeded, its result
// becomes the state; if it has failed, its error becomes a warning. If Read gets no result and
// finds no operation in progress, it reads the resource, and removes it from the state if it does
// not exist. While an operation is in progress, a 404 for the resource does not remove it from the
// state. If Read finds an operation that another client started, the next apply waits for that
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

	if op == nil {
		r.readResource(ctx, nil, state, resp)
		return
	}
	p, err := r.fromToken(op, j)
	if err != nil { // for example, because the endpoint has changed
		resp.Diagnostics.Append(diagnose(ctx, r.doing(op.Verb, state), err, req.State.Schema, "")...)
		return
	}
	if p == nil {
		r.readResource(ctx, op, state, resp)
		return
	}
	if !r.readOperation(ctx, p, op.Verb, state, resp) {
		resp.Diagnostics.Append(forget(ctx, resp.Private)...)
		r.readResource(ctx, nil, state, resp)
	}
}

// readOperation reads the status of an operation, and its result if it has ended, and reports
// whether it has updated the state. If it has not, the caller must read the resource and can forget
// the operation.
func (r *Resource[M, T]) readOperation(ctx context.Context, p *poller.Poller[T], verb verb, state *M, resp *resource.ReadResponse) bool {
	v, err := ask(ctx, p)
	_, stopped := errors.AsType[*lroerrors.WaitError](err)
	_, failed := errors.AsType[*lroerrors.OperationError](err)
	if stopped || failed {
		resp.Diagnostics.Append(warnings(diagnose(ctx, r.doing(verb, state), err, resp.State.Schema, ""))...)
	}
	if failed || isGone(err) {
		return false
	}

	if err != nil {
		// The operation is in progress, or its result cannot be read yet. Keep the other
		// attributes, because they are what the earlier run requested, and the resource may not
		// show them yet.
		resp.Diagnostics.Append(keep(ctx, resp.Private, verb, p)...)
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(r.status()), wordOf(p.Status()))...)
		return true
	}

	if verb == deleting {
		return false
	}
	resp.Diagnostics.Append(forget(ctx, resp.Private)...)
	r.setRead(ctx, state, v, resp)
	return true
}

// ask reads the status of an operation once. It returns ErrNotDone if the operation is still in
// progress. If the operation has ended, ask waits until the result can be read, because some
// services respond with 404 for a while after a creation.
func ask[T any](ctx context.Context, p *poller.Poller[T]) (T, error) {
	status, err := p.Poll(ctx)
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		return *new(T), wait
	}
	progress(ctx, status)
	if !p.Done() {
		return *new(T), lroerrors.ErrNotDone
	}
	return p.PollUntilDone(ctx)
}

// readResource reads the resource. op is the unfinished operation if it has no usable token, and
// nil otherwise.
func (r *Resource[M, T]) readResource(ctx context.Context, op *operation, state *M, resp *resource.ReadResponse) {
	v, p, err := r.Get(ctx, state)
	if notFound(err) {
		if op != nil && op.Verb == creating {
			// The resource may not be visible yet, and without a token there is nothing else to
			// read. If Read removed it from the state, the next apply would create it a second
			// time.
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

// keepFound stores the operation that p follows, which a read of the resource has found. p is nil
// if no operation is in progress.
func (r *Resource[M, T]) keepFound(ctx context.Context, op *operation, p *poller.Poller[T], resp *resource.ReadResponse) diag.Diagnostics {
	if p == nil {
		return forget(ctx, resp.Private)
	}
	if op != nil {
		return keep(ctx, resp.Private, op.Verb, p)
	}
	if strings.EqualFold(p.Status().Word, "Deleting") {
		return nil // Delete requests the deletion again
	}
	return keep(ctx, resp.Private, r.foreign(ctx, resp), p)
}

// foreign returns the verb to store for an operation that another client started. If the state has
// no status, as after an import, the operation may be the creation, so the verb is creating.
// Otherwise, the verb is updating.
func (r *Resource[M, T]) foreign(ctx context.Context, resp *resource.ReadResponse) verb {
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
