package arohcp_test

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strings"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
)

// The creation of a cluster fails. Only the status document contains the error.
func ExampleNew() {
	svc := arohcp.New()
	svc.Plan(fakes.Plan{Method: "PUT", Polls: 1, Ending: fakes.Failed, Error: fakes.Error{Code: "OCM4001", Message: "quota"}})
	client := fakes.Client(svc)

	const cluster = "https://a.test/subscriptions/s/resourceGroups/g/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/c1"
	req, err := http.NewRequest("PUT", cluster+"?api-version=2024-06-10-preview", strings.NewReader(`{"location":"westus"}`)) //nolint:noctx // the example needs no context
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	status := resp.Header.Get("Azure-AsyncOperation")
	fmt.Println(resp.Status)
	fmt.Println(status)
	for range 2 {
		resp, err := client.Get(status) //nolint:noctx // the example needs no context
		if err != nil {
			log.Fatal(err)
		}
		var doc struct {
			Status string
			Error  struct{ Code string }
		}
		if err := json.NewDecoder(resp.Body).Decode(&doc); err != nil {
			log.Fatal(err)
		}
		resp.Body.Close()
		fmt.Printf("%s %q\n", doc.Status, doc.Error.Code)
	}
	// Output:
	// 201 Created
	// https://a.test/subscriptions/s/providers/Microsoft.RedHatOpenShift/locations/westus/hcpOperationStatuses/00000000-0000-4000-8000-000000000001?api-version=2024-06-10-preview
	// Accepted ""
	// Failed "OCM4001"
}
