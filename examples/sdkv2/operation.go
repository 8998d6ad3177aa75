package sdkv2

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

const (
	creating = "create"
	updating = "update"
	deleting = "delete"
)

// An operation is a long-running operation whose outcome the provider has not seen yet. The
// attribute "operation" holds the operation as JSON.
type operation struct {
	Verb  string `json:"verb"`
	Token string `json:"token"`
}

// stored returns the operation in the state, or nil if the state has no operation.
func stored(d *schema.ResourceData) *operation {
	var op operation
	old, _ := d.GetChange("operation") // use the old value, because the new one is unknown in an update
	err := json.Unmarshal([]byte(old.(string)), &op)
	if err != nil {
		return nil
	}
	return &op
}

// store writes an operation to the state. It also writes the service's word for the status to
// provisioning_state, unless the word is empty.
func store(d *schema.ResourceData, verb, token, word string) {
	b, _ := json.Marshal(operation{verb, token}) // cannot fail
	_ = d.Set("operation", string(b))            // Set fails only if the value has the wrong type
	if word != "" {
		_ = d.Set("provisioning_state", word)
	}
}

func forget(d *schema.ResourceData) { _ = d.Set("operation", "") }

// keep stores an operation whose token comes from a Poller or a *lroerrors.WaitError.
func keep(d *schema.ResourceData, verb string, from interface{ ResumeToken() (string, error) }, word string) diag.Diagnostics {
	token, err := from.ResumeToken()
	if err != nil {
		return warning(err) // without a token, the next run reads the widget
	}
	store(d, verb, token, word)
	return nil
}

// resume returns a Poller for an operation that an earlier run left unfinished. If the token cannot
// be used, resume reads the widget, and the Poller follows any operation in progress on it.
func (c *Client) resume(ctx context.Context, op *operation, d *schema.ResourceData) (*poller.Poller[widget], error) {
	p, err := poller.Resume[widget](op.Token, c.Doer, c.Options)
	if poller.Classify(err) == poller.Stuck {
		return c.get(ctx, d)
	}
	return p, err
}

// wait waits for an operation and stores the outcome, or the token if the operation has not ended.
// If err is not nil, the request or an earlier wait has failed, and wait only handles that error.
//
// For a creation, wait returns an error only if the operation failed. It turns any other error into
// a warning, because an error would taint the widget, and the next apply would destroy it.
func wait(ctx context.Context, d *schema.ResourceData, verb string, p *poller.Poller[widget], err error) diag.Diagnostics {
	var w widget
	if err == nil {
		w, err = p.PollUntilDone(ctx)
	}
	if err == nil {
		forget(d)
		return show(d, w)
	}

	forget(d)
	var diags diag.Diagnostics
	unfinished, ok := errors.AsType[*lroerrors.WaitError](err)
	if ok {
		diags = keep(d, verb, unfinished, unfinished.Word)
	}
	_, failed := errors.AsType[*lroerrors.OperationError](err)
	if verb == creating && !failed {
		return append(diags, warning(err)...)
	}
	return append(diags, diag.FromErr(err)...)
}

func show(d *schema.ResourceData, w widget) diag.Diagnostics {
	forget(d)
	err := d.Set("size", w.Properties.Size)
	if err != nil {
		return diag.FromErr(err)
	}
	return diag.FromErr(d.Set("provisioning_state", w.Properties.ProvisioningState))
}

func warning(err error) diag.Diagnostics {
	return diag.Diagnostics{{Severity: diag.Warning, Summary: "The operation has not been followed to its end", Detail: err.Error()}}
}
