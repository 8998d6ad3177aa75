package provider

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// A verb is what an operation does to a widget, and names its timeout.
type verb string

const (
	creating verb = "create"
	updating verb = "update"
	deleting verb = "delete"
)

// An operation is one that was begun and has not been followed to its end. It is
// in the resource's private state, which a plan does not show and a configuration
// cannot read; it is in the state file all the same, and the URLs of a token may be
// signed: who protects the one protects the other.
type operation struct {
	Verb  verb            `json:"verb"`
	Token json.RawMessage `json:"token"` // of the poller: JSON, as private state has to be
}

// operationKey is where private state has the operation.
const operationKey = "operation"

// private is what the framework gives of private state: to Read, ModifyPlan, Update
// and Delete to read and to write, to Create to write.
type private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// load returns the operation that an earlier run has left; nil if there is none.
func load(ctx context.Context, from private) (*operation, diag.Diagnostics) {
	b, diags := from.GetKey(ctx, operationKey)
	if len(b) == 0 || diags.HasError() {
		return nil, diags
	}
	var op operation
	if err := json.Unmarshal(b, &op); err != nil {
		diags.AddError("Private state is damaged", fmt.Sprintf("What it holds under %q is no operation: %v.", operationKey, err))
		return nil, diags
	}
	return &op, diags
}

// resumable is a poller, or a *lroerrors.WaitError where there is none.
type resumable interface {
	ResumeToken() (string, error)
}

// keep stores an operation for the next run.
func keep(ctx context.Context, in private, v verb, from resumable) diag.Diagnostics {
	token, err := from.ResumeToken()
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("The operation cannot be kept", err.Error())}
	}
	b, err := json.Marshal(operation{v, json.RawMessage(token)})
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("The operation cannot be kept", err.Error())}
	}
	return in.SetKey(ctx, operationKey, b)
}

// forget removes an operation that has ended.
func forget(ctx context.Context, from private) diag.Diagnostics {
	return from.SetKey(ctx, operationKey, nil)
}
