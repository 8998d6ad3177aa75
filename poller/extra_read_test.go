package poller_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// logReader is a strategy that reads a log after each read of the status, and ignores the log's
// content.
var logReader = wrapper(func(a answer) (move, error) {
	if a.First {
		return move{Move: strategy.Move{Poll: monitor}}, nil
	}
	if a.Poll == origin+"/log" {
		return move{strategy.Move{Status: poller.Status{Word: "ignored"}, Poll: monitor}, strategy.Detour{FromCheck: true}}, nil
	}
	return move{strategy.Move{Status: poller.Status{Word: a.Text("/status")}, Poll: "/log", Now: true}, strategy.Detour{Else: monitor}}, nil
})

func TestExtraReadKeepsStatus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {running}, get("/log"): {"202\nRetry-After: 500"}})
		p := begin(t, s, "POST", &poller.Options{Strategy: logReader})
		before, err := p.Poll(t.Context())
		require.NoError(t, err)
		after, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, len(s.requests())-1)
		require.Equal(t, before.Word, after.Word)
		require.Equal(t, 200, after.StatusCode)
		require.Equal(t, time.Minute, time.Until(after.NextPoll), "the pause must be that of the status, not of the log")
		require.Equal(t, origin+monitor, p.URL())
	})
}
