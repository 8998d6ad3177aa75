package serve

import (
	"cmp"
	"path"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
	"github.com/lro-go/lro/fakes/ibmcloud"
)

// A style is a kind of service that lro serve can simulate.
type style struct {
	name       string
	title      string
	create     func() *fakes.Service
	query      string     // the query in the example URLs
	strategies []strategy // the first is the default
}

// A strategy is a way for a service to report the status of its operations.
type strategy struct {
	name   string // the value of --strategy, here and in lro put; "" lets the service choose
	report fakes.Style
	path   string // the path of the example resource; the initial items are in the same collection
}

const (
	widget  = "/widgets/w1"
	cluster = "/subscriptions/s1/resourceGroups/g1/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/c1"
)

var styles = []style{
	{"arm", "Azure Resource Manager", func() *fakes.Service { return &fakes.Service{} }, "?api-version=1", []strategy{
		{"", 0, widget},
		{"azure-async-operation", fakes.AzureAsyncOperation, widget},
		{"operation-location", fakes.OperationLocation, widget},
		{"location", fakes.Location, widget},
		{"provisioning-state", fakes.ProvisioningState, widget},
	}},
	{"arohcp", "ARO-HCP", arohcp.New, "?api-version=2024-06-10-preview", []strategy{
		{"", 0, cluster},
		{"azure-async-operation", fakes.AzureAsyncOperation, cluster},
		{"location", fakes.Location, cluster},
	}},
	{"ibmcloud", "IBM Cloud", func() *fakes.Service { return ibmcloud.New(nil) }, "", []strategy{
		{"", 0, "/v1" + widget},
		{"ibm-operation", fakes.Location, "/v1" + widget},
		{"ibm-resource-controller", ibmcloud.LastOperation, "/v2/resource_instances/i1"},
		{"ibm-task", ibmcloud.Task, "/v5/ibm/deployments/d1"},
		{"ibm-vpc", ibmcloud.ResourceStatus, "/v1/instances/i1"},
		{"ibm-vpc-lifecycle", ibmcloud.LifecycleState, "/v1/backup_policies/b1"},
		{"ibm-vpc-provisioning", ibmcloud.ProvisioningStatus, "/v1/load_balancers/l1"},
		{"ibm-code-engine", ibmcloud.AppStatus, "/v2/projects/p1/apps/a1"},
	}},
}

func styleNames() (names []string) {
	for _, s := range styles {
		names = append(names, s.name)
	}
	return names
}

func (s style) strategyNames() (names []string) {
	for _, way := range s.strategies[1:] {
		names = append(names, way.name)
	}
	return names
}

// strategyNames returns the strategy names of all styles, without duplicates.
func strategyNames() (names []string) {
	seen := map[string]bool{}
	for _, s := range styles {
		for _, name := range s.strategyNames() {
			if !seen[name] {
				names = append(names, name)
			}
			seen[name] = true
		}
	}
	return names
}

// exampleFlags returns the flags that the example commands need. The first result is for commands
// that follow an operation, the second for a command that lists a collection.
func (s style) exampleFlags(way strategy) (follow, pages string) {
	if s.name == "arohcp" {
		return " --default 2s", "" // ARO-HCP never sends Retry-After
	}
	if way.report == ibmcloud.LastOperation {
		return " --min 1s --strategy " + way.name, " --items /resources --next-link /next_url"
	}
	if s.name == "ibmcloud" {
		collection := path.Base(path.Dir(way.path))
		return " --min 1s --strategy " + cmp.Or(way.name, "ibm-operation"), " --next-link /next/href --items /" + collection
	}
	return " --min 1s", ""
}

// curlFlags returns the flags that the example curl command needs. ARO-HCP refuses curl's default
// Content-Type.
func (s style) curlFlags() string {
	if s.name == "arohcp" {
		return ` -H "Content-Type: application/json"`
	}
	return ""
}
