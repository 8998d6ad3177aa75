package fakes_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes"
)

// An answer holds the parts of a response that the examples use.
type answer struct {
	Status string
	Header http.Header
	Body   string
}

// send sends a request and reads the whole response.
func send(client *http.Client, method, url, body string) answer {
	req, err := http.NewRequest(method, url, strings.NewReader(body)) //nolint:noctx // the example needs no context
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		text = fmt.Append(text, " (", err, ")")
	}
	return answer{resp.Status, resp.Header, string(text)}
}

// A simple client creates a widget and polls until the status is Succeeded.
func Example() {
	svc := &fakes.Service{}
	client := fakes.Client(svc)

	resp := send(client, "PUT", "https://a.test/widgets/w1?api-version=1", `{"properties":{"size":1}}`)
	fmt.Println(resp.Status)
	operation := resp.Header.Get("Azure-AsyncOperation")

	var doc struct{ Status string }
	for doc.Status != "Succeeded" {
		resp := send(client, "GET", operation, "")
		if err := json.Unmarshal([]byte(resp.Body), &doc); err != nil {
			log.Fatal(err)
		}
		fmt.Println(doc.Status)
	}
	widget, _ := svc.Resource("/widgets/w1")
	fmt.Println(string(widget))
	// Output:
	// 201 Created
	// Accepted
	// Provisioning
	// Succeeded
	// {"id":"/widgets/w1","name":"w1","properties":{"provisioningState":"Succeeded","size":1},"type":"widgets"}
}

// The third poll fails.
func ExampleService_Fault() {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 3, Do: fakes.Status(http.StatusServiceUnavailable)})
	client := fakes.Client(svc)

	resp := send(client, "PUT", "https://a.test/widgets/w1", "{}")
	operation := resp.Header.Get("Azure-AsyncOperation")
	for range 4 {
		resp := send(client, "GET", operation, "")
		fmt.Println(resp.Status)
	}
	// Output:
	// 200 OK
	// 200 OK
	// 503 Service Unavailable
	// 200 OK
}

// The first creation fails because of a quota, and the second one succeeds.
func ExampleService_Plan() {
	svc := &fakes.Service{}
	svc.Plan(fakes.Plan{
		Method: "PUT", Path: "/widgets", Times: 1,
		Polls: 1, Words: []string{"Cutting"},
		Ending: fakes.Failed, Error: fakes.Error{Code: "QuotaExceeded", Message: "No more widgets."},
	})
	client := fakes.Client(svc)

	for _, name := range []string{"w1", "w2"} {
		resp := send(client, "PUT", "https://a.test/widgets/"+name, "{}")
		for range 3 {
			poll := send(client, "GET", resp.Header.Get("Azure-AsyncOperation"), "")
			var doc struct {
				Status string
				Error  struct{ Code string }
			}
			if err := json.Unmarshal([]byte(poll.Body), &doc); err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s %s %q\n", name, doc.Status, doc.Error.Code)
		}
	}
	// Output:
	// w1 Cutting ""
	// w1 Failed "QuotaExceeded"
	// w1 Failed "QuotaExceeded"
	// w2 Accepted ""
	// w2 Provisioning ""
	// w2 Succeeded ""
}

// The service throttles the first two requests, whatever their kind.
func ExampleThrottle() {
	svc := &fakes.Service{}
	svc.Put("/widgets/w1", map[string]any{})
	svc.Fault(fakes.Fault{Times: 2, Do: fakes.Throttle(10 * time.Second)})
	client := fakes.Client(svc)

	for range 3 {
		resp := send(client, "GET", "https://a.test/widgets/w1", "")
		fmt.Println(resp.Status, resp.Header.Get("Retry-After"))
	}
	// Output:
	// 429 Too Many Requests 10
	// 429 Too Many Requests 10
	// 200 OK
}

// Truncate cuts off the response of any http.Handler, not only of a Service.
func ExampleTruncate() {
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "hello, world")
	})
	client := fakes.Client(fakes.Truncate(5)(hello))

	resp := send(client, "GET", "https://a.test/", "")
	fmt.Println(resp.Status, resp.Body)
	// Output: 200 OK hello (unexpected EOF)
}

