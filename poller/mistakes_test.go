package poller_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// answering is a function that implements Doer.
type answering func(*http.Request) (*http.Response, error)

func (a answering) Do(req *http.Request) (*http.Response, error) { return a(req) }

// Unlike an *http.Client, a Doer may return a response without a body and without a request.
func TestBareResponses(t *testing.T) {
	bare := answering(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{}}, nil
	})
	req := &http.Request{Method: http.MethodDelete, URL: &url.URL{Scheme: "https", Host: "a.test", Path: "/w"}} // its Header is nil
	p, err := poller.Begin[raw](req, bare, &poller.Options{Header: http.Header{"X-A": {"1"}}})
	require.NoError(t, err)
	require.True(t, p.Done())
	require.Nil(t, req.Header, "the caller's request is not modified")
}

// Begin rejects invalid input before it sends anything.
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

// If CancelRequest fails or returns an invalid request, nothing is sent, and the operation can
// still be followed.
func TestCancelRequestMistakes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {succeeded}})
		none := errors.New("no cancel today")
		var made *poller.Request
		mistake := none
		p := begin(t, s, "POST", &poller.Options{CancelRequest: func(poller.Status) (*poller.Request, error) { return made, mistake }})
		require.ErrorIs(t, p.Cancel(t.Context()), none)
		made, mistake = &poller.Request{Method: "DELETE"}, nil
		require.ErrorContains(t, p.Cancel(t.Context()), "the URL is empty", "the service named the URL that is polled")
		made = &poller.Request{URL: "/cancel", Body: []byte("{")}
		require.ErrorContains(t, p.Cancel(t.Context()), "the Body is not JSON")
		made = nil
		require.ErrorIs(t, p.Cancel(t.Context()), errors.ErrUnsupported)
		_, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"POST " + resource, get(monitor)}, s.requests())
	})
}

// With the Location strategy, the operation has ended if the first response says so.
func TestLocationThatHasEnded(t *testing.T) {
	for first, result := range map[reply]string{
		"204\nLocation: " + monitor: "",
		`200 {"properties":{"provisioningState":"Succeeded"}}` + "\nLocation: " + monitor: `{"properties":{"provisioningState":"Succeeded"}}`,
	} {
		s := serve(map[string][]reply{"PUT " + resource: {first}})
		p := begin(t, s, "PUT", &poller.Options{Strategy: poller.Location})
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

// If the caller breaks out of the loop while Wait is yielding the operations that are left when its
// context ends, the next Wait yields all the others.
func TestGroupLeftWhileHandingBack(t *testing.T) {
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
		require.Len(t, wait(t.Context(), g), 3, "the first loop was left early")
	})
}
