package ibmcloud_test

import (
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

const (
	host  = "https://a.test"
	first = "00000000-0000-4000-8000-000000000001" // the ID of the first operation
)

// A reply holds the parts of a response that the tests check.
type reply struct {
	code   int
	header http.Header
	body   string
	err    error // the error from reading the body
}

func (r reply) status() string { return r.member("status") }

// A tester sends requests to a handler.
type tester struct {
	*testing.T
	client *http.Client
}

func newTester(t *testing.T, h http.Handler) tester { return tester{t, fakes.Client(h)} }

func (t tester) do(method, url, body string) reply {
	t.Helper()
	return t.with(nil, method, url, body)
}

func (t tester) get(url string) reply {
	t.Helper()
	return t.do(http.MethodGet, url, "")
}

func (t tester) with(header http.Header, method, url, body string) reply {
	t.Helper()
	r, err := t.try(header, method, url, body)
	require.NoError(t, err)
	return r
}

func (t tester) try(header http.Header, method, url, body string) (reply, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	maps.Copy(req.Header, header)
	resp, err := t.client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(data), err}, nil
}