// The response to the first poll contains a document without a status, and has a date as its
// Retry-After.
func ExampleEdit() {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Edit(func(a *fakes.Answer) {
		a.Header.Set("Retry-After", "Mon, 31 Dec 2029 23:59:00 GMT")
		a.Body = []byte(`{"properties":{}}`)
	})})
	client := fakes.Client(svc)

	resp := send(client, "PUT", "https://a.test/widgets/w1", "{}")
	resp = send(client, "GET", resp.Header.Get("Azure-AsyncOperation"), "")
	fmt.Println(resp.Status, resp.Body)
	fmt.Println(resp.Header.Get("Retry-After"))
	// Output:
	// 200 OK {"properties":{}}
	// Mon, 31 Dec 2029 23:59:00 GMT
}

// The second of three pages is empty.
func ExampleService_Pages() {
	svc := &fakes.Service{}
	svc.Pages("/widgets", []string{"a", "b"}, nil, []string{"c"})
	client := fakes.Client(svc)

	for link := "https://a.test/widgets"; link != ""; {
		resp := send(client, "GET", link, "")
		var page struct {
			Value    []string
			NextLink string
		}
		if err := json.Unmarshal([]byte(resp.Body), &page); err != nil {
			log.Fatal(err)
		}
		fmt.Println(page.Value, page.NextLink)
		link = page.NextLink
	}
	// Output:
	// [a b] https://a.test/widgets?$skiptoken=1
	// [] https://a.test/widgets?$skiptoken=2
	// [c]
}

// Requests returns every request that the service has received.
func ExampleService_Requests() {
	svc := &fakes.Service{}
	client := fakes.Client(svc)
	resp := send(client, "PUT", "https://a.test/widgets/w1?v=1", "{}")
	send(client, "GET", resp.Header.Get("Azure-AsyncOperation"), "")
	send(client, "DELETE", resp.Header.Get("Azure-AsyncOperation"), "")
	send(client, "GET", "https://a.test/widgets/w1?v=1", "")

	for _, r := range svc.Requests() {
		fmt.Println(r.Kind, r.Method, r.URL, r.StatusCode)
	}
	// Output:
	// Begin PUT https://a.test/widgets/w1?v=1 201
	// Poll GET https://a.test/operationsStatuses/00000000-0000-4000-8000-000000000001?v=1 200
	// Cancel DELETE https://a.test/operationsStatuses/00000000-0000-4000-8000-000000000001?v=1 204
	// Read GET https://a.test/widgets/w1?v=1 200
}

// A transcript replays a recorded conversation. A test usually reads the recording from a file such
// as testdata/*.http.
func ExampleReadTranscript() {
	const recorded = `
### A delete of a namespace, with the final 404 that some services have.
DELETE /namespaces/n1?api-version=1 HTTP/1.1
Host: recorded.test

###
HTTP/1.1 202 Accepted
Location: {{base}}/operationresults/7?api-version=1
Retry-After: 10

###
GET /operationresults/7?api-version=1 HTTP/1.1
Host: recorded.test

###
HTTP/1.1 404 Not Found
Content-Type: application/json

{"error": {"code": "ResourceNotFound", "message": "n1 does not exist."}}
`
	transcript, err := fakes.ReadTranscript(strings.NewReader(recorded))
	if err != nil {
		log.Fatal(err)
	}
	client := fakes.Client(transcript)
	resp := send(client, "DELETE", "https://a.test/namespaces/n1?api-version=1", "")
	fmt.Println(resp.Status, resp.Header.Get("Location"))
	resp = send(client, "GET", resp.Header.Get("Location"), "")
	fmt.Println(resp.Status, resp.Body)
	fmt.Println(transcript.Err(), transcript.Remaining())
	// Output:
	// 202 Accepted https://a.test/operationresults/7?api-version=1
	// 404 Not Found {"error": {"code": "ResourceNotFound", "message": "n1 does not exist."}}
	// <nil> 0
}
