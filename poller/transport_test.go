package poller_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// through returns a client of package transport that sends its requests to s.
func through(s http.Handler, opts transport.Options) *http.Client {
	opts.Base = &fakes.Transport{Handler: s}
	return transport.NewClient(&opts)
}

// Package transport retries a failed read if the Retry-After is short. If the Retry-After is long,
// the poller pauses instead.
func TestRetryAfterBetweenTransportAndPoller(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"POST " + resource: {acceptedAt},
			get(monitor):       {"503\nRetry-After: 5", "202", "503\nRetry-After: 30", "200 {}"},
		})
		p, err := poller.Begin[raw](newRequest(t, "POST", resource), through(s, transport.Options{}), nil)
		require.NoError(t, err)
		var survived int
		for st, err := range p.Updates(t.Context()) {
			require.NoError(t, err)
			if st.ReadErr != nil {
				survived++
			}
		}
		require.Equal(t, 1, survived, "package transport must retry the read with the short Retry-After")
		require.Equal(t, []time.Duration{0, 60 * time.Second, 65 * time.Second, 125 * time.Second, 155 * time.Second}, s.times())
	})
}

func TestUnauthorizedReadGetsFreshToken(t *testing.T) {
	bubble(t, func(t *testing.T) {
		tokens := 0
		client := func(s http.Handler) *http.Client {
			return through(s, transport.Options{Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
				tokens++
				return transport.Token{Value: fmt.Sprintf("t%d", tokens)}, nil
			}})
		}
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"401", "202", "401"}})
		p, err := poller.Begin[raw](newRequest(t, "POST", resource), client(s), nil)
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonRefused)
		var sent []string
		for _, h := range s.headers() {
			sent = append(sent, h.Get("Authorization"))
		}
		require.Equal(t, []string{"Bearer t1", "Bearer t1", "Bearer t2", "Bearer t2", "Bearer t3"}, sent)
		require.Equal(t, []time.Duration{0, time.Minute, time.Minute, 2 * time.Minute, 2 * time.Minute}, s.times())
	})
}

// After a 429, package transport holds back all reads of the same subscription and resource
// provider. The poller still follows every operation to its end.
func TestThrottledSubscriptionHoldsBackReads(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const base = "/subscriptions/s1/providers/Example.Widgets/operations/"
		s := serve(map[string][]reply{
			"POST /subscriptions/s1/a": {"202\nLocation: " + base + "a"},
			"POST /subscriptions/s1/b": {"202\nRetry-After: 62\nLocation: " + base + "b"},
			get(base + "a"):            {"429\nRetry-After: 40", "200 1"},
			get(base + "b"):            {"200 2"},
		})
		client := through(s, transport.Options{})
		var wg sync.WaitGroup
		for _, name := range []string{"a", "b"} {
			p, err := poller.Begin[raw](newRequest(t, "POST", "/subscriptions/s1/"+name), client, nil)
			require.NoError(t, err)
			wg.Go(func() {
				_, err := p.PollUntilDone(t.Context())
				require.NoError(t, err)
			})
		}
		wg.Wait()
		require.ElementsMatch(t, []string{get(base + "a"), get(base + "b")}, s.requests()[3:])
		require.Equal(t, []time.Duration{0, 0, 60 * time.Second, 100 * time.Second, 140 * time.Second}, s.times(), "the reads must be sent one by one until the throttle gate knows the pace of the service")
	})
}

func TestErrorNamesAttempts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"drop"}})
		p, err := poller.Begin[raw](newRequest(t, "POST", resource), through(s, transport.Options{MaxDelay: time.Second}), &poller.Options{Patience: poller.Patience{Time: -1}})
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		requireWait(t, err, lroerrors.ReasonPatience)
		require.NotContains(t, err.Error(), "attempts", "Poll must send only one request")
		_, err = p.PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonPatience)
		require.Contains(t, err.Error(), "4 attempts")
	})
}
