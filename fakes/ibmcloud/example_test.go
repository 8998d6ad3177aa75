package ibmcloud_test

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strings"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/ibmcloud"
)

// A client creates a widget and follows the operation as the handbook describes.
func ExampleNew() {
	client := fakes.Client(ibmcloud.New(nil))

	var doc struct {
		Href, Status string
		Resource     struct{ Href string }
	}
	send(client, http.MethodPost, "/v1/widgets", &doc)
	for doc.Status != "succeeded" {
		fmt.Println(doc.Status)
		send(client, http.MethodGet, strings.TrimPrefix(doc.Href, "https://a.test"), &doc)
	}
	fmt.Println(doc.Status, doc.Resource.Href)
	// Output:
	// 202 Accepted
	// not_started
	// 200 OK
	// not_started
	// 200 OK
	// in_progress
	// 200 OK
	// succeeded https://a.test/v1/widgets/a0000000-0000-4000-8000-000000000001
}

// A client cancels the creation of a Resource Controller instance.
func ExampleNew_lastOperation() {
	client := fakes.Client(ibmcloud.New(nil))

	var instance struct {
		URL   string
		State string
		Last  struct {
			State string
			After int `json:"poll_after"`
		} `json:"last_operation"`
	}
	send(client, http.MethodPost, "/v2/resource_instances", &instance)
	fmt.Println(instance.State, instance.Last)
	send(client, http.MethodGet, instance.URL, &instance)
	fmt.Println(instance.State, instance.Last)
	send(client, http.MethodDelete, instance.URL+"/last_operation", &instance)
	fmt.Println(instance.State, instance.Last.State)
	// Output:
	// 202 Accepted
	// provisioning {in progress 9}
	// 200 OK
	// provisioning {in progress 9}
	// 202 Accepted
	// removed failed
}

// send sends a request, prints the response's status and decodes its body into v.
func send(client *http.Client, method, path string, v any) {
	req, err := http.NewRequest(method, "https://a.test"+path, strings.NewReader("{}")) //nolint:noctx // the example needs no context
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	if err := json.NewDecoder(resp.Body).Decode(v); err != nil {
		log.Fatal(err)
	}
}
