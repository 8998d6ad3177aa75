// Package lrotftest replaces Terraform in a provider's tests. It runs in the provider's process and
// calls the provider over protocol 6. It plans and applies changes to one resource, and stores the
// state between runs. Tests therefore need no Terraform binary, and in a testing/synctest bubble a
// wait of days takes no time. [Open] a [Workspace] and call [Workspace.Apply] with configurations,
// as the Example of package lrotf does.
//
// The package implements the parts of Terraform that matter for long-running operations: refresh,
// plan, the rules for the state that an apply returns, private state, taint, import, and Stop,
// which Terraform sends on Ctrl-C. It does not validate configurations, and has no data sources,
// modules, outputs or conditions, so test with a real binary as well.
//
// A Workspace is not safe for concurrent use, except that you may call Stop while another method is
// running.
package lrotftest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A Config is the configuration of a resource or a provider. It maps the names of attributes and
// blocks to their values. The value of a single block is a Config, and a number may be an int. A
// list or set is a []tftypes.Value, a map is a map[string]tftypes.Value, and an unknown value is
// tftypes.UnknownValue. Missing attributes are null.
type Config map[string]any

// A Workspace holds one resource and its state, like a directory with a Terraform state file.
type Workspace struct {
	provider tfprotov6.ProviderServer
	resource string
	block    *tfprotov6.SchemaBlock
	typ      tftypes.Object
	state    tftypes.Value // null if there is no state
	private  []byte
	tainted  bool
}

// A Result is the outcome of Plan, Apply or Import.
type Result struct {
	Action      string // "no-op", "create", "update", "replace" or "delete"
	Diagnostics []*tfprotov6.Diagnostic
}

// Failed reports whether Diagnostics contains an error.
func (r Result) Failed() bool {
	for _, d := range r.Diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return true
		}
	}
	return false
}

// Open returns a workspace for a resource of the given type, such as "contoso_widget". The
// workspace has no state yet. Like [Workspace.Attach], Open configures the provider with settings.
// p usually comes from providerserver.NewProtocol6. Open returns an error if p has no such
// resource, if the settings do not fit the provider's schema, or if the provider returns an error.
func Open(ctx context.Context, p tfprotov6.ProviderServer, settings Config, resource string) (*Workspace, error) {
	schemas, err := p.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	s, ok := schemas.ResourceSchemas[resource]
	if !ok {
		return nil, fmt.Errorf("the provider has no %s", resource)
	}
	w := &Workspace{resource: resource, block: s.Block, typ: s.ValueType().(tftypes.Object)}
	w.state = tftypes.NewValue(w.typ, nil)
	return w, w.Attach(ctx, p, settings)
}

// Attach simulates a restart of the provider: it configures p with settings and uses it from then
// on. The state does not change. If Attach returns an error, the workspace keeps using the old
// provider.
func (w *Workspace) Attach(ctx context.Context, p tfprotov6.ProviderServer, settings Config) error {
	schemas, err := p.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return err
	}
	typ := schemas.Provider.ValueType()
	config, err := value(typ, settings)
	if err != nil {
		return err
	}
	raw, err := tfprotov6.NewDynamicValue(typ, config)
	if err != nil {
		return err
	}
	resp, err := p.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: &raw})
	if err != nil {
		return err
	}
	if r := (Result{Diagnostics: resp.Diagnostics}); r.Failed() {
		return errors.New(resp.Diagnostics[0].Summary + ": " + resp.Diagnostics[0].Detail)
	}
	w.provider = p
	return nil
}

// Stop sends the provider the message that Terraform sends on Ctrl-C. Terraform then ends the
// process, so call [Workspace.Attach] to continue.
func (w *Workspace) Stop(ctx context.Context) error {
	_, err := w.provider.StopProvider(ctx, &tfprotov6.StopProviderRequest{})
	return err
}

// Tainted reports whether the resource is tainted, in which case the next apply would replace it.
func (w *Workspace) Tainted() bool { return w.tainted }

// Private returns the resource's private state, as the framework encodes it, or "" if there is
// none.
func (w *Workspace) Private() string { return string(w.private) }

// Damage replaces the private state, to simulate an edited state file.
func (w *Workspace) Damage(private string) { w.private = []byte(private) }

// Attribute returns an attribute's value in the state as text, or "" if it is null or there is no
// state.
func (w *Workspace) Attribute(name string) string {
	var all map[string]tftypes.Value
	if w.state.IsNull() || w.state.As(&all) != nil || all[name].IsNull() {
		return ""
	}
	var text string
	if all[name].As(&text) == nil {
		return text
	}
	b, _ := json.Marshal(plain(all[name]))
	return string(b)
}

// HasState reports whether the resource is in the state.
func (w *Workspace) HasState() bool { return !w.state.IsNull() }
