// Azure manages resources of Azure Resource Manager with a typed client, package
// management, against a service on this machine:
//
//	cd examples/azure && go run .
//
// It creates a resource group and storage accounts, lists them, starts virtual machines
// and deletes the group: with our client and poller, the same through a pipeline of
// azcore, and with pollers of azcore and ours mixed, by package lroazcore. Package tokens
// gets tokens for services other than Azure.
//
// With a subscription it does so in Azure, as whom azidentity finds you to be. That costs
// a cent. The machine is one of yours, and starting it costs what it costs:
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
	subscription := flags.String("subscription", "", "`ID` of a subscription; without one a service on this machine is asked")
	location := flags.String("location", "westeurope", "of what is created in the subscription")
	machine := flags.String("machine", "", "`group/name` of a virtual machine in the subscription, to be started")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *subscription == "" {
		in, stop := onThisMachine()
		defer stop()
		return run(ctx, in, w)
	}
	in, err := inAzure(*subscription, *location, *machine)
	if err != nil {
		return err
	}
	return run(ctx, in, w)
}

// run shows everything on w. It ends early when ctx does.
func run(ctx context.Context, in *surroundings, w io.Writer) error {
	d, err := newDemo(in, w)
	if err != nil {
		return err
	}
	d.printf("Everything is in the resource group %s. Delete that if this program does not.", in.group)
	for _, part := range []struct {
		title string
		show  func(context.Context) error
	}{
		{"Our client: a group and an account are created and listed", d.create},
		{"The same client through a pipeline of azcore", d.throughPipeline},
		{"Begun by azcore's poller, ended by ours", d.takeOver},
		{"azcore's poller with our strategies", d.azcorePoller},
		{"Virtual machines are started", d.start},
		{"What the service refuses", d.refused},
		{"The group is deleted, with all that is in it", d.remove},
	} {
		d.printf("\n%s", part.title)
		if err := part.show(ctx); err != nil {
			return fmt.Errorf("%s: %w", strings.ToLower(part.title), err)
		}
	}
	return nil
}
