package poller_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// If a caller modifies the JSON that PollUntilDone returned, the token stays the same.
func TestCallerMayModifyRawResult(t *testing.T) {
	w := protocols()[1]
	resp := w.firstResponse(t)
	defer resp.Body.Close()
	p, err := poller.New[json.RawMessage](resp, repeater{code: 200, body: `{"a":"b"}`}, nil)
	require.NoError(t, err)
	p.WakeUp()
	raw, err := p.PollUntilDone(t.Context())
	require.NoError(t, err)
	require.JSONEq(t, `{"a":"b"}`, string(raw))
	before, err := p.ResumeToken()
	require.NoError(t, err)
	copy(raw, "XXXXXXXX")
	after, err := p.ResumeToken()
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.NotPanics(t, func() { _ = append(raw, "more"...) })
}

// If a caller modifies a result from the first response, that response's body stays the same.
func TestResultDoesNotShareFirstResponse(t *testing.T) {
	body := `{"pad":"` + strings.Repeat("x", 70_000) + `"}`
	s := serve(map[string][]reply{"POST " + resource: {"200 " + body}})
	resp, err := s.client().Do(newRequest(t, "POST", resource))
	require.NoError(t, err)
	p, err := poller.New[raw](resp, s.client(), nil)
	require.NoError(t, err)
	v, err := p.Result(t.Context())
	require.NoError(t, err)
	clear(v)
	left, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, body, string(left))
	resp.Body.Close()
}

// A Doer may change a request's headers, for example to redact a credential for its log, without
// affecting other requests.
func TestRequestsShareNoHeaders(t *testing.T) {
	s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {running}})
	p, err := poller.Begin[raw](newRequest(t, "PUT", resource), headerEditor{s.client(), new([]http.Header)}, nil)
	require.NoError(t, err)
	for range 2 {
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, []string{"spoilt", "spoilt"}, []string{s.headers()[1].Get("Accept"), s.headers()[2].Get("Accept")})
	_, err = begin(t, s, "PUT", nil).Poll(t.Context())
	require.NoError(t, err)
	require.Equal(t, "application/json", s.headers()[4].Get("Accept"))
}

// If a Doer changes a request's header values in place, later requests still have the original
// values.
func TestRequestsShareNoAddedHeaders(t *testing.T) {
	s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {running}})
	first := newRequest(t, "PUT", resource)
	first.Header.Set("X-Ms-Client-Request-Id", "c1")
	var seen []http.Header
	p, err := poller.Begin[raw](first, headerEditor{s.client(), &seen}, &poller.Options{Header: http.Header{"X-Key": {"k", "l"}}})
	require.NoError(t, err)
	for range 2 {
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
	}
	require.Len(t, seen, 3)
	for _, h := range seen {
		require.Equal(t, []string{"k", "l"}, h["X-Key"])
		require.Equal(t, []string{"c1"}, h["X-Ms-Client-Request-Id"])
	}
	require.Equal(t, "c1", first.Header.Get("X-Ms-Client-Request-Id"))
}

// A headerEditor is a Doer that records each request's headers, and then overwrites the first value
// of each header in place.
type headerEditor struct {
	poller.Doer
	seen *[]http.Header
}

func (v headerEditor) Do(req *http.Request) (*http.Response, error) {
	*v.seen = append(*v.seen, req.Header.Clone())
	for _, values := range req.Header {
		values[0] = "spoilt"
	}
	return v.Doer.Do(req)
}

// A Doer may modify a request's URL. ResultURL then returns the modified URL.
func TestDoerMayChangeURL(t *testing.T) {
	s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {widget}})
	p, err := poller.Begin[raw](newRequest(t, "POST", resource), versioned{s.client()}, nil)
	require.NoError(t, err)
	_, err = p.Poll(t.Context())
	require.NoError(t, err)
	require.Equal(t, origin+monitor+"?api-version=1", p.ResultURL())
}

// A versioned is a Doer that adds an api-version to each URL.
type versioned struct{ poller.Doer }

func (v versioned) Do(req *http.Request) (*http.Response, error) {
	req.URL.RawQuery = "api-version=1"
	return v.Doer.Do(req)
}
