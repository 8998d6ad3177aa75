package main

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm/policy"
	armruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	azpolicy "github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/lro-go/lro/examples/azure/management"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lroazcore"
	"github.com/lro-go/lro/transport"
)

// surroundings say where the program runs: in Azure, or against a service that it brings along.
type surroundings struct {
	endpoint   string
	credential azcore.TokenCredential
	base       http.RoundTripper // nil: the default
	poller     poller.Options

	subscription, location string
	group, account         string // names of new resources; several accounts get a number each
	machines               []machine
}

// A machine is a virtual machine to start.
type machine struct{ group, name string }

// inAzure returns the surroundings of a real subscription. DefaultAzureCredential uses environment
// variables, a workload or managed identity, or the login of the Azure CLI.
func inAzure(subscription, location, started string) (*surroundings, error) {
	credential, err := azidentity.NewDefaultAzureCredential(nil)
	if err != nil {
		return nil, err
	}
	id := strings.ToLower(rand.Text()[:8]) // account names are unique across Azure
	in := &surroundings{
		endpoint: management.Endpoint, credential: credential,
		subscription: subscription, location: location, group: "lro-demo-" + id, account: "lrodemo" + id,
	}
	if started == "" {
		return in, nil
	}
	group, name, ok := strings.Cut(started, "/")
	if !ok {
		return nil, fmt.Errorf("-machine is %q, not group/name", started)
	}
	in.machines = []machine{{group, name}}
	return in, nil
}

// client returns an HTTP client that sends through our transport.
func (in *surroundings) client() *http.Client {
	return transport.NewClient(&transport.Options{
		Base:      in.base,
		Token:     lroazcore.Token(in.credential, &lroazcore.TokenOptions{Scopes: map[string][]string{in.endpoint: {management.Scope}}}),
		UserAgent: "lro-example/v0.1.0",
	})
}

// pipeline returns the pipeline of a management client for azcore.
func (in *surroundings) pipeline() (runtime.Pipeline, error) {
	return armruntime.NewPipeline("lro-example", "v0.1.0", in.credential, runtime.PipelineOptions{}, &policy.ClientOptions{
		ClientOptions: azpolicy.ClientOptions{
			Cloud: cloud.Configuration{
				ActiveDirectoryAuthorityHost: cloud.AzurePublic.ActiveDirectoryAuthorityHost,
				Services: map[cloud.ServiceName]cloud.ServiceConfiguration{
					cloud.ResourceManager: {Endpoint: in.endpoint, Audience: management.Endpoint},
				},
			},
			Transport: &http.Client{
				Transport:     in.base,
				CheckRedirect: transport.CheckRedirect(), // see lroazcore.Doer
			},
		},
	})
}
