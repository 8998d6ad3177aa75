package flags

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/poller/resource"
)

// A Strategy is a value of --strategy. The names ibm-vpc and ibm-vpc-action may be followed by a
// colon and the status words that mean success.
type Strategy struct {
	Name, About string
	make        func(words ...string) poller.Strategy
}

// Strategies returns the values of --strategy.
func Strategies() []Strategy { return strategies }

var strategies = []Strategy{
	{"arm", "Azure Resource Manager and most Azure services", named(arm.Auto)},
	{"azure-async-operation", "a status document, from Azure-AsyncOperation", named(arm.AsyncOperation)},
	{"operation-location", "a status document, from Operation-Location", named(arm.OperationLocation)},
	{"location", "202 from the URL in Location until the end", named(arm.Location)},
	{"provisioning-state", "properties.provisioningState of the resource", named(arm.ProvisioningState)},
	{"ibm-operation", "an operation resource (API handbook)", named(ibmcloud.Operation{})},
	{"ibm-resource", "the state of the resource (API handbook)", named(resource.Strategy{})},
	{"ibm-resource-controller", "last_operation of a resource instance", named(ibmcloud.ResourceController())},
	{"ibm-task", "a task of Cloud Databases", named(ibmcloud.Task())},
	{"ibm-vpc", "the status of a VPC resource", func(words ...string) poller.Strategy { return ibmcloud.VPC(words...) }},
	{"ibm-vpc-action", "the status of a VPC resource after an action", func(words ...string) poller.Strategy { return ibmcloud.VPCAction(words...) }},
	{"ibm-vpc-lifecycle", "lifecycle_state of a VPC resource", named(ibmcloud.VPCLifecycle())},
	{"ibm-vpc-provisioning", "provisioning_status of a load balancer and similar", named(ibmcloud.VPCProvisioning())},
	{"ibm-code-engine", "the status of a Code Engine resource", named(ibmcloud.CodeEngine())},
}

func named(s poller.Strategy) func(...string) poller.Strategy {
	return func(...string) poller.Strategy { return s }
}

func strategyNames() []string {
	var names []string
	for _, s := range strategies {
		names = append(names, s.Name)
	}
	return names
}

// A strategyFlag selects the protocol of an operation.
type strategyFlag struct {
	text string
	poller.Strategy
}

func (f *strategyFlag) String() string { return f.text }
func (f *strategyFlag) Type() string   { return "strategy" }

func (f *strategyFlag) Set(s string) error {
	name, list, hasWords := strings.Cut(s, ":")
	i := slices.IndexFunc(strategies, func(known Strategy) bool { return known.Name == name })
	if i < 0 {
		return errors.New("unknown strategy; see lro help strategies")
	}
	if hasWords && name != "ibm-vpc" && name != "ibm-vpc-action" {
		return fmt.Errorf("%s takes no words after a colon", name)
	}
	words := strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
	*f = strategyFlag{s, strategies[i].make(words...)}
	return nil
}

// useStatusURL implements [Flags.UseStatusURL].
func (f *strategyFlag) useStatusURL() error {
	switch f.Strategy {
	case nil:
		f.Strategy = arm.AsyncOperation
	case arm.Auto:
		return errors.New("--strategy arm needs the response that started the operation; choose another strategy for watch")
	}
	return nil
}
