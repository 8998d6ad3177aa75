package poller_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// If the result cannot be decoded, the next call reads it again.
func TestConfirmedResultErrorIsNotFinal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(`200 {"id":7}`, `200 {"id":7}`, widget))
		type named struct{ ID string }
		p, err := poller.Begin[named](newRequest(t, "PUT", resource), s.client(), confirming(poller.Check{}))
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.IsType(t, &lroerrors.ResultError{}, err)
		v, err := p.Result(t.Context())
		require.NoError(t, err)
		require.Equal(t, "w1", v.ID)
	})
}

// A Check.State function may accept a 404 or 410 as success, but the body of such a response is not
// the result.
func TestErrorBodyIsNotResult(t *testing.T) {
	for _, code := range []reply{"404", "410"} {
		bubble(t, func(t *testing.T) {
			s := serve(asyncPut(code+` {"error":{"code":"NotFound"}}`, widget))
			ready := func(strategy.Answer) poller.State { return poller.Succeeded }
			v, err := begin(t, s, "PUT", confirming(poller.Check{State: ready})).PollUntilDone(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, widget[4:], string(v))
		})
	}
}

// The Check.State function decides the state. If it returns Failed or Canceled, the Detail comes
// from the response.
func TestCheckFunctionDecidesEnding(t *testing.T) {
	for state, code := range map[poller.State]string{poller.Failed: "Broken", poller.Canceled: "Broken", poller.Succeeded: "", poller.InProgress: ""} {
		bubble(t, func(t *testing.T) {
			p := begin(t, serve(asyncPut(broken)), "PUT", confirming(poller.Check{State: func(strategy.Answer) poller.State { return state }}))
			for range 2 {
				_, err := p.Poll(t.Context())
				require.NoError(t, err)
			}
			st := p.Status()
			require.Equal(t, state, st.State)
			require.Equal(t, code != "", st.Detail != nil, state)
			if code != "" {
				require.Equal(t, code, st.Detail.Code)
			}
		})
	}
}
