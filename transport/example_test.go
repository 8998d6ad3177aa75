package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

// service simulates a management service that is busy at first.
func service() http.RoundTripper {
	asked := 0
	return trip(func(req *http.Request) (*http.Response, error) {
		resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"status":"Succeeded"}`))}
		if asked++; asked == 1 {
			resp.StatusCode = http.StatusServiceUnavailable
			resp.Header.Set("Retry-After-Ms", "1")
		}
		return resp, nil
	})
}

func read(url string) *http.Request {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		log.Fatal(err)
	}
	return req
}

// The client adds a bearer token, and retries while the service is busy.
func ExampleNewClient() {
	client := transport.NewClient(&transport.Options{
		Base: service(), // omit Base to use the network
		Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
			return transport.Token{Value: "eyJ0eXAiOi", Expires: time.Now().Add(time.Hour)}, nil
		},
	})
	resp, err := client.Do(read("https://management.example/operations/7"))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.StatusCode, string(body))
	// Output: 200 {"status":"Succeeded"}
}

// New returns a Transport for your own http.Client. CheckRedirect gives the client the redirect
// policy of NewClient.
func ExampleNew() {
	origins := []string{"https://management.example"}
	rt := transport.New(&transport.Options{
		Base:    service(),
		Policy:  transport.IdempotentOnly,
		Origins: origins,
		Authorize: func(req *http.Request) error {
			req.Header.Set("Authorization", "SharedKey for "+req.URL.Path)
			return nil
		},
	})
	client := &http.Client{Transport: rt, CheckRedirect: transport.CheckRedirect(origins...)}
	resp, err := client.Do(read("https://west.management.example/operations/7"))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.StatusCode)
	// Output: 200
}

// If no response comes, the error reports the number of attempts. It does not contain the query.
func ExampleTransport_RoundTrip() {
	client := transport.NewClient(&transport.Options{
		MinDelay: time.Millisecond,
		MaxDelay: time.Millisecond,
		Base:     trip(func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }),
	})
	_, err := client.Do(read("https://management.example/operations/7?sig=secret")) //nolint:bodyclose // there is no response
	if se, ok := errors.AsType[*lroerrors.StatusError](err); ok {
		fmt.Println(se)
	}
	// Output: lro: GET https://management.example/operations/7: 4 attempts: connection refused
}

func ExampleRetryAfter() {
	now := time.Date(2029, 12, 31, 23, 59, 0, 0, time.UTC)
	for _, value := range []string{"120", "Tue, 01 Jan 2030 00:00:00 GMT", "soon"} {
		fmt.Println(transport.RetryAfter(http.Header{"Retry-After": {value}}, now))
	}
	// Output:
	// 2m0s true
	// 1m0s true
	// 0s false
}
