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
)

// The pauses after failed reads double from Cadence.Min until they reach Cadence.Max: 10, 20, 40,
// 80, 160, 320, 600 and 600 s.
func TestDefaultPatience(t *testing.T) {
	for _, failure := range []reply{"503", "500 {}", "408", "424", "drop", "200 <html>", "200", `200 {"a":1}`, `200 {"status":`, "302"} {
		t.Run(failure, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {running, failure}})
				p := begin(t, s, "PUT", nil)
				_, err := p.PollUntilDone(t.Context())

				wait := waitOf(t, err, lroerrors.ReasonPatience)
				require.Equal(t, poller.InProgress, wait.State)
				require.Equal(t, "Running", wait.Word)
				require.Equal(t, 10, wait.Polls)
				first := 2 * time.Minute // the time of the first failed read
				// The wait ends after eight pauses, which take 1830 s. The first seven take only
				// 10+20+40+80+160+320+600 = 1230 s, less than 30 min.
				require.Equal(t, first+1830*time.Second, time.Since(s.began))
				require.Equal(t, wait.Elapsed, time.Since(s.began))
				require.True(t, wait.NextPoll.After(time.Now()))
			})
		})
	}
}

// Each unset field of Patience has its default, even if another field is set.
func TestDefaultPatienceByField(t *testing.T) {
	for _, patience := range []poller.Patience{{}, {Failures: 5}, {Time: 30 * time.Minute}, {Time: 30 * time.Minute, Failures: 5}} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {running, "503"}})
			_, err := begin(t, s, "PUT", &poller.Options{Patience: patience}).PollUntilDone(t.Context())
			requireWait(t, err, lroerrors.ReasonPatience)
			require.Equal(t, 2*time.Minute+1830*time.Second, time.Since(s.began), "%+v", patience)
		})
	}
}

func TestPatienceNeedsFiveFailures(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {"500\nRetry-After: 3600"}})
		_, err := begin(t, s, "PUT", nil).PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonPatience)
		require.Equal(t, time.Minute+4*time.Hour, time.Since(s.began))
	})
}

func TestStatusResetsPatience(t *testing.T) {
	bubble(t, func(t *testing.T) {
		script := append(repeat("503\nRetry-After: 600", 4), running)
		script = append(script, repeat("503\nRetry-After: 600", 4)...)
		script = append(script, succeeded)
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): script, get(resource): {widget}})
		v, err := begin(t, s, "PUT", nil).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, widget[4:], string(v))
	})
}

func TestPatienceOfOneFailure(t *testing.T) {
	for failure, reason := range map[reply]lroerrors.Reason{
		"503": lroerrors.ReasonPatience, "200 <html>": lroerrors.ReasonPatience, "drop": lroerrors.ReasonPatience, "404": lroerrors.ReasonGone,
	} {
		t.Run(failure, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"DELETE " + resource: {accepted}, get(monitor): {failure}})
				p := begin(t, s, "DELETE", &poller.Options{Patience: poller.Patience{Time: -1}})
				_, err := p.PollUntilDone(t.Context())
				requireWait(t, err, reason)
				require.Len(t, s.requests(), 2)
			})
		})
	}
}

// Poll returns a StatusError after a failed read, and a WaitError once patience has run out. The
// caller may poll again after either error.
func TestPollErrorTypes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {"503", "503", succeeded}, get(resource): {widget}})
		p := begin(t, s, "PUT", &poller.Options{Patience: poller.Patience{Time: time.Nanosecond, Failures: 2}})
		st, err := p.Poll(t.Context())
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.Equal(t, err, st.ReadErr)
		require.Equal(t, poller.InProgress, st.State)
		time.Sleep(time.Second)
		_, err = p.Poll(t.Context())
		requireWait(t, err, lroerrors.ReasonPatience)
		st, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, poller.Succeeded, st.State)
		require.NoError(t, st.ReadErr)
	})
}

func TestNotFoundGracePeriod(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {"404"}})
		_, err := begin(t, s, "PUT", nil).PollUntilDone(t.Context())
		wait := waitOf(t, err, lroerrors.ReasonGone)
		require.Contains(t, wait.Error(), "the operation has expired, or this identity cannot see it")
		// The first 404 comes at 60 s, and the pauses after it add up to 10+20+40+80+160 = 310 s.
		require.Equal(t, 370*time.Second, time.Since(s.began))
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {"404\nRetry-After: 400"}})
		_, err := begin(t, s, "PUT", nil).PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonGone)
		require.Equal(t, 860*time.Second, time.Since(s.began), "the grace period must last for at least three reads")
	})
}

func TestNotFoundRecovers(t *testing.T) { // quirk W1
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"PUT " + resource: {accepted},
			get(monitor):      {"404", "404", "404", running, "404", "404", succeeded},
			get(resource):     {widget},
		})
		_, err := begin(t, s, "PUT", nil).PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

