package poller_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// A URL or a header may contain any byte, but a token must be UTF-8. Fuzzing found the cases in
// this file.

func TestTokenKeepsLocationBytes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{get("/op/\xe4"): {succeeded}})
		resp := &http.Response{
			StatusCode: http.StatusAccepted, Request: newRequest(t, http.MethodPost, "/w"), Body: http.NoBody,
			Header: http.Header{"Azure-Asyncoperation": {"https://other.example.test/op/\xe4"}},
		}
		_, err := poller.New[raw](resp, s.client(), nil)
		requireWait(t, err, lroerrors.ReasonUnfollowable)
		wait, _ := errors.AsType[*lroerrors.WaitError](err)
		token, err := wait.ResumeToken()
		require.NoError(t, err)
		p, err := poller.Resume[raw](token, s.client(), &poller.Options{Origins: []string{origin, "https://other.example.test"}})
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{get("/op/\xe4")}, s.requests())
	})
}

// cancelsAt is a strategy for operations that never end. Its value is the URL of the cancel
// request.
type cancelsAt string

func (url cancelsAt) Step(strategy.Answer) (strategy.Move, error) {
	return strategy.Move{Poll: monitor, Memo: json.RawMessage(`1`)}, nil
}

func (url cancelsAt) Cancel(strategy.Answer) (*poller.Request, error) {
	return &poller.Request{URL: string(url)}, nil
}

func TestTokenKeepsCancelURLBytes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, "POST /cancel/\xe4": {"202"}})
		opts := &poller.Options{Strategy: cancelsAt("/cancel/\xe4"), Origins: []string{origin}}
		p := begin(t, s, http.MethodPost, opts)
		require.NoError(t, p.Cancel(t.Context()))
		again, err := poller.Resume[raw](tokenOf(t, p), s.client(), opts)
		require.NoError(t, err)
		require.NoError(t, again.Cancel(t.Context()))
		require.Equal(t, []string{"POST " + resource, "POST /cancel/\xe4", "POST /cancel/\xe4"}, s.requests())
	})
}

func TestTokenKeepsIDBytes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"200\nX-Ms-Request-Id: \xe4"}})
		p := begin(t, s, http.MethodPost, nil)
		require.Equal(t, "\uFFFD", p.Status().RequestID)
		require.Equal(t, "\uFFFD", resume(t, tokenOf(t, p), s).Status().RequestID)
	})
}
