package poller_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/transport"
)

type answering func(*http.Request) (*http.Response, error)

func (a answering) Do(req *http.Request) (*http.Response, error) { return a(req) }

// The poller accepts a response without a body or a Request. A Doer may return such a response,
// although an *http.Client does not.
func TestBareResponses(t *testing.T) {
	bare := answering(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{}}, nil
	})
	req := &http.Request{Method: http.MethodDelete, URL: &url.URL{Scheme: "https", Host: "a.test", Path: "/w"}} // without a Header
	p, err := poller.Begin[raw](req, bare, &poller.Options{Header: http.Header{"X-A": {"1"}}})
	require.NoError(t, err)
	require.True(t, p.Done())
	require.Nil(t, req.Header, "Begin must not change the caller's request")
}

// Begin does not change the caller's request, even if the client changes its copy.
func TestBeginKeepsRequest(t *testing.T) {
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	at, err := url.Parse(origin)
	require.NoError(t, err)
	jar.SetCookies(at, []*http.Cookie{{Name: "session", Value: "1"}})
	ours := transport.New(&transport.Options{Base: roundTrip(func(r *http.Request) (*http.Response, error) {
		resp := &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{}, Body: http.NoBody, Request: r}
		if r.Method == http.MethodPost {
			resp.StatusCode, resp.Header = http.StatusSeeOther, http.Header{"Location": {"/done"}}
		}
		return resp, nil
	}), Authorize: func(r *http.Request) error {
		r.Header.Set("Authorization", "Bearer secret")
		return nil
	}})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			http.Redirect(w, r, "/done", http.StatusSeeOther)
		}
	}))
	defer srv.Close()
	header := &poller.Options{Header: http.Header{"X-Extra": {"1"}}}
	for name, tt := range map[string]struct {
		client poller.Doer
		opts   *poller.Options
	}{
		"transport":             {client: &http.Client{Transport: ours}},
		"transport, and a jar":  {client: &http.Client{Transport: ours, Jar: jar}},
		"transport, and header": {&http.Client{Transport: ours}, header},
		"transport, and CheckRedirect": {client: &http.Client{Transport: ours, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			via[0].Header.Set("X-Hops", "1")
			return nil
		}}},
		"default":             {},
		"default, and header": {opts: header},
		"another Doer": {client: answering(func(r *http.Request) (*http.Response, error) {
			r.Header.Set("Authorization", "Bearer secret")
			r.URL.RawQuery = "key=secret"
			return (&http.Client{Transport: ours}).Do(r)
		})},
	} {
		t.Run(name, func(t *testing.T) {
			at := origin + resource
			if tt.client == nil {
				at = srv.URL
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, http.NoBody)
			require.NoError(t, err)
			req.Header.Set("Accept-Language", "de")
			p, err := poller.Begin[raw](req, tt.client, tt.opts)
			require.NoError(t, err)
			require.Contains(t, tokenOf(t, p), `"target":"`+at+`"`)
			require.Equal(t, http.Header{"Accept-Language": {"de"}}, req.Header)
			require.Equal(t, at, req.URL.String())
		})
	}
}

// Begin rejects invalid input without sending a request.
func TestBeginRejectsInvalidInput(t *testing.T) {
	unused := answering(func(*http.Request) (*http.Response, error) {
		t.Error("it was sent")
		return nil, errors.New("sent")
	})
	good := newRequest(t, http.MethodPut, resource)
	odd := newRequest(t, http.MethodPut, resource)
	odd.URL = &url.URL{Scheme: "ftp", Host: "a.test", Path: "/w"}
	for what, begin := range map[string]func() error{
		"options": func() error {
			_, err := poller.Begin[raw](good, unused, &poller.Options{Origins: []string{"a.test"}})
			return err
		},
		"a URL with another scheme": func() error {
			_, err := poller.Begin[raw](odd, unused, nil)
			return err
		},
	} {
		var refused *lroerrors.StatusError
		require.ErrorAs(t, begin(), &refused, what)
		require.Zero(t, refused.StatusCode, what)
	}
}

// If CancelRequest fails or returns an invalid request, Cancel sends nothing, and the poller can
// still follow the operation.
func TestCancelRequestMistakes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {succeeded}})
		none := errors.New("no cancel today")
		var made *poller.Request
		mistake := none
		p := begin(t, s, "POST", &poller.Options{CancelRequest: func(poller.Status) (*poller.Request, error) { return made, mistake }})
		require.ErrorIs(t, p.Cancel(t.Context()), none)
		made, mistake = &poller.Request{Method: "DELETE"}, nil
		require.ErrorContains(t, p.Cancel(t.Context()), "the URL is empty", "CancelRequest must not leave the URL to the service")
		made = &poller.Request{URL: "/cancel", Body: []byte("{")}
		require.ErrorContains(t, p.Cancel(t.Context()), "the Body is not JSON")
		made = nil
		require.ErrorIs(t, p.Cancel(t.Context()), errors.ErrUnsupported)
		_, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"POST " + resource, get(monitor)}, s.requests())
	})
}

// With the Location strategy, the first response may show that the operation has already ended.
func TestLocationEndedAtOnce(t *testing.T) {
	for first, result := range map[reply]string{
		"204\nLocation: " + monitor: "",
		`200 {"properties":{"provisioningState":"Succeeded"}}` + "\nLocation: " + monitor: `{"properties":{"provisioningState":"Succeeded"}}`,
	} {
		s := serve(map[string][]reply{"PUT " + resource: {first}})
		p := begin(t, s, "PUT", &poller.Options{Strategy: arm.Location})
		require.True(t, p.Done(), first)
		got, err := p.Result(t.Context())
		require.NoError(t, err)
		require.Equal(t, result, string(got))
		require.Len(t, s.requests(), 1)
	}
}

func TestGroupRejectsNonPollers(t *testing.T) {
	g := poller.NewGroup[*poller.Poller[raw]](nil)
	require.Panics(t, func() { g.Add((*poller.Poller[raw])(nil)) })
	require.Panics(t, func() { g.Add(&poller.Poller[raw]{}) })
}

// When its context ends, Wait yields the remaining operations. If the caller then leaves the loop,
// the next Wait yields them all again.
func TestGroupLeftWhileYieldingRest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"200 1"}, "b": {"200 2"}, "c": {"200 3"}})
		g := groupOf(nil, follow(t, s, "a", nil), follow(t, s, "b", nil), follow(t, s, "c", nil))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		first := ""
		for op, err := range g.Wait(ctx) {
			requireWait(t, err, lroerrors.ReasonDeadline)
			first = op.name
			break
		}
		require.NotEmpty(t, first)
		require.Len(t, wait(t.Context(), g), 3, "the group must keep the operations that the interrupted loop has received")
	})
}
