package pager_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
)

type Widget struct{ Name string }

// widgets returns a service that lists five widgets, two per page.
func widgets() *fakes.Service {
	svc := &fakes.Service{PageSize: 2}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		svc.Put("/widgets/"+name, struct{}{})
	}
	return svc
}

func get(url string) *http.Request {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, http.NoBody)
	if err != nil {
		log.Fatal(err)
	}
	return req
}

func reply(w http.ResponseWriter, page string) {
	_, _ = io.WriteString(w, page) // an error only means that the client has disconnected
}

// Read all items of a listing, however many pages it has.
func Example() {
	pages := pager.New[Widget](get("https://a.test/widgets"), fakes.Client(widgets()), nil)
	for widget, err := range pages.All(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(widget.Name, " ")
	}
	// Output: a b c d e
}

// Read the pages in a loop of your own, as with azcore.
func ExamplePager_NextPage() {
	pages := pager.New[Widget](get("https://a.test/widgets"), fakes.Client(widgets()), nil)
	for pages.More() {
		page, err := pages.NextPage(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(page.Items)
	}
	// Output:
	// [{a} {b}]
	// [{c} {d}]
	// [{e}]
}

// Read up to two pages ahead while the loop body works on a page.
func ExamplePager_Pages() {
	pages := pager.New[Widget](get("https://a.test/widgets"), fakes.Client(widgets()), &pager.Options{ReadAhead: 2})
	for page, err := range pages.Pages(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(page)
	}
	// Output:
	// 2 items of https://a.test/widgets, and a link to more
	// 2 items of https://a.test/widgets, and a link to more
	// 1 items of https://a.test/widgets
}

// Stop in the middle of a listing, and continue in another process.
func ExamplePager_Place() {
	client := fakes.Client(widgets())
	pages := pager.New[Widget](get("https://a.test/widgets"), client, nil)
	page, err := pages.NextPage(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Items)
	place, err := pages.Place()
	if err != nil {
		log.Fatal(err)
	}

	// The place may be forged, so its origin must be the request's or one of Options.Origins.
	pages = pager.New[Widget](get("https://a.test/widgets"), client, &pager.Options{From: place})
	for widget, err := range pages.All(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(widget)
	}
	// Output:
	// [{a} {b}]
	// {c}
	// {d}
	// {e}
}

// Request a page again after a failure.
func ExamplePager_failedPage() {
	svc := widgets()
	svc.Fault(fakes.Fault{Kind: fakes.List, Nth: 2, Do: fakes.Status(http.StatusServiceUnavailable)})
	pages := pager.New[Widget](get("https://a.test/widgets"), fakes.Client(svc), nil)
	for pages.More() {
		page, err := pages.NextPage(context.Background())
		if status, ok := errors.AsType[*lroerrors.StatusError](err); ok {
			fmt.Println("retry after", status.StatusCode)
			continue
		}
		fmt.Println(page.Items)
	}
	// Output:
	// [{a} {b}]
	// retry after 503
	// [{c} {d}]
	// [{e}]
}

// In many IBM Cloud services, the member with the items is named after the collection, and the link
// is in next.href.
func ExampleOptions_nextLink() {
	service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("start") {
			reply(w, `{"widgets": [{"name": "b"}]}`)
			return
		}
		reply(w, `{"widgets": [{"name": "a"}], "total_count": 2, "next": {"href": "https://a.test/v1/widgets?start=2"}}`)
	})
	pages := pager.New[Widget](get("https://a.test/v1/widgets"), fakes.Client(service), &pager.Options{
		Items:    "/widgets",
		NextLink: "/next/href",
	})
	for widget, err := range pages.All(context.Background()) {
		fmt.Println(widget, err)
	}
	// Output:
	// {a} <nil>
	// {b} <nil>
}

// Read a listing from a service that returns a token in next.start instead of a link.
func ExampleOptions_next() {
	service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("start") == "t2" {
			reply(w, `{"widgets": [{"name": "b"}]}`)
			return
		}
		reply(w, `{"widgets": [{"name": "a"}], "next": {"start": "t2"}}`)
	})
	pages := pager.New[Widget](get("https://a.test/v1/widgets"), fakes.Client(service), &pager.Options{
		Items:    "/widgets",
		NextLink: "/next/start",
		Next: func(page pager.Page[json.RawMessage]) (*http.Request, error) {
			if page.NextLink == "" {
				return nil, nil
			}
			return http.NewRequestWithContext(context.Background(), http.MethodGet,
				"https://a.test/v1/widgets?start="+url.QueryEscape(page.NextLink), http.NoBody)
		},
	})
	for widget, err := range pages.All(context.Background()) {
		fmt.Println(widget, err)
	}
	// Output:
	// {a} <nil>
	// {b} <nil>
}

// Read a listing whose first page is the result of an operation.
func ExampleContinue() {
	// A search starts with a POST, which gets a 202 with the Location of the first page.
	service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.RequestURI() {
		case "POST /search":
			w.Header().Set("Location", "/results/1")
			w.Header().Set("Retry-After-Ms", "1")
			w.WriteHeader(http.StatusAccepted)
		case "GET /results/1":
			reply(w, `{"value": [{"name": "a"}], "nextLink": "https://a.test/results/1?page=2"}`)
		case "GET /results/1?page=2":
			reply(w, `{"value": [{"name": "b"}]}`)
		}
	})
	ctx, client := context.Background(), fakes.Client(service)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://a.test/search", strings.NewReader(`{"name": "*"}`))
	if err != nil {
		log.Fatal(err)
	}
	search, err := poller.Begin[json.RawMessage](req, client, &poller.Options{Cadence: poller.Cadence{Min: 1}}) // for a real service, keep the default of 10 s
	if err != nil {
		log.Fatal(err)
	}
	page, err := search.PollUntilDone(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for widget, err := range pager.Continue[Widget](req, page, client, nil).All(ctx) {
		fmt.Println(widget, err)
	}
	// Output:
	// {a} <nil>
	// {b} <nil>
}
