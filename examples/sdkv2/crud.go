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
	d.SetId(idOf(d)) // before the wait, so that Terraform stores the widget even if the wait fails
	return wait(ctx, d, creating, p, err)
}

// readWidget refreshes the state without waiting. It reads the status of an unfinished operation if
// a read is due. It reads the widget itself if there is no such operation, or if the operation has
// ended or cannot be followed.
func readWidget(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c := meta.(*Client)
	op := stored(d)
	if op == nil {
		return c.refresh(ctx, d, nil)
	}
	step, err := poller.Advance[widget](ctx, op.Token, c.Doer, c.Options)
	store(d, op.Verb, step.Token, step.Status.Word) // even after a failed read, which the new token records
	switch poller.Classify(err) {
	case poller.Ended: // the operation failed; the next plan shows what it left behind
		return append(warning(err), c.refresh(ctx, d, nil)...)
	case poller.Stuck: // for example, because the endpoint has changed
		return append(warning(err), c.refresh(ctx, d, op)...)
	case poller.Later:
		return warning(err)
	}
	if step.Done {
		return c.refresh(ctx, d, nil)
	}
	if errors.Is(step.Status.ReadErr, lroerrors.ErrNotFound) { // the status has expired, or is not visible yet
		return c.refresh(ctx, d, op)
	}
	return nil
}

// updateWidget first waits for the operation, if any, that an earlier run left unfinished. It sends
// a request only if the widget then differs from the configuration.
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
			return wait(ctx, d, updating, p, err) // a failed update does not taint the widget
		}
		if err == nil && w.Properties.Size == d.Get("size") {
			return show(d, w)
		}
	}
	p, err := c.start(ctx, http.MethodPut, d)
	return wait(ctx, d, updating, p, err)
}

// deleteWidget resumes the deletion that an earlier run left unfinished, or starts one. The service
// lets a DELETE supersede any other operation on the widget.
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

// refresh reads the widget into the state. If the widget does not exist and op is nil, it removes
// the widget from the state.
//
// If op is not nil, an operation may be in progress, and the widget may not be visible yet.
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
	if !p.Done() { // another client may have started an operation
		return keep(d, updating, p, p.Status().Word)
	}
	forget(d)
	w, err := p.Result(ctx)
	if err != nil { // the widget shows that its last operation failed
		return diag.FromErr(d.Set("provisioning_state", p.Status().Word))
	}
	return show(d, w)
}
