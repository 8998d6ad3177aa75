package serve

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
	"github.com/lro-go/lro/fakes/ibmcloud"
)

// A style is a kind of service that lro serve can simulate.
type style struct {
	name       string
	title      string
	create     func() *fakes.Service
	query      string     // the query of the example URLs
	strategies []strategy // the first one is the default
}

// A strategy is a way in which a service reports the status of its operations.
type strategy struct {
	name   string // a value of lro put --strategy; "" leaves the choice to the service
	report fakes.Style
	path   string // the path of a resource in the example commands
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

// strategyNames returns the names of the strategies of all styles, without duplicates.
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

// chosen returns the style and the strategy that the flags select.
func (o *options) chosen() (style, strategy, error) {
	for _, s := range styles {
		if s.name != o.style {
			continue
		}
		for _, way := range s.strategies {
			if way.name == o.strategy {
				return s, way, nil
			}
		}
		return s, strategy{}, fmt.Errorf("--strategy %s: --style %s has %s", o.strategy, s.name, strings.Join(s.strategyNames(), ", "))
	}
	return style{}, strategy{}, fmt.Errorf("--style %s: want one of %s", o.style, strings.Join(styleNames(), ", "))
}

// service returns the service that the flags describe.
func (o *options) service() (*fakes.Service, error) {
	s, way, err := o.chosen()
	if err != nil {
		return nil, err
	}
	if s.name == "arohcp" && o.changed("retry-after") {
		return nil, errors.New("--retry-after: ARO-HCP sends no Retry-After")
	}
	if s.name == "ibmcloud" && len(o.quirks) > 0 {
		return nil, errors.New("--quirk: quirks imitate Azure services; choose --style arm or arohcp")
	}
	plan, err := o.plan(way.report)
	if err != nil {
		return nil, err
	}
	svc := s.create()
	svc.Default, svc.PageSize = plan, o.pageSize
	for n := range o.items {
		svc.Put(fmt.Sprintf("%s/item%d", path.Dir(way.path), n+1), map[string]any{})
	}
	for _, q := range o.quirks {
		svc.Quirk(q, "")
	}
	return svc, nil
}

// welcome returns the first lines of output: the address of the service, and commands to copy. The
// URLs are in double quotes, because every shell understands those.
func (o *options) welcome(base string) string {
	s, way, err := o.chosen()
	if err != nil {
		panic(err) // the method service would already have returned this error
	}
	collection := path.Dir(way.path)
	follow, pages := " --min 1s", ""
	switch {
	case s.name == "arohcp":
		follow = " --default 2s" // this service never sends Retry-After
	case way.report == ibmcloud.LastOperation:
		follow, pages = follow+" --strategy "+way.name, " --items /resources --next-link /next_url"
	case s.name == "ibmcloud":
		follow += " --strategy " + cmp.Or(way.name, "ibm-operation")
		pages = " --next-link /next/href --items /" + path.Base(collection)
	}
	url := func(path string) string { return `"` + base + path + s.query + `"` }
	lines := []string{fmt.Sprintf("Simulating %s at %s until Ctrl-C.", s.title, base)}
	for _, q := range o.quirks {
		lines = append(lines, fmt.Sprintf("Quirk %s: %s.", q, q.About()))
	}
	return strings.Join(append(lines,
		"Commands to try in another terminal:\n",
		"  curl -i -X PUT "+url(way.path)+` -d "{}"`,
		"  lro put "+url(collection+"/by-lro")+` -d "{}"`+follow,
		"  lro get "+url(collection)+pages,
		"  lro delete "+url(collection+"/item1")+follow,
		"\n"+header+"\n",
	), "\n")
}
