package poller_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// Result makes one read and never waits. Poll does not read the result.
func TestResultReadsOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {"503", "503\nRetry-After: 3600", "404", "202", widget}})
		p := begin(t, s, "PUT", nil)
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.True(t, p.Done())
		require.Equal(t, time.Now(), p.NextPoll(), "the read of the result must be due at once")
		for n, pause := range []time.Duration{10 * time.Second, time.Hour, 40 * time.Second, 80 * time.Second} {
			st, err := p.Poll(t.Context())
			require.NoError(t, err, "Poll must send nothing after the operation has succeeded")
			require.Equal(t, poller.Succeeded, st.State)
			require.Len(t, s.requests(), 2+n)
			_, err = p.Result(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err)
			require.Len(t, s.requests(), 2+n+1)
			require.Equal(t, pause, time.Until(p.NextPoll()), n)
			p = again(t, p, s, trusted)
			require.Equal(t, pause, time.Until(p.NextPoll()), n)
			require.True(t, p.Done())
		}
		v, err := p.Result(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, widget[4:], string(v))
		require.Zero(t, p.NextPoll())
		require.Zero(t, time.Since(s.began))
		_, err = p.Result(t.Context())
		require.NoError(t, err)
		require.Len(t, s.requests(), 2+5)
	})
	for _, failure := range []reply{"503", "404", "202", "200 <html>", "drop"} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {failure}})
			p := begin(t, s, "PUT", &poller.Options{Patience: poller.Patience{Time: -1, Failures: 3}})
			_, err := p.Poll(t.Context())
			require.NoError(t, err)
			for n := range 6 {
				_, err = p.Result(t.Context())
				if n%3 == 2 {
					require.IsType(t, &lroerrors.ResultError{}, err, "Result must return a ResultError once patience has run out")
					require.Equal(t, time.Now(), p.NextPoll(), "after a ResultError, the next attempt must be due at once")
				} else {
					require.IsType(t, &lroerrors.StatusError{}, err, "%s %d", failure, n)
				}
				require.Len(t, s.requests(), 2+n+1)
			}
			require.Zero(t, time.Since(s.began))
		})
	}
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(widget))
		p := begin(t, s, "PUT", nil)
		_, err := p.Result(t.Context())
		require.Equal(t, lroerrors.ErrNotDone, err)
		require.Len(t, s.requests(), 1)
	})
}

// If the process was down or the machine was suspended between two failed reads, only the scheduled
// pause counts against Patience.
func TestDowntimeSpendsNoPatience(t *testing.T) {
	for _, apart := range []bool{false, true} {
		for _, failure := range []reply{"503", "404", "drop", "200 {}"} {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): append(repeat(failure, 4), succeeded), get(resource): {widget}})
				p := begin(t, s, "PUT", nil)
				time.Sleep(time.Minute)
				for _, want := range []string{"", "10s", "30s", "1m10s"} {
					_, err := p.Poll(t.Context())
					require.IsType(t, &lroerrors.StatusError{}, err, "%s %s", failure, want)
					require.Equal(t, want, failuresOf(t, p).Spent)
					left := time.Until(p.NextPoll())
					time.Sleep(72 * time.Hour)
					if apart {
						p = again(t, p, s, trusted)
					}
					require.Equal(t, left-72*time.Hour, time.Until(p.NextPoll()))
				}
				_, err := p.PollUntilDone(t.Context())
				require.NoError(t, err)
				require.Equal(t, time.Minute+4*72*time.Hour, time.Since(s.began))
			})
		}
	}
	bubble(t, func(t *testing.T) { // on an early read, only the time since the last read counts against Patience
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {"503"}})
		p := begin(t, s, "PUT", nil)
		for _, want := range []string{"", "3s", "6s"} {
			_, err := p.Poll(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err)
			require.Equal(t, want, failuresOf(t, p).Spent)
			time.Sleep(3 * time.Second)
		}
	})
	bubble(t, func(t *testing.T) { // the time that the reads take counts, but not the hour before the first read
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {"503"}})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(slowly(s, 7*time.Second)), nil)
		require.NoError(t, err)
		time.Sleep(time.Hour)
		for _, want := range []string{"7s", "24s"} {
			_, err := p.Poll(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err)
			require.Equal(t, want, failuresOf(t, p).Spent)
			time.Sleep(time.Until(p.NextPoll()))
		}
	})
}

// A resumed poller reads at the stored time or once the stored pause has passed since Resume,
// whichever comes first, because the clocks of the two machines may differ.
func TestResumeKeepsSchedule(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted + "\nRetry-After: 300"}, get(monitor): {running}})
		p := begin(t, s, "PUT", nil)
		token := tokenOf(t, p)
		require.Contains(t, token, `"lastRead":"2000-01-01T00:00:00Z","pause":"5m0s"`)
		for year, left := range map[string]time.Duration{"1999": -365*24*time.Hour + 5*time.Minute, "2000": 5 * time.Minute, "2001": 5 * time.Minute, "2999": 5 * time.Minute} {
			p, err := poller.Resume[raw](strings.ReplaceAll(token, `"2000-`, `"`+year+`-`), s.client(), trusted)
			require.NoError(t, err)
			require.Equal(t, left, time.Until(p.NextPoll()), year)
		}
	})
}
