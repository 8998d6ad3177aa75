package quirks_test

import (
	"fmt"
	"log"
	"net/http"
	"strings"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

// A quirk can be turned on for a single resource.
func ExampleQuirk() {
	svc := &fakes.Service{}
	svc.Quirk(quirks.CreatesWith200, "/widgets/w2")
	client := fakes.Client(svc)

	for _, widget := range []string{"w1", "w2"} {
		req, err := http.NewRequest(http.MethodPut, "https://a.test/widgets/"+widget, strings.NewReader("{}")) //nolint:noctx // the example needs no context
		if err != nil {
			log.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			log.Fatal(err)
		}
		resp.Body.Close()
		fmt.Println(widget, resp.Status)
	}
	// Output:
	// w1 201 Created
	// w2 200 OK
}

// A program that serves fakes can accept quirk names as flags.
func ExampleByName() {
	for _, name := range []string{"W3", "W41/html", "W99"} {
		q, ok := quirks.ByName(name)
		if !ok {
			fmt.Println(name, "is not the name of a quirk")
			continue
		}
		fmt.Println(name, q.About())
	}
	// Output:
	// W3 DELETE: the resource returns 404 before the end, and Location reports the end with an empty 200
	// W41/html the failure is a truncated HTML page
	// W99 is not the name of a quirk
}
