package poller_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

func TestNilClient(t *testing.T) {
	var client *http.Client
	_, err := poller.Begin[raw](newRequest(t, "POST", resource), client, &poller.Options{ResultPointer: "bad"})
	require.IsType(t, &lroerrors.StatusError{}, err)
	p, err := poller.New[raw](&http.Response{StatusCode: 200, Request: newRequest(t, "POST", resource)}, client, nil)
	require.NoError(t, err)
	require.True(t, p.Done())
}

func TestNewLeavesBodyReadable(t *testing.T) {
	cut := errors.New("cut")
	rows := []struct {
		name  string
		code  int
		body  io.Reader
		opts  *poller.Options
		reads string
		fails error
	}{
		{"accepted", 202, strings.NewReader(`{"a":1}`), nil, `{"a":1}`, nil},
		{"refused", 409, strings.NewReader(`{"error":{"code":"C"}}`), nil, `{"error":{"code":"C"}}`, nil},
		{"with a BOM", 200, strings.NewReader("\xef\xbb\xbf{}"), nil, "\xef\xbb\xbf{}", nil},
		{"cut", 200, io.MultiReader(strings.NewReader("{"), errReader{cut}), nil, "{", cut},
		{"larger than allowed", 200, strings.NewReader(`"0123456789"`), &poller.Options{MaxResultBytes: 3}, `"0123456789"`, nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			resp := &http.Response{
				StatusCode: row.code, Header: http.Header{"Location": {"/op"}},
				Body: io.NopCloser(row.body), Request: newRequest(t, "POST", resource),
			}
			_, _ = poller.New[raw](resp, http.DefaultClient, row.opts)
			body, err := io.ReadAll(resp.Body)
			require.Equal(t, row.fails, err)
			require.Equal(t, row.reads, string(body))
			require.NoError(t, resp.Body.Close())
		})
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// If the body of the first response is incomplete, New fails only if the poller needs that body.
func TestIncompleteFirstResponse(t *testing.T) {
	for name, row := range map[string]struct {
		method string
		code   int
		header http.Header
		follow bool
	}{
		"201 with a status to poll":  {"PUT", 201, http.Header{"Azure-Asyncoperation": {monitor}}, true},
		"200 with a status to poll":  {"PATCH", 200, http.Header{"Operation-Location": {monitor}}, true},
		"202 with a Location":        {"POST", 202, http.Header{"Location": {monitor}}, true},
		"202, the resource is asked": {"PUT", 202, nil, true},
		"201, the resource is asked": {"PUT", 201, nil, false},
		"200, a result":              {"POST", 200, nil, false},
	} {
		resp := &http.Response{
			StatusCode: row.code, Header: row.header, Request: newRequest(t, row.method, resource),
			Body: io.NopCloser(io.MultiReader(strings.NewReader("{"), errReader{io.ErrUnexpectedEOF})),
		}
		p, err := poller.New[raw](resp, nil, nil)
		if row.follow {
			require.NoError(t, err, name)
			require.False(t, p.Done(), name)
			continue
		}
		require.ErrorIs(t, waitOf(t, err, lroerrors.ReasonUnfollowable), io.ErrUnexpectedEOF, name)
	}
}

// New rejects an incomplete body if the strategy reports that the operation has ended, even if the
// strategy did not read the body. New also rejects the incomplete body of a 201 if the poller would
// read the resource next, even after a redirect to another URL.
func TestIncompleteFirstResponseJudgedWithoutBody(t *testing.T) {
	start := func(code int, path string, opts *poller.Options) error {
		req := newRequest(t, "PUT", path)
		if path != resource { // a redirect led to path
			req.Response = &http.Response{Request: newRequest(t, "PUT", resource)}
		}
		_, err := poller.New[raw](&http.Response{StatusCode: code, Request: req, Body: io.NopCloser(errReader{io.ErrUnexpectedEOF})}, nil, opts)
		return err
	}
	reporting := func(state poller.State) poller.Strategy {
		return step(func(strategy.Answer) (strategy.Move, error) {
			return strategy.Move{Status: poller.Status{State: state}, Poll: monitor}, nil
		})
	}
	for name, row := range map[string]struct {
		code int
		path string
		opts poller.Options
	}{
		"the resource, behind a redirect": {201, "/moved", poller.Options{}},
		"success":                         {200, resource, poller.Options{Strategy: reporting(poller.Succeeded)}},
		"success to be confirmed":         {200, resource, poller.Options{Strategy: poller.Confirm(reporting(poller.Succeeded), poller.Check{})}},
		"failure":                         {200, resource, poller.Options{Strategy: reporting(poller.Failed)}},
	} {
		require.ErrorIs(t, waitOf(t, start(row.code, row.path, &row.opts), lroerrors.ReasonUnfollowable), io.ErrUnexpectedEOF, name)
	}
	require.NoError(t, start(200, resource, &poller.Options{Strategy: reporting(poller.InProgress)}))
}

// A relative URL is resolved against the URL of the response that contains it, even after a
// redirect (RFC 9110, section 10.2.2).
func TestLinkIsRelativeToResponseURL(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"POST " + resource: {"303\nLocation: /moved/w1"}, get("/moved/w1"): {"202\nLocation: op2"}, get("/moved/op2"): {"200 {}"},
		})
		_, err := begin(t, s, "POST", nil).PollUntilDone(t.Context())
		require.NoError(t, err)
		resp, err := s.client().Do(newRequest(t, "POST", resource))
		require.NoError(t, err)
		defer resp.Body.Close()
		p, err := poller.New[raw](resp, s.client(), nil)
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

