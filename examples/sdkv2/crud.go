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
	d.SetId(idOf(d)) // before the wait, so that Terraform stores the widget whatever happens
	return wait(ctx, d, creating, p, err)
}

// readWidget reads the status of an operation that an earlier run left unfinished, if that is due, and
// never waits. Once the operation has ended, cannot be followed or has lost its status, the widget
// itself shows what happened.
func readWidget(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c := meta.(*Client)
	op := stored(d)
	if op == nil {
		return c.refresh(ctx, d, nil)
	}
	step, err := poller.Advance[widget](ctx, op.Token, c.Doer, c.Options)
	store(d, op.Verb, step.Token, step.Status.Word) // also after a failed read, which the new token counts
	switch poller.Classify(err) {
	case poller.Ended: // it failed; the next plan shows what it left behind
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

// updateWidget waits for the operation that an earlier run left unfinished. It sends a request only if
// the widget then differs from the configuration.
func updateWidget(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c := meta.(*Client)
	op := stored(d)
	if op != nil {
		p, err := c.resume(ctx, op, d)
		if err != nil {
			return diag.FromErr(err) // the token stays in the state
		}
		w, err := p.PollUntilDone(ctx)
		switch poller.Classify(err) {
		case poller.Later, poller.Stuck:
			return wait(ctx, d, updating, p, err) // an update is not tainted by an error
		}
		if err == nil && w.Properties.Size == d.Get("size") {
			return show(d, w)
		}
	}
	p, err := c.start(ctx, http.MethodPut, d)
	return wait(ctx, d, updating, p, err)
}

// deleteWidget resumes a deletion of an earlier run, or starts one. A DELETE supersedes any other
// operation on the widget.
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

// refresh makes the state show the widget. op is an operation that may still be in progress, or nil.
// As long as there is one, a widget that is not found stays in the state, because it may not be
// visible yet, and creating it again would be wrong.
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
	if !p.Done() { // perhaps another client has started an operation
		return keep(d, updating, p, p.Status().Word)
	}
	forget(d)
	w, err := p.Result(ctx)
	if err != nil { // the widget says that its last operation failed
		return diag.FromErr(d.Set("provisioning_state", p.Status().Word))
	}
	return show(d, w)
}
