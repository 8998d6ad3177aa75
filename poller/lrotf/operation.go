package lrotf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// A verb names a kind of operation in private state, the log and diagnostics.
type verb string

const (
	creating verb = "create"
	updating verb = "update"
	deleting verb = "delete"
)

// An operation is a long-running operation that an earlier run started and the next run must
// resume.
type operation struct {
	Verb  verb            `json:"verb"`
	Token json.RawMessage `json:"token,omitempty"` // absent if there is no token, for example with poller.Watch

	LastRead time.Time `json:"lastRead,omitzero"` // when the status was last read without an error
}

// key is the operation's key in private state. The value is JSON.
const key = "lro"

// private is the part of the framework's private state that this package uses. It is an interface
// because the framework's own type is in an internal package.
type private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// load returns the operation that an earlier run left unfinished, or nil.
func load(ctx context.Context, from private) (*operation, diag.Diagnostics) {
	b, diags := from.GetKey(ctx, key)
	if len(b) == 0 || diags.HasError() {
		return nil, diags
	}
	var op operation
	if err := json.Unmarshal(b, &op); err != nil {
		diags.AddError("Private state is damaged", fmt.Sprintf("The value of %q is not an operation: %v.", key, err))
		return nil, diags
	}
	return &op, diags
}

// resumable is a Poller or a *lroerrors.WaitError.
type resumable interface {
	ResumeToken() (string, error)
}

// keep stores an operation in private state for the next run, with the time its status was last
// read. Without a token, the next run reads the resource. keep returns only warnings, because
// Terraform would lose the operation after an error.
func keep(ctx context.Context, in private, v verb, from resumable, lastRead time.Time) diag.Diagnostics {
	op := operation{Verb: v, LastRead: lastRead}
	var diags diag.Diagnostics
	token, err := from.ResumeToken()
	if err == nil {
		op.Token = json.RawMessage(token)
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) { // a Watch has no token
		diags.AddWarning("The operation has no resume token", err.Error()+"\n\nThe next run reads the resource instead.")
	}
	diags.Append(store(ctx, in, op)...)
	return diags
}

// store writes an operation to private state.
func store(ctx context.Context, in private, op operation) diag.Diagnostics {
	var diags diag.Diagnostics
	b, err := json.Marshal(op)
	if err != nil {
		diags.AddWarning("The operation cannot be stored", err.Error())
		return diags
	}
	return in.SetKey(ctx, key, b)
}

// forget removes the operation from private state.
func forget(ctx context.Context, from private) diag.Diagnostics {
	return from.SetKey(ctx, key, nil)
}
