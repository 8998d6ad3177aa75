package poller_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// besides is a strategy that reads a log after each read of the status, and ignores what the log
// says.
type besides struct{}

func (besides) Step(a strategy.Answer) (strategy.Move, error) {
	if a.First {
		return strategy.Move{Poll: monitor}, nil
	}
	if a.Poll == origin+"/log" {
		return strategy.Move{Status: poller.Status{Word: "ignored"}, Poll: monitor, Beside: true}, nil
	}
	return strategy.Move{Status: poller.Status{Word: a.Text("/status")}, Poll: "/log", Else: monitor, Now: true}, nil
}

func TestExtraReadKeepsStatus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {running}, get("/log"): {"202\nRetry-After: 500"}})
		p := begin(t, s, "POST", &poller.Options{Strategy: besides{}})
		before, err := p.Poll(t.Context())
		require.NoError(t, err)
		after, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, len(s.requests())-1)
		require.Equal(t, before.Word, after.Word)
		require.Equal(t, 200, after.StatusCode)
		require.Equal(t, time.Minute, time.Until(after.NextPoll), "the pause of the status, not of the log")
		require.Equal(t, origin+monitor, p.URL())
	})
}
