package main

import (
	"context"
	"errors"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/examples/azure/management"
	"github.com/lro-go/lro/poller/lroazcore"
)

// sending is the context of a request that begins something. Ctrl-C does not end it: the
// service may have accepted what it has seen, and only the answer tells.
func sending(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

func (d *demo) create(ctx context.Context) error {
	group, err := d.client.ResourceGroups().CreateOrUpdate(ctx, d.group, management.ResourceGroup{Location: d.location})
	if err != nil {
		return err
	}
	d.printf("  group %s: %s", group.Name, group.Properties.ProvisioningState)
	if err := d.createWith(ctx, d.client, 1); err != nil {
		return err
	}
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

// throughPipeline is no other code: it is the Doer that is another.
func (d *demo) throughPipeline(ctx context.Context) error { return d.createWith(ctx, d.piped, 2) }

func (d *demo) createWith(ctx context.Context, client *management.Client, n int) error {
	p, err := client.StorageAccounts().BeginCreate(sending(ctx), d.group, d.numbered(n), d.onAccount)
	if err != nil {
		return err
	}
	account, err := follow(ctx, d, p)
	if err != nil {
		return err
	}
	d.printf("  account %s: %s", account.Name, account.Properties.ProvisioningState)
	return nil
}

// takeOver begins as a client generated for azcore does, and has its token resumed.
func (d *demo) takeOver(ctx context.Context) error {
	resp, err := d.put(sending(ctx), d.numbered(3))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	theirs, err := runtime.NewPoller[management.StorageAccount](resp, d.pl, nil)
	if err != nil {
		return err
	}
	token, err := theirs.ResumeToken()
	if err != nil {
		return err
	}
	d.printf("  azcore's token is stored")
	ours, err := management.Resume[management.StorageAccount](d.client, token)
	if err != nil {
		return err
	}
	account, err := follow(ctx, d, ours)
	if err != nil {
		return err
	}
	d.printf("  account %s: %s", account.Name, account.Properties.ProvisioningState)
	return nil
}

// azcorePoller is a client generated for azcore in which one name has been changed:
// runtime.NewPoller.
func (d *demo) azcorePoller(ctx context.Context) error {
	resp, err := d.put(sending(ctx), d.numbered(4))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	p, err := lroazcore.NewPoller[management.StorageAccount](resp, d.pl, &d.poller)
	if err != nil {
		return err
	}
	account, err := p.PollUntilDone(ctx, nil)
	if err != nil {
		return err
	}
	d.printf("  account %s: %s", account.Name, account.Properties.ProvisioningState)
	return nil
}

// start goes on when one cannot be started.
func (d *demo) start(ctx context.Context) error {
	if len(d.machines) == 0 {
		d.printf("  none was named")
	}
	for _, m := range d.machines {
		d.printf("  machine %s", m.name)
		p, err := d.client.VirtualMachines().BeginStart(sending(ctx), m.group, m.name)
		if err == nil {
			_, err = follow(ctx, d, p)
		}
		failed, ok := errors.AsType[*lroerrors.OperationError](err)
		switch {
		case ok:
			d.printf("  code %s, for a program to act on", failed.Detail.Code)
		case err != nil:
			return err
		}
	}
	return nil
}

// refused asks for an account by a name that somebody has.
func (d *demo) refused(ctx context.Context) error {
	_, err := d.client.StorageAccounts().BeginCreate(sending(ctx), d.group, "test", d.onAccount)
	status, ok := errors.AsType[*lroerrors.StatusError](err)
	if !ok || status.Detail == nil {
		return err
	}
	d.printf("  %d %s", status.StatusCode, status.Detail)
	return nil
}

func (d *demo) remove(ctx context.Context) error {
	p, err := d.piped.ResourceGroups().BeginDelete(sending(ctx), d.group)
	if err != nil {
		return err
	}
	_, err = follow(ctx, d, p)
	return err
}
