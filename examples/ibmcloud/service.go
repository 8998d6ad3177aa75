package main

import (
	"net/http"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/ibmcloud"
)

// version is the query string that VPC requires in every request.
const version = "?version=2026-01-01&generation=2"

// newService returns a simulated service with plans for this program's operations.
func newService() http.Handler {
	svc := ibmcloud.New(nil)
	svc.Plan(fakes.Plan{Path: "/v1/gadgets", Ending: fakes.Failed, Error: fakes.Error{
		Code: "insufficient_capacity", Message: "There is no room in this zone.",
		Details: []fakes.Error{{Code: "reserved_value", Message: "The name is taken.", Target: "name"}},
	}})
	svc.Plan(fakes.Plan{Path: "/v1/endless", Duration: fakes.Forever})
	svc.Plan(fakes.Plan{Path: "/v1/instances", Style: ibmcloud.ResourceStatus})
	svc.Plan(fakes.Plan{Path: "/v2/resource_instances", Duration: fakes.Forever})
	svc.Put("/v5/ibm/deployments/d1", map[string]any{"name": "db"})
	return svc
}
