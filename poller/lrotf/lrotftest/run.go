package lrotftest

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Plan refreshes a copy of the state and returns what [Workspace.Apply] would do. It does not
// change the workspace. It returns an error if config does not fit the schema or the provider
// violates the protocol. The provider's own errors are in the Result.
func (w *Workspace) Plan(ctx context.Context, config Config) (Result, error) {
	kept := *w
	r := run{Workspace: &kept}
	err := r.plan(ctx, config)
	return r.Result, err
}

// Apply refreshes the state, plans the change and applies it. A nil config destroys the resource.
// Errors are the same as for [Workspace.Plan]. After an error or a failed Result, the state is the
// last one that the provider returned.
func (w *Workspace) Apply(ctx context.Context, config Config) (Result, error) {
	r := run{Workspace: w}
	if err := r.plan(ctx, config); err != nil || r.Failed() {
		return r.Result, err
	}
	return r.Result, r.apply(ctx)
}

// Import reads an existing resource into the state. id has the form that the provider's ImportState
// expects. Import returns an error if the provider violates the protocol. The provider's own errors
// are in the Result.
func (w *Workspace) Import(ctx context.Context, id string) (Result, error) {
	resp, err := w.provider.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: w.resource, ID: id})
	if err != nil {
		return Result{}, err
	}
	r := run{Workspace: w}
	r.Diagnostics = resp.Diagnostics
	if r.Failed() {
		return r.Result, nil
	}

	imported := resp.ImportedResources[0]
	w.private = imported.Private
	w.state, err = imported.State.Unmarshal(w.typ)
	if err != nil {
		return r.Result, err
	}
	return r.Result, r.refresh(ctx)
}

// A run is one call to Plan, Apply or Import.
type run struct {
	*Workspace
	Result
	config, planned tftypes.Value
	plannedPrivate  []byte
}

func (r *run) plan(ctx context.Context, config Config) error {
	err := r.refresh(ctx)
	if err != nil || r.Failed() {
		return err
	}

	r.config = tftypes.NewValue(r.typ, nil)
	if config != nil {
		r.config, err = value(r.typ, config)
		if err != nil {
			return err
		}
	}

	prior := r.state
	if r.tainted && config != nil {
		prior = tftypes.NewValue(r.typ, nil)
	}
	replace, err := r.ask(ctx, prior, r.private)
	if err != nil || r.Failed() {
		return err
	}
	r.Action = r.action(prior, replace)
	return nil
}

// action returns the Action of an apply. The argument replace reports whether the change requires a
// replacement.
func (r *run) action(prior tftypes.Value, replace bool) string {
	exists := !r.state.IsNull()
	wanted := !r.config.IsNull()
	if !exists && !wanted || r.planned.Equal(prior) {
		return "no-op"
	}
	if !wanted {
		return "delete"
	}
	if !exists {
		return "create"
	}
	if r.tainted || replace {
		return "replace"
	}
	return "update"
}

func (r *run) refresh(ctx context.Context) error {
	if r.state.IsNull() {
		return nil
	}
	current, err := r.encode(r.state)
	if err != nil {
		return err
	}
	resp, err := r.provider.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: r.resource, CurrentState: current[0], Private: r.private})
	if err != nil {
		return err
	}
	r.Diagnostics = append(r.Diagnostics, resp.Diagnostics...)
	if r.Failed() {
		return nil
	}
	r.state, err = resp.NewState.Unmarshal(r.typ)
	r.private = resp.Private
	r.tainted = r.tainted && !r.state.IsNull()
	return err
}

// ask makes the provider plan a change, stores the plan in r, and reports whether the change
// replaces the resource.
func (r *run) ask(ctx context.Context, prior tftypes.Value, private []byte) (replace bool, err error) {
	proposed, err := r.proposed(prior, r.config)
	if err != nil {
		return false, err
	}
	raw, err := r.encode(prior, r.config, proposed)
	if err != nil {
		return false, err
	}
	resp, err := r.provider.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: r.resource, PriorState: raw[0], Config: raw[1], ProposedNewState: raw[2], PriorPrivate: private,
	})
	if err != nil {
		return false, err
	}
	r.Diagnostics = append(r.Diagnostics, resp.Diagnostics...)
	if r.Failed() {
		return false, nil
	}
	r.plannedPrivate = resp.PlannedPrivate
	r.planned, err = resp.PlannedState.Unmarshal(r.typ)
	return len(resp.RequiresReplace) > 0, err
}

func (r *run) apply(ctx context.Context) error {
	switch r.Action {
	case "no-op":
		return nil
	case "replace":
		return r.replace(ctx)
	}
	return r.change(ctx, r.state, r.config, r.planned, r.plannedPrivate)
}

func (r *run) replace(ctx context.Context) error {
	none := tftypes.NewValue(r.typ, nil)
	if err := r.change(ctx, r.state, none, none, r.private); err != nil || r.Failed() {
		return err
	}
	if _, err := r.ask(ctx, none, nil); err != nil || r.Failed() {
		return err
	}
	return r.change(ctx, none, r.config, r.planned, r.plannedPrivate)
}

// change makes the provider apply the planned state, and stores the new state as Terraform would.
func (r *run) change(ctx context.Context, prior, config, planned tftypes.Value, private []byte) error {
	raw, err := r.encode(prior, config, planned)
	if err != nil {
		return err
	}
	resp, err := r.provider.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: r.resource, PriorState: raw[0], Config: raw[1], PlannedState: raw[2], PlannedPrivate: private,
	})
	if err != nil {
		return err
	}
	r.Diagnostics = append(r.Diagnostics, resp.Diagnostics...)
	after, err := resp.NewState.Unmarshal(r.typ)
	if err != nil {
		return err
	}
	if !after.IsFullyKnown() {
		return errors.New("the provider returned a state with unknown values")
	}
	if after.IsNull() && r.Failed() {
		return nil // Terraform keeps the old state
	}
	r.state = after
	r.private = resp.Private
	r.tainted = prior.IsNull() && r.Failed() // a failed creation taints the resource
	return nil
}
