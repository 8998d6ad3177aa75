package main

import (
	"net/http"
	"strings"

	"github.com/lro-go/lro/examples/migrate/widgets"
	"github.com/lro-go/lro/fakes"
)

// newService is a service whose operations succeed after two polls, and which
// nobody has to wait for: azcore and this module heed the pause in milliseconds,
// go-azure-sdk that of no seconds and the header for tests that replay.
func newService() *fakes.Service {
	svc := &fakes.Service{PageSize: 2, Default: fakes.Plan{Percent: true}}
	for name, value := range map[string]string{
		"Retry-After-Ms": "1", "Retry-After": "0", "X-Go-Azure-Sdk-Skip-Polling-Delay": "true",
	} {
		svc.Fault(fakes.Fault{Do: fakes.Header(name, value)})
	}
	return svc
}

// planned is a service whose operations go as p says.
func planned(p fakes.Plan) func() service {
	return func() service {
		svc := newService()
		svc.Default = p
		return svc
	}
}

// faulty is a service whose requests go wrong as f says.
func faulty(f fakes.Fault) func() service {
	return func() service {
		svc := newService()
		svc.Fault(f)
		return svc
	}
}

// stocked is a service that has widgets, of the sizes 1 to 5, and changes one at
// once. The first faults of it are f.
func stocked(faults ...fakes.Fault) func() service {
	return func() service {
		svc := newService()
		svc.Plan(fakes.Plan{Method: http.MethodPatch, Style: fakes.Synchronous})
		for i, name := range []string{"alpha", "beta", "gamma", "delta", "epsilon"} {
			svc.Put(widgets.Collection+"/"+name, widgets.Of(i+1))
		}
		for _, f := range faults {
			svc.Fault(f)
		}
		return svc
	}
}

// failing is the plan of an operation that fails for a reason.
var failing = fakes.Plan{
	Ending: fakes.Failed,
	Error:  fakes.Error{Code: "QuotaExceeded", Message: "No more widgets.", Target: "properties.size"},
}

// jobs is what crosses the wire when a job is run, which is no operation that a
// fakes.Service knows. It plays once.
func jobs() service {
	t, err := fakes.ReadTranscript(strings.NewReader(`
POST /jobs?api-version=2026-01-01 HTTP/1.1

{"properties":{"size":1}}
###
HTTP/1.1 202 Accepted
Content-Type: application/json
Retry-After-Ms: 1

{"id":"7","phase":"queued"}
###
GET /jobs/7 HTTP/1.1

###
HTTP/1.1 200 OK
Content-Type: application/json
Retry-After-Ms: 1

{"id":"7","phase":"running"}
###
GET /jobs/7 HTTP/1.1

###
HTTP/1.1 200 OK
Content-Type: application/json

{"id":"7","phase":"finished","output":{"name":"alpha","properties":{"size":1,"provisioningState":"Succeeded"}}}
`))
	if err != nil {
		panic(err) // the text above is wrong
	}
	return t
}
