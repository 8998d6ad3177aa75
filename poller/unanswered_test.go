package poller_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/transport"
)

// If the response to a write is lost, the service may refuse the retry because the first attempt
// took effect. The StatusError is then Unanswered. The caller can follow the operation by calling
// Begin with a GET of the resource.
func TestRetriedWriteIsRefused(t *testing.T) {
	for method, code := range map[string]int{"PUT": 409, "PATCH": 412, "POST": 409, "DELETE": 404} {
		bubble(t, func(t *testing.T) {
			refusal := map[int]reply{409: "409", 412: "412", 404: "404"}[code]
			s := serve(map[string][]reply{method + " " + resource: {"drop", refusal}, get(resource): {`200 {"properties":{"provisioningState":"Creating"}}`, widget}})
			client := through(s, transport.Options{})
			_, err := poller.Begin[raw](newRequest(t, method, resource), client, nil)
			refused, ok := err.(*lroerrors.StatusError) //nolint:errorlint // callers may rely on the type of the outermost error
			require.True(t, ok, "%v", err)
			require.Equal(t, code, refused.StatusCode)
			require.Equal(t, 2, refused.Attempts)
			require.True(t, refused.Unanswered)
			require.False(t, poller.Retryable(err), "Retryable must be false, because the operation may be running")

			p, err := poller.Begin[raw](newRequest(t, "GET", resource), client, &poller.Options{Strategy: arm.ProvisioningState})
			require.NoError(t, err)
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err)
		})
		bubble(t, func(t *testing.T) { // an error from New is Unanswered too
			s := serve(map[string][]reply{method + " " + resource: {"503", "409"}})
			resp, err := through(s, transport.Options{}).Do(newRequest(t, method, resource))
			require.NoError(t, err)
			defer resp.Body.Close()
			_, err = poller.New[raw](resp, nil, nil)
			refused, ok := errors.AsType[*lroerrors.StatusError](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, 2, refused.Attempts)
			require.True(t, refused.Unanswered)
		})
	}
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {"429", "409"}})
		_, err := poller.Begin[raw](newRequest(t, "PUT", resource), through(s, transport.Options{}), nil)
		refused, ok := errors.AsType[*lroerrors.StatusError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, 2, refused.Attempts)
		require.False(t, refused.Unanswered, "an attempt that got a 429 had no effect")
		require.True(t, poller.Retryable(err))
	})
}

// If the poller rejects a redirect, the StatusError contains the number of attempts. It is
// Unanswered if one of them may have taken effect.
func TestAttemptsOfRefusedRedirect(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {"drop", "307\nLocation: https://evil.test/"}})
		_, err := poller.Begin[raw](newRequest(t, "PUT", resource), through(s, transport.Options{}), nil)
		require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
		refused, ok := errors.AsType[*lroerrors.StatusError](err)
		require.True(t, ok)
		require.Equal(t, 2, refused.Attempts)
		require.True(t, refused.Unanswered)
	})
}

// Cancel succeeds if it sends a DELETE whose first attempt gets no response or a 5xx, and whose
// retry gets a 404 or 410.
func TestCancelWithLostResponse(t *testing.T) {
	cancelBy := func(method string) *poller.Options {
		return &poller.Options{CancelRequest: func(poller.Status) (*poller.Request, error) {
			return &poller.Request{Method: method, URL: "/cancel"}, nil
		}}
	}
	for _, tt := range []struct {
		method  string
		replies []reply
		want    int // the status code of the error, or 0 if Cancel must return nil
	}{
		{"DELETE", []reply{"drop", "404"}, 0},
		{"DELETE", []reply{"503", "410"}, 0},
		{"DELETE", []reply{"404"}, 404},
		{"DELETE", []reply{"429", "404"}, 404},
		{"DELETE", []reply{"drop", "409"}, 409},
		{"DELETE", []reply{"drop", "403"}, 403},
		{"POST", []reply{"drop", "404"}, 404},
	} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {accepted}, tt.method + " /cancel": tt.replies})
			p, err := poller.Begin[raw](newRequest(t, "POST", resource), through(s, transport.Options{}), cancelBy(tt.method))
			require.NoError(t, err)
			err = p.Cancel(t.Context())
			require.Len(t, s.requests(), 1+len(tt.replies))
			if tt.want == 0 {
				require.NoError(t, err, "%v", tt)
				require.False(t, p.Done(), "an accepted cancel request must not end the operation")
				return
			}
			refused, ok := errors.AsType[*lroerrors.StatusError](err)
			require.True(t, ok, "%v", tt)
			require.Equal(t, tt.want, refused.StatusCode)
			require.Equal(t, len(tt.replies), refused.Attempts)
		})
	}
}
