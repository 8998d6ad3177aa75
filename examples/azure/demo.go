package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/examples/azure/management"
	"github.com/lro-go/lro/poller"
)

// A demo runs the parts of the example.
type demo struct {
	*target
	w      io.Writer
	client *management.Client
}

func (d *demo) printf(format string, args ...any) { _, _ = fmt.Fprintf(d.w, format+"\n", args...) }

// uninterrupted returns a context for a request that starts an operation. Ctrl-C must not interrupt
// the request, because the operation may start even if no response arrives.
func uninterrupted(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

// follow prints the progress of an operation and returns its result.
func follow[T any](ctx context.Context, d *demo, p *poller.Poller[T]) (result T, err error) {
	for status, err := range p.Updates(ctx) {
		if err != nil {
			return result, err
		}
		d.printf("  %s", status)
	}
	return p.PollUntilDone(ctx)
}

func (d *demo) create(ctx context.Context) error {
	group, err := d.client.ResourceGroups().CreateOrUpdate(ctx, d.group, management.ResourceGroup{Location: d.location})
	if err != nil {
		return err
	}
	d.printf("  group %s: %s", group.Name, group.Properties.ProvisioningState)
	p, err := d.beginAccount(ctx, d.account)
	if err != nil {
		return err
	}
	account, err := follow(ctx, d, p)
	if err != nil {
		return err
	}
	d.printf("  account %s: %s", account.Name, account.Properties.ProvisioningState)
	accounts, err := d.client.StorageAccounts().ListByResourceGroup(d.group)
	if err != nil {
		return err
	}
	for a, err := range accounts.All(ctx) {
		if err != nil {
			return err
		}
		d.printf("  listed: %s", a.Name)
	}
	return nil
}

func (d *demo) beginAccount(ctx context.Context, name string) (*poller.Poller[management.StorageAccount], error) {
	return d.client.StorageAccounts().BeginCreate(uninterrupted(ctx), d.group, name, management.StorageAccount{
		Location: d.location, Kind: "StorageV2", SKU: &management.SKU{Name: "Standard_LRS"},
		Properties: &management.StorageAccountProperties{AllowBlobPublicAccess: new(false), MinimumTLSVersion: "TLS1_2"},
	})
}

// start starts the machines one by one, and continues even if a machine fails to start.
func (d *demo) start(ctx context.Context) error {
	if len(d.machines) == 0 {
		d.printf("  none: use -machine")
	}
	for _, m := range d.machines {
		d.printf("  machine %s", m.name)
		p, err := d.client.VirtualMachines().BeginStart(uninterrupted(ctx), m.group, m.name)
		if err == nil {
			_, err = follow(ctx, d, p)
		}
		failed, ok := errors.AsType[*lroerrors.OperationError](err)
		switch {
		case ok:
			d.printf("  the program can act on the code %s", failed.Detail.Code)
		case err != nil:
			return err
		}
	}
	return nil
}

// refused sends a request that the service rejects, and shows the error.
func (d *demo) refused(ctx context.Context) error {
	_, err := d.beginAccount(ctx, "test")
	status, ok := errors.AsType[*lroerrors.StatusError](err)
	if !ok || status.Detail == nil {
		return err
	}
	d.printf("  %d %s", status.StatusCode, status.Detail)
	return nil
}

func (d *demo) remove(ctx context.Context) error {
	p, err := d.client.ResourceGroups().BeginDelete(uninterrupted(ctx), d.group)
	if err != nil {
		return err
	}
	_, err = follow(ctx, d, p)
	return err
}