func TestNewRejectsOtherResponses(t *testing.T) {
	_, err := poller.New[raw](nil, nil, nil)
	require.IsType(t, &lroerrors.StatusError{}, err)
	_, err = poller.Begin[raw](nil, nil, nil)
	require.IsType(t, &lroerrors.StatusError{}, err)
	for _, code := range []int{100, 203, 206, 301, 304, 400, 404, 429, 500, 503} {
		resp := &http.Response{StatusCode: code, Header: http.Header{"Azure-Asyncoperation": {"/op"}}, Request: newRequest(t, "PUT", resource), Body: io.NopCloser(strings.NewReader("why not"))}
		_, err := poller.New[raw](resp, nil, nil)
		require.IsType(t, &lroerrors.StatusError{}, err, code)
		require.Contains(t, err.Error(), "PUT "+origin+resource)
	}
}

// New rejects a response whose Request is nil or has no URL.
func TestNewNeedsRequest(t *testing.T) {
	for name, sent := range map[string]*http.Request{"no Request": nil, "a Request without a URL": {Method: "PUT"}} {
		t.Run(name, func(t *testing.T) {
			const body = `{"id":"w1","properties":{"provisioningState":"Creating"}}`
			resp := &http.Response{StatusCode: 201, Request: sent, Body: io.NopCloser(strings.NewReader(body))}
			_, err := poller.New[raw](resp, nil, nil)
			require.IsType(t, &lroerrors.StatusError{}, err)
			require.EqualError(t, err, "lro: 201 Created: the Request of the response is not set; its method and URL decide how to follow the operation")

			resp.Request = newRequest(t, "PUT", resource)
			s := serve(map[string][]reply{get(resource): {widget}})
			p, err := poller.New[raw](resp, s.client(), nil)
			require.NoError(t, err, "New must leave the body readable")
			require.Equal(t, "Creating", p.Status().Word)
			st, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, poller.Succeeded, st.State)
		})
	}
	_, err := poller.New[raw](&http.Response{StatusCode: 409, Body: io.NopCloser(strings.NewReader(`{"error":{"code":"Busy","message":"wait"}}`))}, nil, nil)
	require.ErrorContains(t, err, "409 Conflict: Busy: wait: the Request of the response is not set")
	for _, code := range []int{200, 202, 204} {
		_, err := poller.New[raw](&http.Response{StatusCode: code}, nil, nil)
		require.ErrorContains(t, err, "Request of the response is not set")
	}
}

// New returns an error if the strategy names a URL that cannot be polled.
func TestStrategyWithInvalidURL(t *testing.T) {
	nowhere := step(func(strategy.Answer) (strategy.Move, error) { return strategy.Move{Poll: "mailto:x"}, nil })
	_, err := poller.New[raw](&http.Response{StatusCode: 202, Request: newRequest(t, "PUT", resource)}, nil, &poller.Options{Strategy: nowhere})
	require.ErrorIs(t, err, lroerrors.ErrNoOperation)
}

func TestBadOptionsSendNothing(t *testing.T) {
	for _, opts := range []*poller.Options{
		{Origins: []string{"management.example.test"}},
		{Origins: []string{origin + "/subscriptions"}},
		{Origins: []string{"https://user:pw@management.example.test"}},
		{ResultPointer: "properties"},
		{Strategy: poller.Confirm(nil, poller.Check{URL: "https://a.test/%zz?SECRET"})},
		{Strategy: poller.CrossCheck(nil, poller.Check{URL: ":"})},
		{FinalStateVia: "somewhere"},
	} {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}})
		_, err := poller.Begin[raw](newRequest(t, "POST", resource), s.client(), opts)
		require.Error(t, err)
		require.Empty(t, s.requests())

		resp, err := s.client().Do(newRequest(t, "POST", resource))
		require.NoError(t, err)
		_, err = poller.New[raw](resp, s.client(), opts)
		wait := waitOf(t, err, lroerrors.ReasonUnfollowable)
		_, err = resume(t, tokenOf(t, wait), s).Poll(t.Context())
		require.Error(t, err, "invalid options must not send a request")
		require.NoError(t, resp.Body.Close())
	}
}

