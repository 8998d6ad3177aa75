package main

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/lro-go/lro/examples/terraform/internal/core"
	"github.com/lro-go/lro/examples/terraform/internal/provider"
)

// steps are the demo.
var steps = []struct {
	title string
	do    func(*demo, context.Context) error
}{
	{"A widget is created, and Ctrl-C comes meanwhile. The operation goes on.", interrupted(widget("w1", 1))},
	{"The next plan asks once how it is getting on", plan(widget("w1", 1), "update")},
	{"The next apply waits for it, and creates nothing", apply(widget("w1", 1), "update", false)},
	{"And so it is as it should be", plan(widget("w1", 1), "no-op")},
	{"A change is longer than its timeout: an error, and the token is kept", apply(hurried("w1", 2), "update", true)},
	{"The next apply goes on with it", apply(widget("w1", 2), "update", false)},
	{"The deletion is interrupted", interrupted(nil)},
	{"The next destroy goes on with it", apply(nil, "delete", false)},
	{"Another creation fails, with all that the service says of it", apply(widget("too-large", 1000), "create", true)},
	{"And what it has left is destroyed", apply(nil, "delete", false)},
	{"What is still being created when it is destroyed is canceled first", canceled(widget("w2", 1))},
}

func widget(name string, size int) core.Config {
	return core.Config{"name": name, "size": size}
}

// hurried has no time for an operation.
func hurried(name string, size int) core.Config {
	return core.Config{"name": name, "size": size, "timeouts": core.Config{"update": "500ms"}}
}

func plan(config core.Config, action string) func(*demo, context.Context) error {
	return func(d *demo, ctx context.Context) error {
		d.printf("$ tofu plan\n")
		result, err := d.workspace.Plan(ctx, config)
		return d.end(result, err, action, false)
	}
}

func apply(config core.Config, action string, fails bool) func(*demo, context.Context) error {
	return func(d *demo, ctx context.Context) error {
		d.printf("$ tofu %s\n", command(config))
		result, err := d.workspace.Apply(ctx, config)
		return d.end(result, err, action, fails)
	}
}

// interrupted is an apply with Ctrl-C, after which another process goes on.
func interrupted(config core.Config) func(*demo, context.Context) error {
	return func(d *demo, ctx context.Context) error {
		action := map[string]string{"apply": "create", "destroy": "delete"}[command(config)]
		d.printf("$ tofu %s\n", command(config))
		d.left = 4
		result, err := d.workspace.Apply(ctx, config)
		if err := d.end(result, err, action, config == nil); err != nil {
			return err
		}
		return d.workspace.Attach(ctx, providerserver.NewProtocol6(provider.New())(), d.settings)
	}
}

func canceled(config core.Config) func(*demo, context.Context) error {
	return func(d *demo, ctx context.Context) error {
		if err := interrupted(config)(d, ctx); err != nil {
			return err
		}
		return apply(nil, "delete", false)(d, ctx)
	}
}

func command(config core.Config) string {
	if config == nil {
		return "destroy"
	}
	return "apply"
}

// end shows how a command ended, and what is in the state now.
func (d *demo) end(result core.Result, err error, action string, fails bool) error {
	if err != nil {
		return err
	}
	d.show(result, d.workspace)
	if result.Action != action || result.Failed() != fails {
		return fmt.Errorf("%s, failed %t: should have been %s, %t", result.Action, result.Failed(), action, fails)
	}
	return nil
}
