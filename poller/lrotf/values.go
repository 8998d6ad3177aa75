package lrotf

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// differs reports whether the actual value differs from the plan, ignoring the named attributes. An
// unknown value in the plan matches any value.
func differs(planned, actual tftypes.Value, without ...string) bool {
	diffs, err := planned.Diff(actual)
	if err != nil {
		return true
	}
	for _, d := range diffs {
		// Value1 is the planned value. It is nil where the plan has no value: inside an unknown
		// value, which matches anything, or inside a null value or a collection, for which diffs
		// has another entry.
		if d.Value1 != nil && d.Value1.IsKnown() && !below(d.Path, without) {
			return true
		}
	}
	return false
}

// below reports whether p is the path of one of the attributes or leads into one. It also returns
// true for the empty path, because a difference of the whole value appears again for its
// attributes.
func below(p *tftypes.AttributePath, attributes []string) bool {
	for _, name := range attributes {
		if steps := p.Steps(); len(steps) == 0 || steps[0] == tftypes.AttributeName(name) {
			return true
		}
	}
	return false
}

// known replaces each unknown value in v with its known value in prior, or else with null. A state
// must not contain unknown values.
func known(v, prior tftypes.Value) (tftypes.Value, error) {
	return tftypes.Transform(v, func(p *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if v.IsKnown() {
			return v, nil
		}
		if found, _, err := tftypes.WalkAttributePath(prior, p); err == nil {
			if old, ok := found.(tftypes.Value); ok && old.IsFullyKnown() {
				return old, nil
			}
		}
		return tftypes.NewValue(v.Type(), nil), nil
	})
}

// unknownIfComputed makes a plan's null computed attributes unknown. Otherwise, the framework would
// plan null for them again after an interrupted creation.
func unknownIfComputed(ctx context.Context, plan tfsdk.Plan) (tftypes.Value, error) {
	return tftypes.Transform(plan.Raw, func(p *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if !v.IsNull() {
			return v, nil
		}
		attribute, err := plan.Schema.AttributeAtTerraformPath(ctx, p)
		if err != nil || !attribute.IsComputed() {
			return v, nil //nolint:nilerr // not an attribute but, for example, a block
		}
		return tftypes.NewValue(v.Type(), tftypes.UnknownValue), nil
	})
}

// compare reports whether v matches the plan, ignoring the timeouts and the status, and whether v
// is Ready.
func (r *Resource[M, T]) compare(ctx context.Context, plan tfsdk.Plan, v T) (agrees, isReady bool) {
	actual, word, ok := r.show(ctx, tfsdk.State(plan), v)
	if !ok {
		return false, false
	}
	return !differs(plan.Raw, actual.Raw, timeoutsBlock, r.status()), r.isReady(word)
}

// show returns a copy of a state with v's attributes, and v's status word.
func (r *Resource[M, T]) show(ctx context.Context, from tfsdk.State, v T) (_ tfsdk.State, word string, ok bool) {
	var m M
	if from.Get(ctx, &m).HasError() || r.Set(ctx, &m, v).HasError() {
		return from, "", false
	}
	var status types.String
	if from.Set(ctx, &m).HasError() || from.GetAttribute(ctx, path.Root(r.status()), &status).HasError() {
		return from, "", false
	}
	return from, status.ValueString(), true
}
