package sdkv2

import (
	"context"
	"errors"
	"net/http"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

func createWidget(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c := meta.(*Client)
	p, err := c.start(ctx, http.MethodPut, d)
	if err != nil && !poller.MayHaveStarted(err) {
		return diag.FromErr(err)
	}
	d.SetId(idOf(d)) // set the ID before the wait, so that Terraform stores the widget even if the wait fails
	return wait(ctx, d, creating, p, err)
}

// readWidget refreshes the state without waiting. It reads the status of an unfinished operation if
// a read is due. It reads the widget itself if the state holds no operation, or if the operation
// has ended, cannot be followed or is not found.
func readWidget(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c := meta.(*Client)
	op := stored(d)
	if op == nil {
		return c.refresh(ctx, d, nil)
	}
	step, err := poller.Advance[widget](ctx, op.Token, c.Doer, c.Options)
	store(d, op.Verb, step.Token, step.Status.Word) // store the new token even after a failed read, because the token counts failed reads
	switch poller.Classify(err) {
	case poller.Ended: // the operation failed, or its result is unreadable; the next plan shows what the operation left behind
		return append(warning(err), c.refresh(ctx, d, nil)...)
	case poller.Stuck: // the operation cannot be followed, for example because the endpoint has changed
		return append(warning(err), c.refresh(ctx, d, op)...)
	case poller.Later:
		return warning(err)
	}
	if step.Done {
		return c.refresh(ctx, d, nil)
	}
	if errors.Is(step.Status.ReadErr, lroerrors.ErrNotFound) { // the status has expired or is not visible yet
		return c.refresh(ctx, d, op)
	}
	return nil
}

// updateWidget first waits for any operation that an earlier run left unfinished. If the operation
// succeeds and the widget then matches the configuration, updateWidget sends no PUT.
func updateWidget(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c := meta.(*Client)
	op := stored(d)
	if op != nil {
		p, err := c.resume(ctx, op, d)
		if err != nil {
			return diag.FromErr(err) // the token remains in the state
		}
		w, err := p.PollUntilDone(ctx)
		switch poller.Classify(err) {
		case poller.Later, poller.Stuck:
			return wait(ctx, d, updating, p, err) // an error is fine here, because a failed update does not taint the widget
		}
		if err == nil && w.Properties.Size == d.Get("size") {
			return show(d, w)
		}
	}
	p, err := c.start(ctx, http.MethodPut, d)
	return wait(ctx, d, updating, p, err)
}

// deleteWidget resumes a deletion that an earlier run left unfinished, or starts a new one. It does
// not wait for any other operation, because the service lets a DELETE supersede it.
func deleteWidget(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c := meta.(*Client)
	op := stored(d)
	if op != nil && op.Verb == deleting {
		p, err := poller.Resume[widget](op.Token, c.Doer, c.Options)
		if err == nil {
			return wait(ctx, d, deleting, p, nil)
		}
	}
	p, err := c.start(ctx, http.MethodDelete, d)
	if errors.Is(err, lroerrors.ErrNotFound) {
		return nil
	}
	return wait(ctx, d, deleting, p, err)
}

// refresh reads the widget into the state. If the widget does not exist and op is nil, refresh
// removes the widget from the state.
//
// If the widget does not exist but op is not nil, refresh keeps the widget in the state, because
// the operation may still be creating it.
func (c *Client) refresh(ctx context.Context, d *schema.ResourceData, op *operation) diag.Diagnostics {
	p, err := c.get(ctx, d)
	if errors.Is(err, lroerrors.ErrNotFound) {
		if op == nil {
			d.SetId("")
		}
		return nil
	}
	if err != nil {
		return diag.FromErr(err)
	}
	if !p.Done() { // an operation is in progress, perhaps started by another client
		return keep(d, updating, p, p.Status().Word)
	}
	forget(d)
	w, err := p.Result(ctx)
	if err != nil { // the widget shows that its last operation failed
		return diag.FromErr(d.Set("provisioning_state", p.Status().Word))
	}
	return show(d, w)
}
