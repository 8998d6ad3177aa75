package main

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/lro-go/lro/examples/azure/management"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lroazcore"
	"github.com/lro-go/lro/transport"
)

// A target is where the program manages resources: a subscription in Azure, or the service on this
// machine.
type target struct {
	endpoint   string
	credential azcore.TokenCredential
	base       http.RoundTripper // nil means the default
	poller     poller.Options

	subscription, location string
	group, account         string // names of new resources
	machines               []machine
}

// A machine identifies a virtual machine to start.
type machine struct{ group, name string }

// inAzure returns a target for an Azure subscription. The credential comes from environment
// variables, a workload or managed identity, or a developer tool such as the Azure CLI.
func inAzure(subscription, location, started string) (*target, error) {
	credential, err := azidentity.NewDefaultAzureCredential(nil)
	if err != nil {
		return nil, err
	}
	id := strings.ToLower(rand.Text()[:8]) // account names must be unique across Azure
	t := &target{
		endpoint: management.Endpoint, credential: credential,
		subscription: subscription, location: location, group: "lro-demo-" + id, account: "lrodemo" + id,
	}
	if started == "" {
		return t, nil
	}
	group, name, ok := strings.Cut(started, "/")
	if !ok {
		return nil, fmt.Errorf("-machine is %q, want group/name", started)
	}
	t.machines = []machine{{group, name}}
	return t, nil
}

// newClient returns a client that uses the target's credential and sends requests through package
// transport.
func (t *target) newClient() (*management.Client, error) {
	client := transport.NewClient(&transport.Options{
		Base:      t.base,
		Token:     lroazcore.Token(t.credential, &lroazcore.TokenOptions{Scopes: map[string][]string{t.endpoint: {management.Scope}}}),
		UserAgent: "lro-example/v0.1.0",
	})
	return management.New(t.subscription, client, &management.Options{Endpoint: t.endpoint, Poller: t.poller})
}
