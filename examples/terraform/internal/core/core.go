// Package core plays the part of Terraform for one resource: it plans and applies,
// and keeps the state between runs, over protocol 6 and within the process. So the
// demo needs no binary, and a test that runs in a testing/synctest bubble waits for
// days in no time.
//
// It has what the provider is concerned with: refresh, plan, the rules of what an
// apply may return, private state, tainting, and Stop, which is what Ctrl-C sends.
// What the real one makes of the same is in the acceptance tests.
package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A Config is a resource as a person writes it: attributes and blocks by name. What
// is not there is null.
type Config map[string]any

// A Workspace has one resource, as a folder with a configuration and a state file
// may.
type Workspace struct {
	provider tfprotov6.ProviderServer
	resource string
	block    *tfprotov6.SchemaBlock
	typ      tftypes.Object
	state    tftypes.Value // null: there is none
	private  []byte
	tainted  bool
}

// A Result is what a run has to show.
type Result struct {
	Action      string // "no-op", "create", "update", "replace" or "delete"
	Diagnostics []*tfprotov6.Diagnostic
}

// Failed reports whether a run ended in an error.
func (r Result) Failed() bool {
	for _, d := range r.Diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return true
		}
	}
	return false
}

// Open makes a workspace without a state. A provider is configured once, as a
// process of it is: Attach goes on with another.
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

// Attach goes on with another process of the provider.
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

// Stop is what Ctrl-C sends to the provider. Its process ends afterwards.
func (w *Workspace) Stop(ctx context.Context) error {
	_, err := w.provider.StopProvider(ctx, &tfprotov6.StopProviderRequest{})
	return err
}

// Tainted reports whether the next apply would replace the resource.
func (w *Workspace) Tainted() bool { return w.tainted }

// Private is the private state of the resource.
func (w *Workspace) Private() string { return string(w.private) }

// Damage puts something else in the place of private state, as who edits a state file
// may.
func (w *Workspace) Damage(private string) { w.private = []byte(private) }

// Attribute is the text of an attribute in the state; "" where it is null, or there
// is no state.
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

// HasState reports whether the state has the resource.
func (w *Workspace) HasState() bool { return !w.state.IsNull() }
