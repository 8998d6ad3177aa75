package bench

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
)

// The measurements build their URLs from these parts.
const (
	host       = "https://management.test"
	group      = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/bench/providers/Microsoft.Contoso"
	version    = "?api-version=2026-01-01"
	operations = "/subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.Contoso/locations/westeurope/operations/"
	operation  = operations + "11111111-2222-3333-4444-555555555555"
)

// A style is the way a service reports an operation's status.
type style string

const (
	async    style = "Azure-AsyncOperation"
	location style = "Location"
	state    style = "provisioningState"
)

// An answer is a prepared response.
type answer struct {
	code      int
	header    http.Header
	body      []byte
	unsized   bool // the response has no Content-Length, like a compressed response
	ownHeader bool // each response gets its own copy of the header, as on a real connection
}

// answers is an in-memory service that maps each method and path to an answer. It allocates little,
// so that only the client is measured.
type answers map[[2]string]answer

// Do lets a measurement use the service in place of an http.Client, to exclude the client's cost.
func (s answers) Do(req *http.Request) (*http.Response, error) { return s.RoundTrip(req) }

func (s answers) RoundTrip(req *http.Request) (*http.Response, error) {
	a, ok := s[[2]string{req.Method, req.URL.Path}]
	if !ok {
		return nil, fmt.Errorf("there is no %s %s", req.Method, req.URL.Path)
	}
	if req.Body != nil {
		req.Body.Close()
	}
	return a.response(req), nil
}

func (a answer) response(req *http.Request) *http.Response {
	resp := &http.Response{
		StatusCode: a.code, Status: http.StatusText(a.code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: http.NoBody, ContentLength: int64(len(a.body)), Request: req,
	}
	if a.ownHeader {
		resp.Header = a.header.Clone()
	}
	if len(a.body) > 0 {
		resp.Body = io.NopCloser(bytes.NewReader(a.body))
	}
	if a.unsized {
		resp.ContentLength = -1
	}
	return resp
}

// headers returns the headers that Azure Resource Manager sends, plus the given ones.
func headers(more ...string) http.Header {
	h := http.Header{
		"Cache-Control":             {"no-cache"},
		"Content-Type":              {"application/json; charset=utf-8"},
		"Date":                      {"Mon, 05 Jan 2026 10:00:00 GMT"},
		"Expires":                   {"-1"},
		"Pragma":                    {"no-cache"},
		"Strict-Transport-Security": {"max-age=31536000; includeSubDomains"},
		"X-Content-Type-Options":    {"nosniff"},
		"X-Ms-Correlation-Request-Id": {
			"aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
		},
		"X-Ms-Ratelimit-Remaining-Subscription-Reads": {"11999"},
		"X-Ms-Request-Id": {"aaaaaaaa-bbbb-cccc-dddd-ffffffffffff"},
	}
	for i := 0; i+1 < len(more); i += 2 {
		h.Set(more[i], more[i+1])
	}
	return h
}

// document returns the status document of the operation resource at path. Its id is path, because
// the id "should match what is used to GET" the resource (Asynchronous API Reference).
func document(path, status string) []byte {
	return fmt.Appendf(nil, `{"id":%q,"name":%q,"status":%q,"startTime":"2026-01-05T10:00:00Z","percentComplete":40,"properties":{"size":7}}`,
		path, path[strings.LastIndex(path, "/")+1:], status)
}

// resource returns the widget's JSON with the given provisioning state.
func resource(state string) []byte {
	return fmt.Appendf(nil, `{"id":"%[1]s/widgets/w","name":"w","type":"Microsoft.Contoso/widgets","location":"westeurope",`+
		`"tags":{"env":"test","owner":"bench"},"properties":{"provisioningState":%[2]q,"size":7,"created":"2026-01-05T10:00:00Z",`+
		`"endpoints":[{"name":"a","port":443,"uri":"https://a.contoso.test/"},{"name":"b","port":443,"uri":"https://b.contoso.test/"}]}}`, group, state)
}

// running returns a service whose operations never end. Widget w uses Azure-AsyncOperation, widget
// l uses Location, and widget p shows its status as provisioningState.
func running() answers {
	const retry = "3600"
	return answers{
		{http.MethodPut, group + "/widgets/w"}: {code: http.StatusCreated, body: resource("Creating"), header: headers(
			"Azure-AsyncOperation", host+operation+version, "Retry-After", retry)},
		{http.MethodGet, operation}: {code: http.StatusOK, body: document(operation, "InProgress"), header: headers("Retry-After", retry)},
		{http.MethodPost, group + "/widgets/l/restart"}: {code: http.StatusAccepted, header: headers(
			"Location", host+operation+"/result"+version, "Retry-After", retry)},
		{http.MethodGet, operation + "/result"}: {code: http.StatusAccepted, header: headers(
			"Location", host+operation+"/result"+version, "Retry-After", retry)},
		{http.MethodPut, group + "/widgets/p"}: {code: http.StatusCreated, body: resource("Creating"), header: headers("Retry-After", retry)},
		{http.MethodGet, group + "/widgets/p"}: {code: http.StatusOK, body: resource("Creating"), header: headers("Retry-After", retry)},
	}
}

// ended returns the same service as running, except that its operations have succeeded.
func ended() answers {
	s := maps.Clone(running())
	done := answer{code: http.StatusOK, header: headers()}
	done.body = document(operation, "Succeeded")
	s[[2]string{http.MethodGet, operation}] = done
	done.body = resource("Succeeded")
	s[[2]string{http.MethodGet, operation + "/result"}] = done
	s[[2]string{http.MethodGet, group + "/widgets/p"}] = done
	s[[2]string{http.MethodGet, group + "/widgets/w"}] = done
	return s
}

// beginning returns the method and URL of the request that starts an operation of the given style.
func beginning(s style) (method, url string) {
	switch s {
	case location:
		return http.MethodPost, host + group + "/widgets/l/restart" + version
	case state:
		return http.MethodPut, host + group + "/widgets/p" + version
	default:
		return http.MethodPut, host + group + "/widgets/w" + version
	}
}

// firstResponse starts an operation of the given style and returns the response.
func firstResponse(tb testing.TB, service http.RoundTripper, s style) *http.Response {
	tb.Helper()
	method, url := beginning(s)
	req, err := http.NewRequestWithContext(tb.Context(), method, url, http.NoBody)
	must(tb, err)
	resp, err := service.RoundTrip(req)
	must(tb, err)
	return resp
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
