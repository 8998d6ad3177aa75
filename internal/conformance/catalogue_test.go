package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A scenario is one entry of the catalogue: the request to send, the recorded exchange, and the
// outcome that a correct client reports.
type scenario struct {
	Suite, Name, Kind string

	Method, Path   string
	RequestBody    json.RawMessage   `json:"request_body"`
	RequestHeaders map[string]string `json:"request_headers"`
	FinalStateVia  string            `json:"final_state_via"`

	Expect         string          // either success or error
	ExpectStatus   int             `json:"expect_status"`    // the status code of the last response; only for kind retry
	ExpectBodyMode string          `json:"expect_body_mode"` // how to check the result of a successful operation: json, none or any
	ExpectBody     json.RawMessage `json:"expect_body"`
	Error          struct {
		Phase           string // initial or poll; for kind paging: page1, page2 and so on
		HTTPStatus      int    `json:"http_status"`
		OperationStatus string `json:"operation_status"` // Failed or Canceled
		Message         string
	}
	Requests  int
	Contested bool // whether the reference clients disagree about the outcome; see the variable contested
	Steps     []struct{ Request string }

	// The remaining fields are used only for kind paging.
	ItemsPath   string      `json:"items_path"`
	NextLink    *string     `json:"next_link"` // the name of the member with the next link, or nil
	NextRequest nextRequest `json:"next_request"`
	LROFirst    bool        `json:"lro_first"` // whether the first page is an operation's result
	ExpectPages int         `json:"expect_pages"`
}

// request returns the request that starts the scenario.
func (s *scenario) request(ctx context.Context, base string) (*http.Request, error) {
	var body io.Reader
	if s.RequestBody != nil {
		body = bytes.NewReader(s.RequestBody)
	}
	req, err := http.NewRequestWithContext(ctx, s.Method, base+s.Path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range s.RequestHeaders {
		req.Header.Set(name, value)
	}
	return req, nil
}

// exchange returns the recorded requests, each as "METHOD path".
func (s *scenario) exchange() []string {
	var sent []string
	for _, step := range s.Steps {
		request, _, _ := strings.Cut(step.Request, "  ") // two spaces separate the request from its cookies
		sent = append(sent, request)
	}
	return sent
}

func readCatalogue(t *testing.T) []scenario {
	t.Helper()
	b, err := os.ReadFile("testdata/testserver-catalogue.json")
	require.NoError(t, err)
	var all []scenario
	require.NoError(t, json.Unmarshal(b, &all))
	return all
}

func ofKind(all []scenario, kind string) []scenario {
	var some []scenario
	for _, s := range all {
		if s.Kind == kind {
			some = append(some, s)
		}
	}
	return some
}

// contested lists the scenarios on whose outcome the reference clients disagree, and explains why
// lro agrees with the catalogue.
var contested = map[string]string{
	"LROs_patch200SucceededIgnoreHeaders": "success, one request: after a first 200 with a terminal provisioningState, " +
		"we would read the status URL once, but this URL has another origin",
	"LROs_deleteProvisioning202DeletingFailed200": "error: a provisioningState of Failed at a Location " +
		"means that the operation has failed",
	"LROs_deleteProvisioning202Deletingcanceled200": "error: the same for Canceled",
	"LROSADs_post202NoLocation": "error: a 202 to a POST without a URL to poll is ErrNoOperation, " +
		"because its outcome is unknown",
}

func TestCatalogue(t *testing.T) {
	all := readCatalogue(t)
	require.Len(t, all, 171)
	require.Len(t, ofKind(all, "lro"), 87)
	require.Len(t, ofKind(all, "retry"), 55)
	require.Len(t, ofKind(all, "paging"), 29)

	names := make(map[string]bool)
	for _, s := range all {
		require.False(t, names[s.Name], "the name %s must be unique", s.Name)
		names[s.Name] = true
		require.NotEmpty(t, s.Method, s.Name)
		require.True(t, strings.HasPrefix(s.Path, "/"), "%s: path %q", s.Name, s.Path)
		require.Len(t, s.exchange(), s.Requests, s.Name)
		require.Contains(t, []string{"success", "error"}, s.Expect, s.Name)
		require.Equal(t, s.Expect == "error", s.Error.Phase != "", "%s: exactly the errors must have a phase", s.Name)
		require.Equal(t, s.Contested, contested[s.Name] != "", "%s: exactly the contested scenarios must be in contested", s.Name)
	}
	for name := range contested {
		require.True(t, names[name], "the catalogue must contain %s", name)
	}
}

// A recorded request may end with two spaces and its cookies. scenario.exchange omits them.
func TestExchange(t *testing.T) {
	s := scenario{Steps: []struct{ Request string }{
		{"PUT /a"}, {"GET /a?page=1  Cookie:scenario=x"},
	}}
	require.Equal(t, []string{"PUT /a", "GET /a?page=1"}, s.exchange())
}

func TestScenarioRequest(t *testing.T) {
	for _, s := range readCatalogue(t) {
		req, err := s.request(t.Context(), "http://127.0.0.1:1")
		require.NoError(t, err, s.Name)
		require.Equal(t, s.Method, req.Method, s.Name)
		require.Equal(t, s.RequestBody != nil, req.Body != nil, "%s: the request must have a body if the catalogue has one", s.Name)
		for name, value := range s.RequestHeaders {
			require.Equal(t, value, req.Header.Get(name), s.Name)
		}
	}
}
