package provider

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A widgetModel is a widget in a configuration, a plan or a state.
type widgetModel struct {
	ID                types.String   `tfsdk:"id"`
	Name              types.String   `tfsdk:"name"`
	Size              types.Int64    `tfsdk:"size"`
	ProvisioningState types.String   `tfsdk:"provisioning_state"`
	Timeouts          timeouts.Value `tfsdk:"timeouts"`
}

// succeeded is the provisioning_state of a widget that is as it was asked for.
const succeeded = "Succeeded"

// methods are the requests that begin an operation.
var methods = map[verb]string{creating: http.MethodPut, updating: http.MethodPut, deleting: http.MethodDelete}

// body is what the request has in it.
func (m *widgetModel) body(v verb) *widget {
	if v == deleting {
		return nil
	}
	return &widget{Properties: widgetProperties{Size: m.Size.ValueInt64()}}
}

// set takes over what the service says.
func (m *widgetModel) set(w *widget) {
	m.ID = types.StringValue(w.ID)
	m.Name = types.StringValue(w.Name)
	m.Size = types.Int64Value(w.Properties.Size)
	m.ProvisioningState = types.StringValue(w.Properties.ProvisioningState)
}

// pending is set for a widget of which no more is known than what was asked for.
func (m *widgetModel) pending(word string) {
	m.ID = types.StringValue(widgets + "/" + m.Name.ValueString())
	m.ProvisioningState = types.StringValue(word)
}

// timeout is what the timeouts block, or its default, has for v.
func (m *widgetModel) timeout(ctx context.Context, v verb) (time.Duration, diag.Diagnostics) {
	switch v {
	case creating:
		return m.Timeouts.Create(ctx, time.Hour)
	case updating:
		return m.Timeouts.Update(ctx, time.Hour)
	default:
		return m.Timeouts.Delete(ctx, time.Hour)
	}
}

// there is the widget as the state has it.
func (m *widgetModel) there() *widget {
	return &widget{ID: m.ID.ValueString(), Name: m.Name.ValueString(), Properties: widgetProperties{
		Size:              m.Size.ValueInt64(),
		ProvisioningState: m.ProvisioningState.ValueString(),
	}}
}
