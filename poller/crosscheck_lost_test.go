package poller_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// If the check does not show how the operation ended, the WaitError's Reason says why the status
// was lost.
func TestReasonOfLostStatus(t *testing.T) {
	for status, reason := range map[reply]lroerrors.Reason{
		"503": lroerrors.ReasonPatience, "drop": lroerrors.ReasonPatience, "410": lroerrors.ReasonGone, "404": lroerrors.ReasonGone, "400": lroerrors.ReasonRefused,
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

// When a creation's status is lost, the default strategy reads the resource and Patience starts
// over.
func TestLostCreation(t *testing.T) {
	creating := `{"properties":{"provisioningState":"Creating"}}`
	for status, want := range map[reply]struct {
		reason lroerrors.Reason
		after  time.Duration
		text   string
	}{
		"503":  {lroerrors.ReasonPatience, time.Minute + 2*1830*time.Second, "503 Service Unavailable"},
		"drop": {lroerrors.ReasonPatience, time.Minute + 2*1830*time.Second, "no response"},
		"404":  {lroerrors.ReasonGone, 370*time.Second + 1830*time.Second, "404 Not Found"},
	} {
		t.Run(status, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{
					"PUT " + resource: {"201 " + creating + "\nAzure-AsyncOperation: " + monitor},
					get(monitor):      {status},
					get(resource):     {"200 " + creating},
				})
				_, err := begin(t, s, "PUT", nil).PollUntilDone(t.Context())
				wait := waitOf(t, err, want.reason)
				require.Equal(t, want.after, time.Since(s.began))
				require.Equal(t, 200, wait.LastErr.StatusCode)
				require.Contains(t, wait.Error(), "200 OK: the status of the operation has been lost since a read got "+want.text+
					", and the resource does not show an end")
			})
		})
	}
}

// If the check does not show how the operation ended, the error names the document that was read.
// For a deletion, the error says that the resource still exists.
func TestTextOfLostStatus(t *testing.T) {
	for name, tt := range map[string]struct {
		method string
		opts   *poller.Options
		want   string
	}{
		"check":    {"PUT", crossChecking(poller.Check{URL: "/ready"}), "got 410 Gone, and the check does not show an end"},
		"resource": {"PUT", crossChecking(poller.Check{}), "got 410 Gone, and the resource does not show an end"},
		"deletion": {"DELETE", nil, "got 410 Gone, and the resource still exists"},
	} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{tt.method + " " + resource: {accepted}, get(monitor): {"410"}, get(resource): {updating}, get("/ready"): {updating}})
			_, err := begin(t, s, tt.method, tt.opts).PollUntilDone(t.Context())
			require.ErrorContains(t, err, tt.want, name)
		})
	}
}

// A throttled check's Retry-After delays the next read of the status, and with it the next check.
func TestRetryAfterOfOverdueCheck(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(lostStatus([]reply{running}, "429\nRetry-After: 300", "503\nRetry-After: 5", "429\nRetry-After: 86400", widget))
		_, err := begin(t, s, "PUT", crossChecking(poller.Check{After: time.Minute})).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, 1, 1, 6, 6, 7, 7, 17, 17}, minutes(s.times()), "the pauses must stay within the bounds of the Cadence")
	})
}

// A Check's Delay starts when the response that reports the success arrives.
func TestConfirmDelayAfterOverdueCheck(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(lostStatus([]reply{running}, widget))
		slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == resource && r.Method == http.MethodGet {
				time.Sleep(2 * time.Minute)
			}
			s.ServeHTTP(w, r)
		})
		opts := crossChecking(poller.Check{After: time.Minute})
		opts.Strategy = poller.Confirm(opts.Strategy, poller.Check{Delay: 10 * time.Minute})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(slow), opts)
		require.NoError(t, err)
		time.Sleep(time.Minute)
		st, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.False(t, st.Unconfirmed)
		require.Equal(t, time.Now(), p.NextPoll(), "the check must be due at once, as a read of its own")
		st, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.True(t, st.Unconfirmed)
		require.Equal(t, 3*time.Minute, time.Since(s.began))
		require.Equal(t, 10*time.Minute, time.Until(p.NextPoll()))
	})
}

// Once a read returns a status again, the token no longer says why the status was lost.
func TestRecoveredStatusIsNotLost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(lostStatus([]reply{running, "410", running}, updating))
		p := begin(t, s, "PUT", crossChecking(poller.Check{}))
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		before := tokenOf(t, p)
		for range 2 { // the first call reads the status, the second the check's URL
			_, err = p.Poll(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err)
			require.Contains(t, tokenOf(t, p), `"lost":"Gone"`)
		}
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"PUT " + resource, get(monitor), get(monitor), get(resource), get(monitor)}, s.requests())
		require.Equal(t, before, tokenOf(t, p))
	})
}

// If a Location returns a 202 and later a document that shows the operation in progress, the poller
// also reads the URL of the caller's Check, even after a POST.
func TestOverdueLocationReadsCallersCheck(t *testing.T) {
	for method, ready := range map[string]reply{"PUT": widget, "POST": widget, "DELETE": "404"} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{
				method + " " + resource: {acceptedAt},
				get(monitor):            {"202", `200 {"status":"InProgress","error":null}`},
				get("/ready"):           {updating, ready},
				get(resource):           {widget},
			})
			_, err := begin(t, s, method, crossChecking(poller.Check{URL: "/ready"})).PollUntilDone(t.Context())
			require.NoError(t, err)
			want := []string{method + " " + resource, get(monitor), get(monitor), get("/ready"), get(monitor), get("/ready")}
			if method == http.MethodPut {
				want = append(want, get(resource)) // the result
			}
			require.Equal(t, want, s.requests())
			require.Equal(t, 2*time.Minute+30*time.Second, time.Since(s.began))
		})
	}
}
