package poller_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// cancelsBy is a strategy that cancels every operation with the same request.
type cancelsBy struct {
	step
	request *poller.Request
}

func (s cancelsBy) Cancel(strategy.Answer) (*poller.Request, error) { return s.request, nil }

func TestCancel(t *testing.T) {
	cancelable := func(r *poller.Request) poller.Strategy {
		return cancelsBy{step(func(a strategy.Answer) (strategy.Move, error) {
			mv := strategy.Move{Poll: monitor}
			if string(a.Body) == "canceled" {
				mv.Status.State = poller.Canceled
			}
			return mv, nil
		}), r}
	}
	t.Run("by the strategy, then polling continues", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {"202"}, "DELETE " + monitor: {"204"}, get(monitor): {"200 going", "200 canceled"}})
			p := begin(t, s, "POST", &poller.Options{Strategy: cancelable(&poller.Request{Method: "DELETE"})})
			require.NoError(t, p.Cancel(t.Context()))
			require.False(t, p.Done())
			_, err := p.PollUntilDone(t.Context())
			require.ErrorIs(t, err, lroerrors.ErrCanceled)
			require.NoError(t, p.Cancel(t.Context()), "Cancel of an ended operation must be a no-op")
			require.Equal(t, []string{"POST " + resource, "DELETE " + monitor, get(monitor), get(monitor)}, s.requests())
			require.Empty(t, s.headers()[1].Get("Content-Type"), "a request without a body has no Content-Type")
		})
	})
	t.Run("answers", func(t *testing.T) {
		for code, ok := range map[reply]bool{"200": true, "202": true, "204": true, "409": true, "404": true, "403": false, "405": false, "500": false, "302": false} {
			s := serve(map[string][]reply{"POST " + resource: {"202"}, "DELETE " + monitor: {code}})
			p := begin(t, s, "POST", &poller.Options{Strategy: cancelable(&poller.Request{Method: "DELETE", URL: monitor, OK: []int{404, 409}})})
			err := p.Cancel(t.Context())
			if ok {
				require.NoError(t, err, code)
				continue
			}
			require.IsType(t, &lroerrors.StatusError{}, err, code)
			require.False(t, p.Done(), "a refused cancel request must not end the operation")
		}
	})
	t.Run("accepted, even if the body is cut", func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, "DELETE " + monitor: {"202 x\nContent-Length: 100"}})
		p := begin(t, s, "POST", &poller.Options{Strategy: cancelable(&poller.Request{Method: "DELETE"})})
		require.NoError(t, p.Cancel(t.Context()))
	})
	t.Run("by the caller, from the status", func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {`200 {"status":"Running","name":"op1"}`}, "POST /cancel/op1": {"202"}})
		p := begin(t, s, "POST", &poller.Options{CancelRequest: func(st poller.Status) (*poller.Request, error) {
			if st.Name == "" {
				return nil, nil //nolint:nilnil // nil means that the operation cannot be canceled yet
			}
			return &poller.Request{Method: "POST", URL: "/cancel/" + st.Name, Body: raw(`{"why":1}`)}, nil
		}})
		err := p.Cancel(t.Context())
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.NoError(t, p.Cancel(t.Context()))
		require.Equal(t, "application/json", s.headers()[2].Get("Content-Type"))
	})
	t.Run("until the context ends", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodDelete {
					<-r.Context().Done()
				}
				write(w, "202")
			})
			p, err := poller.Begin[raw](newRequest(t, "POST", resource), clientOf(h), &poller.Options{Strategy: cancelable(&poller.Request{Method: "DELETE"})})
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			require.ErrorIs(t, waitOf(t, p.Cancel(ctx), lroerrors.ReasonDeadline), context.DeadlineExceeded)
			require.False(t, p.Done())
		})
	})
	t.Run("without a way", func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}})
		err := begin(t, s, "POST", nil).Cancel(t.Context())
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		require.Len(t, s.requests(), 1)
	})
	t.Run("from a token", func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, "DELETE " + monitor: {"204"}})
		strategy := cancelable(&poller.Request{Method: "DELETE", OK: []int{404}})
		p := begin(t, s, "POST", &poller.Options{Strategy: strategy})
		p, err := poller.Resume[raw](tokenOf(t, p), s.client(), &poller.Options{Strategy: strategy, Origins: []string{origin}})
		require.NoError(t, err)
		require.NoError(t, p.Cancel(t.Context()))
	})
}

