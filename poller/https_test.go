package poller_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// The poller upgrades an http URL to https even in Detour.Else.
func TestAlternateURLIsReadOverHTTPS(t *testing.T) {
	alternating := wrapper(func(a answer) (m move, err error) {
		if a.First {
			m.Poll = "/op"
			m.Else = "http://management.example.test:80/else"
			return m, nil
		}
		if string(a.Body) != "done" {
			return m, strategy.ErrNoStatus
		}
		m.Status.State = poller.Succeeded
		return m, nil
	})
	bubble(t, func(t *testing.T) {
		e := &elsewhere{service: serve(map[string][]reply{"POST " + resource: {"202"}, get("/op"): {"500"}, get("/else"): {"200 done"}})}
		p, err := poller.Begin[struct{}](newRequest(t, "POST", resource), e.client(), &poller.Options{Strategy: alternating})
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{origin, origin, origin}, e.urls)
	})
}
