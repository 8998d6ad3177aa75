package lrotf

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// Create creates the resource and waits until the operation ends. If the resource already exists,
// Create returns an error and sends no request to create it. A PUT would take over a resource that
// another client created, or that an earlier process created before it was killed.
//
// If a creation returns both an error and a state, Terraform marks the resource as tainted, and the
// next apply destroys it and creates it again. Neither Read nor ModifyPlan can remove the mark.
// Create therefore returns:
//
//   - a state and a warning if the wait ends before the operation does, for example because of
//     Ctrl-C, SIGTERM or a timeout, or if the result cannot be read. The state contains the known
//     attributes, with null for the unknown ones. Private state contains the operation, and the
//     next plan shows an update.
//   - a state and an error if the operation failed or was canceled, so that Terraform deletes what
//     the operation left behind and creates the resource again.
//   - an error without a state if the service did not accept the request.
//
// After a warning, Terraform continues with the resources that depend on this one. After Ctrl-C,
// Terraform starts nothing new anyway, but after a timeout it would use an unfinished resource. To
// prevent that, add a postcondition to the configuration. Terraform checks a postcondition after it
// has written the state, so a failed postcondition does not taint the resource:
//
//	lifecycle {
//	  postcondition {
//	    condition     = self.provisioning_state == "Succeeded"
//	    error_message = "It is not finished; apply again."
//	  }
//	}
//
// If the service may have accepted the request but did not confirm it, Create reads the resource.
// If the resource matches the plan, Create waits for its creation.
func (r *Resource[M, T]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	ctx, plan, j, stop := r.start(ctx, req.Plan, req.Plan.Schema, resp.Private, &resp.Diagnostics)
	defer stop()
	if resp.Diagnostics.HasError() || !r.isFree(ctx, plan, req, resp) {
		return
	}

	v, err := r.create(ctx, req, plan, j)
	if err == nil {
		r.setCreated(ctx, plan, v, resp)
		return
	}

	doing := r.doing(creating, plan)
	if isUnfinished(err) {
		resp.Diagnostics.Append(warnings(diagnose(ctx, doing, err, req.Plan.Schema, taintAvoided))...)
		r.setPartial(ctx, plan, lastWord(err), resp)
		return
	}
	if ending, ok := errors.AsType[*lroerrors.OperationError](err); ok {
		resp.Diagnostics.Append(diagnose(ctx, doing, err, req.Plan.Schema, tainted)...)
		r.setPartial(ctx, plan, string(ending.State), resp)
		return
	}
	resp.Diagnostics.Append(diagnose(ctx, doing, err, req.Plan.Schema, "")...) // the service rejected the request or did not respond
}

const (
	taintAvoided = "This is a warning because Terraform replaces a resource whose creation returns an error."
	tainted      = "Terraform marks the resource as tainted: the next apply destroys what the operation left behind and creates it again."
)

// create starts the creation and follows it. If BeginCreate fails but may have started the
// creation, create looks for it.
func (r *Resource[M, T]) create(ctx context.Context, req resource.CreateRequest, plan *M, j *job) (T, error) {
	p, err := begin(ctx, j, creating, func(ctx context.Context) (*poller.Poller[T], error) { return r.BeginCreate(ctx, plan) })
	if err == nil {
		return follow(ctx, j, creating, p, nil)
	}
	if isUnfinished(err) || !poller.MayHaveStarted(err) {
		return *new(T), err
	}

	found := r.findUnanswered(ctx, req, plan)
	if found == nil {
		return *new(T), err
	}
	return follow(ctx, j, creating, found, nil)
}

// findUnanswered returns a Poller for a creation that BeginCreate may have started although it
// returned an error, or nil if the resource cannot be read or does not match the plan. The name was
// free before the request, so a matching resource comes from that request.
func (r *Resource[M, T]) findUnanswered(ctx context.Context, req resource.CreateRequest, plan *M) *poller.Poller[T] {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTime)
	defer cancel()
	v, p, err := r.Get(ctx, plan)
	if err != nil {
		return nil
	}
	if agrees, _ := r.compare(ctx, req.Plan, v); !agrees {
		return nil
	}
	if p == nil {
		p = poller.Finished(v, nil)
	}
	return p
}

// setCreated stores v, the created resource, in the state.
func (r *Resource[M, T]) setCreated(ctx context.Context, plan *M, v T, resp *resource.CreateResponse) {
	set := r.Set(ctx, plan, v)
	if set.HasError() {
		// Only warn, because an error would taint the resource. The next Read reports the same
		// problem as an error.
		resp.Diagnostics.Append(warnings(set)...)
		r.setPartial(ctx, plan, cmp.Or(r.Ready, ready), resp)
		return
	}
	resp.Diagnostics.Append(set...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// setPartial stores an unfinished resource's known attributes and the given status word in the
// state.
func (r *Resource[M, T]) setPartial(ctx context.Context, plan *M, word string, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	raw, err := known(resp.State.Raw, tftypes.NewValue(resp.State.Raw.Type(), nil))
	if err != nil {
		resp.Diagnostics.AddWarning("The state is incomplete", err.Error())
	} else {
		resp.State.Raw = raw
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(r.status()), word)...)
}

// isFree reports whether the resource does not exist yet. If it exists or cannot be read, isFree
// adds an error to resp.
func (r *Resource[M, T]) isFree(ctx context.Context, plan *M, req resource.CreateRequest, resp *resource.CreateResponse) bool {
	name := r.Name(plan)
	_, p, err := r.Get(ctx, plan)
	if notFound(err) {
		return true
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose(ctx, "Reading "+name, err, req.Plan.Schema, "")...)
		return false
	}

	advice := "If it is yours, import it with \"terraform import\" or \"tofu import\". A run that was killed may have created it."
	if p != nil {
		advice += fmt.Sprintf(" An operation on it is in progress (%s); the import resumes it.", wordOf(p.Status()))
	}
	resp.Diagnostics.AddError(fmt.Sprintf("There is already a %s", name), advice)
	return false
}