// A cancel request has the same headers as a poll: those copied from the first request, and those
// in Options.Header, which take precedence.
func TestCancelHeaders(t *testing.T) {
	s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {running}, "POST " + monitor + "/cancel": {"202"}})
	req := newRequest(t, "POST", resource)
	req.Header.Set("X-Ms-Client-Request-Id", "c1")
	req.Header.Set("Accept-Language", "de")
	p, err := poller.Begin[raw](req, s.client(), &poller.Options{
		Header: http.Header{"x-key": {"k"}, "Accept-Language": {"fr"}},
		CancelRequest: func(poller.Status) (*poller.Request, error) {
			return &poller.Request{Method: "POST", URL: monitor + "/cancel", Body: raw("{}")}, nil
		},
	})
	require.NoError(t, err)
	_, err = p.Poll(t.Context())
	require.NoError(t, err)
	require.NoError(t, p.Cancel(t.Context()))
	require.Equal(t, "de", s.headers()[0].Get("Accept-Language"), "Begin's request must have its own header, not that of Options")
	for _, h := range s.headers()[1:] {
		require.Equal(t, "application/json", h.Get("Accept"))
		require.Equal(t, "c1", h.Get("X-Ms-Client-Request-Id"))
		require.Equal(t, "fr", h.Get("Accept-Language"))
		require.Equal(t, "k", h.Get("X-Key"))
	}
	require.Equal(t, []string{"", "application/json"}, []string{s.headers()[1].Get("Content-Type"), s.headers()[2].Get("Content-Type")})
}

// A relative URL from CancelRequest is resolved against the first request's URL, not the polled
// URL, which the service chooses.
func TestCancelURLIsRelativeToFirstRequest(t *testing.T) {
	for relative, want := range map[string]string{"cancel": "/widgets/cancel", "?cancel": resource, "w1/stop": resource + "/stop", "/abort": "/abort"} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{
				"PUT " + resource:                     {"201\nAzure-AsyncOperation: /widgets/victim/operations/op1"},
				get("/widgets/victim/operations/op1"): {running + "\nAzure-AsyncOperation: /widgets/victim/op2"}, "DELETE " + want: {"202"},
			})
			opts := &poller.Options{Origins: []string{origin}, CancelRequest: func(poller.Status) (*poller.Request, error) {
				return &poller.Request{Method: "DELETE", URL: relative}, nil
			}}
			p := begin(t, s, "PUT", opts)
			require.NoError(t, p.Cancel(t.Context()))
			_, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.NoError(t, p.Cancel(t.Context()))
			p, err = poller.Resume[raw](tokenOf(t, p), s.client(), opts)
			require.NoError(t, err)
			require.NoError(t, p.Cancel(t.Context()))
			require.Equal(t, 3, count(s.requests(), "DELETE "+want))
			require.Len(t, s.requests(), 5)
		})
	}
	s := serve(nil) // nothing is sent: azcore's token lacks the first request's URL, so a relative URL cannot be resolved
	p, err := poller.Resume[raw](`{"type":"Widget","token":{"type":"loc","pollURL":"`+origin+monitor+`","initialURL":"","state":"InProgress"}}`, s.client(), &poller.Options{
		Origins:       []string{origin},
		CancelRequest: func(poller.Status) (*poller.Request, error) { return &poller.Request{URL: "cancel"}, nil },
	})
	require.NoError(t, err)
	require.Error(t, p.Cancel(t.Context()))
	require.Empty(t, s.requests())
}
