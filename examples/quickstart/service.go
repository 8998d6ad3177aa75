package main

import (
	"net/http"

	"github.com/lro-go/lro/fakes"
)

// widgets is the path of the collection that contains all resources.
const widgets = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/quickstart/providers/Microsoft.Contoso/widgets"

// newService returns a simulated service with plans for this program's operations.
func newService() http.Handler {
	svc := &fakes.Service{PageSize: 2}
	for _, s := range strategies {
		svc.Plan(fakes.Plan{Path: widgets + "/" + s.name, Style: s.style, Polls: 3, Percent: true})
	}
	svc.Plan(fakes.Plan{
		Path:   widgets + "/too-large",
		Ending: fakes.Failed,
		Error: fakes.Error{
			Code:    "QuotaExceeded",
			Message: "The request exceeds a quota of this subscription.",
			Details: []fakes.Error{{
				Code:    "SizeLimit",
				Message: "The size of a widget is at most 100.",
				Target:  "properties.size",
			}},
		},
	})
	svc.Plan(fakes.Plan{Path: widgets + "/endless", Duration: fakes.Forever})

	// Ask for pauses of 150 ms. Real services ask for a few seconds.
	svc.Fault(fakes.Fault{Do: fakes.Header("Retry-After-Ms", "150")})
	return svc
}
