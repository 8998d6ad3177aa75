package poller_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// Where nothing answers, the operation may well be there: Gone would deny it.
func TestAStatusThatCouldNotBeReadIsNotGone(t *testing.T) {
	for status, reason := range map[reply]lroerrors.Reason{
		"503": lroerrors.Patience, "drop": lroerrors.Patience, "410": lroerrors.Gone, "404": lroerrors.Gone, "400": lroerrors.Gone,
	} {
		for _, check := range []reply{"503", updating} {
			for _, apart := range []bool{false, true} {
				t.Run(status+" "+check[:3], func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						s := serve(lostStatus([]reply{running, status}, check))
						opts := crossChecking(poller.Check{})
						p := begin(t, s, "PUT", opts)
						for apart && p.Status().State == poller.InProgress && count(s.requests(), get(resource)) == 0 {
							_, _ = p.Poll(t.Context())
							time.Sleep(time.Until(p.NextPoll()))
						}
						p, err := poller.Resume[raw](tokenOf(t, p), s.client(), opts)
						require.NoError(t, err)
						_, err = p.PollUntilDone(t.Context())
						requireWait(t, err, reason)
					})
				})
			}
		}
	}
}

// A check that is throttled is not made again with the next status.
func TestWhatTheCheckBesideAsksForIsHeeded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(lostStatus([]reply{running}, "429\nRetry-After: 300", "503\nRetry-After: 5", "429\nRetry-After: 86400", widget))
		_, err := begin(t, s, "PUT", crossChecking(poller.Check{After: time.Minute})).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, 1, 1, 6, 6, 7, 7, 17, 17}, minutes(s.times()), "within the bounds of a status")
	})
}

// The pause of a Confirm begins with the answer that told success.
func TestThePauseAfterACheckBeside(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(lostStatus([]reply{running}, widget))
		slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == resource && r.Method == http.MethodGet {
				time.Sleep(2 * time.Minute)
			}
			s.ServeHTTP(w, r)
		})
		opts := crossChecking(poller.Check{After: time.Minute})
		opts.Confirm = &poller.Check{After: 10 * time.Minute}
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(slow), opts)
		require.NoError(t, err)
		time.Sleep(time.Minute)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.True(t, p.Status().Unconfirmed)
		require.Equal(t, 10*time.Minute, time.Until(p.NextPoll()))
	})
}

// Why a check was asked is forgotten with the check.
func TestATokenThatIsNotChecking(t *testing.T) {
	token := `{"lro":1,"method":"PUT","target":"` + origin + `/w","poll":"` + origin + `/op","memo":{"strategy":"azure-async-operation"},"status":{"state":"InProgress"},"unread":true}`
	p, err := poller.Resume[raw](token, serve(nil).client(), crossChecking(poller.Check{}))
	require.NoError(t, err)
	require.NotContains(t, tokenOf(t, p), "unread")
}