func TestRefusedAtOnce(t *testing.T) {
	for code, reason := range map[reply]lroerrors.Reason{
		"400": lroerrors.ReasonRefused, "403": lroerrors.ReasonRefused, "405": lroerrors.ReasonRefused, "409": lroerrors.ReasonRefused,
		"418": lroerrors.ReasonRefused, "451": lroerrors.ReasonRefused, "410": lroerrors.ReasonGone,
	} {
		t.Run(code, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{
					"POST " + resource: {accepted},
					get(monitor):       {code + ` {"error":{"code":"No","message":"not you"}}`, succeeded},
				})
				p := begin(t, s, "POST", nil)
				_, err := p.PollUntilDone(t.Context())
				wait := waitOf(t, err, reason)
				require.Equal(t, "No", wait.LastErr.Detail.Code)
				require.Equal(t, time.Minute, time.Since(s.began))

				_, err = p.PollUntilDone(t.Context())
				require.NoError(t, err, "the token must let the caller continue")
			})
		})
	}
}

func TestUnauthorizedIsRetriedOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {"401", succeeded}})
		_, err := begin(t, s, "POST", nil).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, time.Minute, time.Minute}, s.times())
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {"401"}})
		_, err := begin(t, s, "POST", nil).PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonRefused)
		require.Len(t, s.requests(), 3)
	})
}

func TestForbiddenAfterCreation(t *testing.T) { // quirk W31
	creating := `201 {"properties":{"provisioningState":"Creating"}}`
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {creating}, get(resource): {"403", "403", widget}})
		_, err := begin(t, s, "PUT", nil).PollUntilDone(t.Context())
		require.NoError(t, err)
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {"200" + creating[3:]}, get(resource): {"403", widget}})
		_, err := begin(t, s, "PUT", nil).PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonRefused)
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {"201\nAzure-AsyncOperation: " + monitor}, get(monitor): {"403", succeeded}})
		_, err := begin(t, s, "PUT", nil).PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonRefused)
	})
}

func TestDeleteReadsResourceWhenStatusIsGone(t *testing.T) {
	t.Run("after a status", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"DELETE " + resource: {accepted}, get(monitor): {running, "404"}, get(resource): {"404"}})
			_, err := begin(t, s, "DELETE", nil).PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, []time.Duration{0, time.Minute, 2 * time.Minute, 2 * time.Minute}, s.times())
		})
	})
	t.Run("never before a status", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"DELETE " + resource: {accepted}, get(monitor): {"404", "404", succeeded}})
			_, err := begin(t, s, "DELETE", nil).PollUntilDone(t.Context())
			require.NoError(t, err)
			require.NotContains(t, s.requests(), get(resource))
		})
	})
	t.Run("after the grace", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"DELETE " + resource: {accepted}, get(monitor): {"404"}, get(resource): {"404"}})
			_, err := begin(t, s, "DELETE", nil).PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, 370*time.Second, time.Since(s.began))
		})
	})
	t.Run("at once after 410", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"DELETE " + resource: {acceptedAt}, get(monitor): {"410"}, get(resource): {widget, "503", widget, "404"}})
			_, err := begin(t, s, "DELETE", nil).PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{
				"DELETE " + resource, get(monitor), get(resource),
				get(monitor), get(resource), get(monitor), get(resource), get(monitor), get(resource),
			}, s.requests(), "status and resource are read in turn")
			require.Equal(t, time.Minute+(10+20+40+80+160+320)*time.Second, time.Since(s.began))
		})
	})
	t.Run("until patience is spent", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"DELETE " + resource: {acceptedAt}, get(monitor): {"202", "404"}, get(resource): {widget}})
			_, err := begin(t, s, "DELETE", nil).PollUntilDone(t.Context())
			wait := waitOf(t, err, lroerrors.ReasonGone)
			require.Contains(t, wait.Error(), "the resource still exists")
			require.Equal(t, 2*time.Minute+1830*time.Second, time.Since(s.began))
		})
	})
	t.Run("refused at the resource", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"DELETE " + resource: {acceptedAt}, get(monitor): {"202", "404"}, get(resource): {"403"}})
			_, err := begin(t, s, "DELETE", nil).PollUntilDone(t.Context())
			requireWait(t, err, lroerrors.ReasonRefused)
		})
	})
}

// If a response never arrives, the read fails after ResponseTimeout, and the wait continues.
func TestHangingResponse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hung := false
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPost:
				write(w, accepted)
			case !hung:
				hung = true
				<-r.Context().Done()
			default:
				write(w, succeeded)
			}
		})
		start := time.Now()
		p, err := poller.Begin[raw](newRequest(t, "POST", resource), clientOf(h), nil)
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, time.Minute+5*time.Minute+10*time.Second, time.Since(start))
	})
}

// requireWait requires that err itself is a *WaitError with the given reason.
func requireWait(t *testing.T, err error, reason lroerrors.Reason) {
	t.Helper()
	require.Error(t, err)
	require.IsType(t, &lroerrors.WaitError{}, err)
	wait, _ := errors.AsType[*lroerrors.WaitError](err)
	require.Equal(t, reason, wait.Reason, "%v", err)
	if reason != lroerrors.ReasonDeadline && reason != lroerrors.ReasonCanceled {
		require.NotErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, context.Canceled)
	}
}

func waitOf(t *testing.T, err error, reason lroerrors.Reason) *lroerrors.WaitError {
	t.Helper()
	requireWait(t, err, reason)
	wait, _ := errors.AsType[*lroerrors.WaitError](err)
	return wait
}