// An error about an invalid origin shows the origin without its user-info and query, and has the
// prefix "lro:" only once.
func TestInvalidOriginIsShown(t *testing.T) {
	for entry, shown := range map[string]string{
		"management.example.test":                 `"management.example.test"`,
		"management.example.test:443":             `"management.example.test:443"`,
		":":                                       `":"`,
		"ftp://home.test":                         `"ftp://home.test"`,
		"https://home.test/%zz":                   `"https://home.test/%zz"`,
		"https://home.test:x/":                    `"https://home.test:x/"`,
		"https://home.test:99999":                 `"https://home.test:99999"`,
		"https://home.test?SECRET":                `"https://home.test"`,
		"https://home.test/%zz?sig=SECRET#SECRET": `"https://home.test/%zz"`,
		"https://user:SECRET@home.test":           `"https://home.test"`,
		"https://user:SECRET@home.test:x":         `home.test:x"`,
		"https://user:SEC/SECRET@home.test":       `home.test"`,
		"user:SECRET@home.test":                   `home.test"`,
	} {
		opts := &poller.Options{Origins: []string{origin, entry}}
		_, err := poller.Begin[raw](newRequest(t, "POST", resource), nil, opts)
		_, errResume := poller.Resume[raw]("{}", nil, opts)
		for _, err := range []error{err, errResume} {
			require.ErrorContains(t, err, shown)
			require.ErrorContains(t, err, "is not an origin such as https://management.azure.com: ")
			require.NotContains(t, err.Error(), "SEC")
			require.Equal(t, 1, strings.Count(err.Error(), "lro:"), "%v", err)
		}
	}
}

func TestForeignTokenError(t *testing.T) {
	_, err := poller.Resume[raw](`{"lro":1,"phase":"polling","method":"PUT","target":"https://a.test/w","poll":"https://b.test/op","status":null}`,
		nil, &poller.Options{Origins: []string{"https://a.test"}})
	require.EqualError(t, err, "lro: foreign origin: https://b.test is not an allowed origin")
}

func TestBeginWithoutResponse(t *testing.T) {
	s := serve(map[string][]reply{"PUT " + resource: {"drop"}})
	req := newRequest(t, "PUT", resource+"?sig=SECRET")
	_, err := poller.Begin[raw](req, s.client(), nil)
	require.IsType(t, &lroerrors.StatusError{}, err)
	require.Zero(t, err.(*lroerrors.StatusError).StatusCode) //nolint:errorlint // checked right above
	require.NotContains(t, err.Error(), "SECRET")

	_, err = poller.Begin[raw](req, nothing{}, nil)
	require.IsType(t, &lroerrors.StatusError{}, err)
}

// If a Doer returns both a response and an error, Begin closes the body.
func TestBeginClosesResponseWithError(t *testing.T) {
	closed := 0
	for _, body := range []io.ReadCloser{nil, &closing{io.NopCloser(strings.NewReader("x")), func() { closed++ }}} {
		both := doer(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 302, Body: body}, io.ErrUnexpectedEOF
		})
		_, err := poller.Begin[raw](newRequest(t, "PUT", resource), both, nil)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
	require.Equal(t, 1, closed)
}

// A nothing is a broken Doer that returns neither a response nor an error.
type nothing struct{}

func (nothing) Do(*http.Request) (*http.Response, error) { return nil, nil } //nolint:nilnil // this is the bug

// If the caller needs no result, a POST or DELETE succeeds even with a plain-text response. Begin
// rejects an HTML page, which may come from a gateway, and plain text after a PUT.
func TestTextWithoutResult(t *testing.T) {
	for _, method := range []string{"POST", "DELETE"} {
		s := serve(map[string][]reply{method + " " + resource: {"200\nContent-Type: text/plain"}})
		for text, follow := range map[string]bool{"200 Restarted": true, "201 {half": true, "200 <html>": false} {
			s.replies[method+" "+resource] = []reply{text}
			p, err := poller.Begin[struct{}](newRequest(t, method, resource), s.client(), nil)
			if !follow {
				requireWait(t, err, lroerrors.ReasonUnfollowable)
				continue
			}
			require.NoError(t, err, text)
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err)
		}
	}
	s := serve(map[string][]reply{"POST " + resource: {"200 Restarted"}, "PUT " + resource: {"200 Created"}})
	_, err := poller.Begin[raw](newRequest(t, "POST", resource), s.client(), nil)
	p, err := poller.Resume[struct{}](tokenOf(t, waitOf(t, err, lroerrors.ReasonUnfollowable)), s.client(), trusted)
	require.NoError(t, err)
	require.True(t, p.Done())
	_, err = poller.Begin[struct{}](newRequest(t, "PUT", resource), s.client(), nil)
	requireWait(t, err, lroerrors.ReasonUnfollowable)
}
