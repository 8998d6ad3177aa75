package migrate

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/internal/migrate/widgets"
)

// A service is a fakes.Service or a fakes.Transcript.
type service interface {
	http.Handler
	Requests() []fakes.Request
}

// newService returns a service whose operations succeed after two polls. It asks for pauses of at
// most a millisecond, in headers that the clients obey: azcore and this module obey Retry-After-Ms,
// and go-azure-sdk obeys Retry-After and a private header.
func newService() *fakes.Service {
	svc := &fakes.Service{PageSize: 2, Default: fakes.Plan{Percent: true}}
	for name, value := range map[string]string{
		"Retry-After-Ms": "1", "Retry-After": "0", "X-Go-Azure-Sdk-Skip-Polling-Delay": "true",
	} {
		svc.Fault(fakes.Fault{Do: fakes.Header(name, value)})
	}
	return svc
}

// planned returns a function that creates a service whose operations follow the plan p.
func planned(p fakes.Plan) func() service {
	return func() service {
		svc := newService()
		svc.Default = p
		return svc
	}
}

// faulty returns a function that creates a service with the fault f.
func faulty(f fakes.Fault) func() service {
	return func() service {
		svc := newService()
		svc.Fault(f)
		return svc
	}
}

// stocked returns a function that creates a service with five widgets, whose sizes are 1 to 5. The
// service completes a PATCH synchronously.
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

// immediate is like stocked, but each operation follows the plan p and has ended by the first poll.
// A client that reads the resource instead of the operation therefore need not wait.
func immediate(p fakes.Plan) func() service {
	return func() service {
		svc := stocked()().(*fakes.Service)
		p.Polls = -1
		svc.Default = p
		return svc
	}
}

// early returns a service that reports that its operation has succeeded although the widget is
// still being created.
func early() service {
	svc := newService()
	svc.Fault(fakes.Fault{Kind: fakes.Read, Times: 2, Do: resourceState("Creating")})
	svc.Fault(fakes.Fault{Kind: fakes.Read, Nth: 3, Times: -1, Do: resourceState("Running")})
	return svc
}

// resourceState returns an edit that adds a resourceState to the properties of a widget.
func resourceState(state string) func(http.Handler) http.Handler {
	return fakes.Edit(func(a *fakes.Answer) {
		a.Body = bytes.Replace(a.Body, []byte(`"properties":{`), []byte(`"properties":{"resourceState":"`+state+`",`), 1)
	})
}

// failing is the plan of an operation that fails.
var failing = fakes.Plan{
	Ending: fakes.Failed,
	Error:  fakes.Error{Code: "QuotaExceeded", Message: "No more widgets.", Target: "properties.size"},
}

// jobs returns a service that plays the requests and responses of one job. A job is a kind of
// operation that fakes.Service does not provide. The service can be used only once.
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
		panic(err)
	}
	return t
}
