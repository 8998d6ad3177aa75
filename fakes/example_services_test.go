package fakes_test

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"

	"github.com/lro-go/lro/fakes"
)

// A cluster cannot be installed. Only the status tells why.
func ExampleAROHCP() {
	svc := fakes.AROHCP()
	svc.Plan(fakes.Plan{Method: "PUT", Polls: 1, Ending: fakes.Failed, Error: fakes.Error{Code: "OCM4001", Message: "quota"}})
	client := fakes.Client(svc)

	const scope = "https://a.test/subscriptions/s/resourceGroups/g/providers/Microsoft.RedHatOpenShift/"
	resp := send(client, "PUT", scope+"hcpOpenShiftClusters/c1?api-version=2024-06-10-preview", `{"location":"westus"}`)
	fmt.Println(resp.Status)
	status := resp.Header.Get("Azure-AsyncOperation")
	fmt.Println(status)
	for range 2 {
		resp := send(client, "GET", status, "")
		var doc struct {
			Status string
			Error  struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(resp.Body), &doc); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %q\n", doc.Status, doc.Error.Code)
	}
	// Output:
	// 201 Created
	// https://a.test/subscriptions/s/providers/Microsoft.RedHatOpenShift/locations/westus/hcpOperationStatuses/00000000-0000-4000-8000-000000000001?api-version=2024-06-10-preview
	// Accepted ""
	// Failed "OCM4001"
}

// A widget is created by an operation of the handbook.
func ExampleIBMCloud() {
	client := fakes.Client(fakes.IBMCloud())

	resp := send(client, "POST", "https://a.test/v1/widgets", `{"size":1}`)
	fmt.Println(resp.Status)
	operation := resp.Header.Get("Location")
	var doc struct {
		Status   string
		Resource struct{ Href string }
	}
	for doc.Status != "succeeded" {
		resp := send(client, "GET", operation, "")
		if err := json.Unmarshal([]byte(resp.Body), &doc); err != nil {
			log.Fatal(err)
		}
		fmt.Println(doc.Status)
	}
	fmt.Println(send(client, "GET", doc.Resource.Href, "").Body)
	// Output:
	// 202 Accepted
	// not_started
	// in_progress
	// succeeded
	// {"href":"https://a.test/v1/widgets/a0000000-0000-4000-8000-000000000001","id":"a0000000-0000-4000-8000-000000000001","size":1}
}

// An instance of Resource Controller is given up while it is being made.
func ExampleIBMCloud_lastOperation() {
	client := fakes.Client(fakes.IBMCloud())

	type instance struct {
		URL   string
		State string
		Last  struct {
			State string
			After int `json:"poll_after"`
		} `json:"last_operation"`
	}
	read := func(method, path string) (i instance) {
		resp := send(client, method, "https://a.test"+path, "{}")
		if err := json.Unmarshal([]byte(resp.Body), &i); err != nil {
			log.Fatal(err)
		}
		fmt.Println(resp.Status, i.State, i.Last)
		return i
	}
	made := read(http.MethodPost, "/v2/resource_instances")
	read(http.MethodGet, made.URL)
	read(http.MethodDelete, made.URL+"/last_operation")
	read(http.MethodGet, made.URL)
	// Output:
	// 202 Accepted provisioning {in progress 9}
	// 200 OK provisioning {in progress 9}
	// 202 Accepted removed {failed 0}
	// 200 OK removed {failed 0}
}
