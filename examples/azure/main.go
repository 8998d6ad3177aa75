// Azure manages Azure resources with package management, a typed client for Azure Resource Manager.
// It creates a resource group and a storage account, lists the accounts, starts virtual machines
// and deletes the group.
//
//	cd examples/azure && go run .
//
// Without flags, the program uses a service on this machine and takes two seconds. If you name a
// subscription, it does the same in Azure, at a cost of about a cent, with the credential that
// azidentity finds. In Azure, it starts a virtual machine only if you name one:
//
//	go run . -subscription ID [-location westeurope] [-machine group/name]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "azure:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string, w io.Writer) error {
	flags := flag.NewFlagSet("azure", flag.ContinueOnError)
	subscription := flags.String("subscription", "", "`ID` of a subscription; without one, the program uses a service on this machine")
	location := flags.String("location", "westeurope", "location of the resources in the subscription")
	machine := flags.String("machine", "", "`group/name` of a virtual machine in the subscription to start")
	if err := flags.Parse(args); err != nil {
		return err
	}
	const what = "A typed client of Azure Resource Manager creates a resource group and a storage account, starts\n" +
		"virtual machines and deletes the group.\n"
	if *subscription == "" {
		target, stop := onThisMachine()
		defer stop()
		_, _ = fmt.Fprintln(w, what+"It uses a service on this machine, and sends nothing to Azure. This takes about 2 s.")
		return run(ctx, target, w)
	}
	target, err := inAzure(*subscription, *location, *machine)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(w, what+"It uses the subscription %s. This takes a few minutes, with up to 20 s between\n"+
		"two lines. If it is interrupted, clean up with:\n"+
		"  az group delete --subscription %[1]s --name %s\n", *subscription, target.group)
	return run(ctx, target, w)
}

// run runs the parts of the demo and writes their progress to w.
func run(ctx context.Context, target *target, w io.Writer) error {
	client, err := target.newClient()
	if err != nil {
		return err
	}
	d := &demo{target, w, client}
	for _, part := range []struct {
		title string
		do    func(context.Context) error
	}{
		{"Create a group and an account, and list the accounts", d.create},
		{"Start virtual machines", d.start},
		{"Create an account whose name is taken", d.refused},
		{"Delete the group and everything in it", d.remove},
	} {
		d.printf("\n%s", part.title)
		if err := part.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", strings.ToLower(part.title), err)
		}
	}
	return nil
}
