package poller_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

func crossChecking(k poller.Check) *poller.Options {
	return &poller.Options{Strategy: poller.CrossCheck(nil, k), Origins: []string{origin}}
}

// exists is a Check.State function that treats any existing resource as success (quirk W39).
func exists(a strategy.Answer) poller.State {
	if a.Code == http.StatusNotFound || a.Code == http.StatusGone {
		return poller.InProgress
	}
	return poller.Succeeded
}

// lostStatus scripts a service that accepts a PUT, and answers reads of the status and of the
// resource with the given replies.
func lostStatus(status []reply, resources ...reply) map[string][]reply {
	return map[string][]reply{"PUT " + resource: {accepted}, get(monitor): status, get(resource): resources}
}

func TestCrossCheckLostStatus(t *testing.T) {
	grace := 370 * time.Second // see TestNotFoundGracePeriod
	spent := time.Minute + 1830*time.Second
	for name, tt := range map[string]struct {
		status []reply
		after  time.Duration
	}{
		"W19: 404 past the grace":     {[]reply{"404"}, grace},
		"404 after a status too":      {[]reply{running, "404"}, time.Minute + grace},
		"410":                         {[]reply{"410"}, time.Minute},
		"W22: 500 forever":            {[]reply{"500"}, spent},
		"W52: an answer of no status": {[]reply{"200 {}"}, spent},
		"W52: HTML":                   {[]reply{"200 <html>"}, spent},
		"W19: a URL that is invalid":  {[]reply{"400"}, time.Minute},
		"405":                         {[]reply{"405"}, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(lostStatus(tt.status, widget))
				p := begin(t, s, "PUT", crossChecking(poller.Check{}))
				v, err := p.PollUntilDone(t.Context())
				require.NoError(t, err)
				require.JSONEq(t, widget[4:], string(v))
				require.Equal(t, tt.after, time.Since(s.began), "the read that loses the status must also read the resource")
				asked := s.requests()
				require.Equal(t, get(resource), asked[len(asked)-1])
				require.NotEqual(t, get(resource), asked[len(asked)-2], "the resource must be read only once")
			})
		})
	}
}

func TestCrossCheckIgnoresForbiddenStatus(t *testing.T) {
	for _, answer := range []reply{"403", "401"} {
		bubble(t, func(t *testing.T) {
			s := serve(lostStatus([]reply{answer}, widget))
			_, err := begin(t, s, "PUT", crossChecking(poller.Check{})).PollUntilDone(t.Context())
			requireWait(t, err, lroerrors.ReasonRefused)
			require.NotContains(t, s.requests(), get(resource))
		})
	}
}

func TestCrossCheckSpendsPatience(t *testing.T) {
	for name, resources := range map[string][]reply{
		"it is in progress": {updating}, "it is missing": {"404"}, "it fails": {"503"}, "it is empty": {"200"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(lostStatus([]reply{running, "410"}, resources...))
				_, err := begin(t, s, "PUT", crossChecking(poller.Check{})).PollUntilDone(t.Context())
				wait := waitOf(t, err, lroerrors.ReasonGone)
				require.Equal(t, origin+monitor, wait.URL, "the error must have the URL that would be read next")
				require.Equal(t, "Running", wait.Word)
				require.Equal(t, 11, wait.Polls)
				in := []string{"PUT " + resource, get(monitor), get(monitor)}
				for range 4 {
					in = append(in, get(resource), get(monitor))
				}
				require.Equal(t, append(in, get(resource)), s.requests(), "the status and the resource must be read in turn")
				require.Equal(t, 2*time.Minute+1830*time.Second, time.Since(s.began), "the lost status must start fresh patience")
			})
		})
	}
	bubble(t, func(t *testing.T) {
		s := serve(lostStatus([]reply{"500"}, updating, "404", updating, widget))
		_, err := begin(t, s, "PUT", crossChecking(poller.Check{})).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, time.Minute+1830*time.Second+(10+20+40+80+160+320)*time.Second, time.Since(s.began))
	})
}

// The caller's Check.State decides what a 410 means: here, that the operation is still in progress.
func TestCheckFunctionMayAccept410(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(lostStatus([]reply{"410"}, "410", "404", widget))
		_, err := begin(t, s, "PUT", crossChecking(poller.Check{State: exists})).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{
			"PUT " + resource, get(monitor), get(resource), get(monitor), get(resource), get(monitor), get(resource),
		}, s.requests())
	})
}

func TestCrossCheckLostStatusOfFailure(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(lostStatus([]reply{"410"}, broken, widget, broken, broken))
		_, err := begin(t, s, "PUT", crossChecking(poller.Check{Times: 2})).PollUntilDone(t.Context())
		requireFailed(t, err, "Broken")
		require.Len(t, s.requests(), 2+4)
	})
}

func TestCrossCheckDelete(t *testing.T) {
	bubble(t, func(t *testing.T) { // quirk W17: once the status is lost, the check reads its own URL instead of the resource
		s := serve(map[string][]reply{
			"DELETE " + resource: {accepted}, get(monitor): {running, "404"}, get("/deleted/w1"): {widget, "404", widget, "410", "404"},
		})
		p := begin(t, s, "DELETE", crossChecking(poller.Check{URL: "deleted/../../deleted/w1", Times: 2}))
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Empty(t, v)
		require.NotContains(t, s.requests(), get(resource))
		const check = "/deleted/w1"
		require.Equal(t, []string{
			"DELETE " + resource, get(monitor),
			get(monitor), get(check), // the check still finds the resource
			get(monitor), get(check), get(check), // the check gets a 404, but then finds the resource again
			get(monitor), get(check), get(check),
		}, s.requests())
	})
}

// If the status never reaches a terminal state, the check decides how the operation ends (quirks
// W18, W20 and W39).
func TestCrossCheckOverdueStatus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(lostStatus([]reply{running}, updating, "404", "503", widget))
		p := begin(t, s, "PUT", crossChecking(poller.Check{After: 5 * time.Minute}))
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, widget[4:], string(v))
		require.Equal(t, 8*time.Minute, time.Since(s.began))
		require.Equal(t, []time.Duration{
			0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 7, 8, 8,
		}, minutes(s.times()), "the check must follow the overdue status within the same read")
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"DELETE " + resource: {acceptedAt}, get(monitor): {"202"}, get(resource): {widget, "404", widget, "404", "404"}})
		_, err := begin(t, s, "DELETE", crossChecking(poller.Check{After: time.Minute, Times: 2})).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 5*time.Minute, time.Since(s.began))
	})
	bubble(t, func(t *testing.T) {
		s := serve(lostStatus([]reply{running}, broken))
		_, err := begin(t, s, "PUT", crossChecking(poller.Check{After: time.Minute})).PollUntilDone(t.Context())
		requireFailed(t, err, "Broken")
		require.Equal(t, time.Minute, time.Since(s.began))
	})
}

// If the context interrupts a check, the poller does not treat that as a failed read, and the check
// stays due.
func TestContextEndsOverdueCheck(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(lostStatus([]reply{running}, "200"))
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && r.URL.Path == resource {
				<-r.Context().Done()
			}
			s.ServeHTTP(w, r)
		})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(h), crossChecking(poller.Check{After: time.Minute}))
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 61*time.Second)
		defer cancel()
		_, err = p.PollUntilDone(ctx)
		require.Nil(t, waitOf(t, err, lroerrors.ReasonDeadline).LastErr)
		require.NoError(t, p.Status().ReadErr)
		require.Equal(t, s.began.Add(time.Minute), p.NextPoll())
		require.Equal(t, "Running", p.Status().Word)
	})
}

func TestCrossCheckWithoutAfter(t *testing.T) {
	for _, after := range []time.Duration{0, -1} {
		bubble(t, func(t *testing.T) {
			s := serve(lostStatus([]reply{running, succeeded}, widget))
			_, err := begin(t, s, "PUT", crossChecking(poller.Check{After: after})).PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{"PUT " + resource, get(monitor), get(monitor), get(resource)}, s.requests())
		})
	}
}

func minutes(times []time.Duration) []time.Duration {
	for i := range times {
		times[i] /= time.Minute
	}
	return times
}

func TestFailedOverdueCheckDoesNotEndWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(lostStatus(append(repeat(running, 60), succeeded), append(repeat("503", 59), widget)...))
		p := begin(t, s, "PUT", crossChecking(poller.Check{After: time.Second}))
		st, err := p.Poll(t.Context())
		require.NoError(t, err, "the first status must not be overdue")
		require.NoError(t, st.ReadErr)
		require.Equal(t, time.Now().Add(time.Minute), p.NextPoll())
		time.Sleep(time.Minute)
		st, err = p.Poll(t.Context())
		require.NoError(t, err, "a failed check must not fail the read of the status")
		require.Equal(t, time.Now(), p.NextPoll())
		require.Equal(t, time.Now(), st.NextPoll)
		st, err = p.Poll(t.Context())
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.Equal(t, "Running", st.Word)
		require.Equal(t, err, st.ReadErr)
		require.Equal(t, time.Now().Add(time.Minute), p.NextPoll())
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err, "a read of the status must succeed after a failed check")
	})
	for _, url := range []string{"https://evil.test/", "/forbidden"} {
		bubble(t, func(t *testing.T) {
			script := lostStatus([]reply{running}, widget)
			script[get("/forbidden")] = []reply{"403"}
			s := serve(script)
			_, err := begin(t, s, "PUT", crossChecking(poller.Check{URL: url, After: time.Minute})).PollUntilDone(t.Context())
			requireWait(t, err, lroerrors.ReasonRefused) // a retry cannot fix a misconfigured check
			require.Equal(t, time.Minute, time.Since(s.began))
		})
	}
}

// Confirm also checks a success that CrossCheck has found.
func TestConfirmCrossCheck(t *testing.T) {
	bubble(t, func(t *testing.T) {
		script := lostStatus([]reply{"410"}, `200 {"id":"half"}`, widget)
		script[get("/ready")] = []reply{updating, "200 {}"}
		s := serve(script)
		opts := crossChecking(poller.Check{})
		opts.Strategy = poller.Confirm(opts.Strategy, poller.Check{URL: "/ready"})
		v, err := begin(t, s, "PUT", opts).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, widget[4:], string(v), "the result must be the document that confirmed the success")
		require.Equal(t, []string{"PUT " + resource, get(monitor), get(resource), get("/ready"), get("/ready"), get(resource)}, s.requests())
	})
}

func TestCrossCheckLosesResultOfPost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {"410"}, get(resource): {widget}})
		v, err := begin(t, s, "POST", crossChecking(poller.Check{})).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Empty(t, v)
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {"410"}, get(resource): {widget}})
		opts := crossChecking(poller.Check{})
		opts.FinalStateVia = poller.FinalStateViaOriginalURI
		v, err := begin(t, s, "POST", opts).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, widget[4:], string(v))
	})
}

func TestCrossCheckInGroup(t *testing.T) {
	bubble(t, func(t *testing.T) {
		beside := serve(lostStatus([]reply{running}, updating, widget))
		lost := serve(lostStatus([]reply{"410"}, updating, widget))
		g := groupOf(&poller.GroupOptions{Spread: -1},
			begin(t, beside, "PUT", crossChecking(poller.Check{After: 3 * time.Minute})), begin(t, lost, "PUT", crossChecking(poller.Check{})))
		var at []time.Duration
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			at = append(at, time.Since(lost.began))
		}
		require.Equal(t, []time.Duration{90 * time.Second, 4 * time.Minute}, at)
		require.Equal(t, []string{"PUT " + resource, get(monitor), get(resource), get(monitor), get(resource)}, lost.requests())
	})
}

// The poller pauses between the reads of a check, because reads in quick succession could agree by
// chance.
func TestCrossCheckPausesBetweenReads(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(lostStatus([]reply{"410"}, widget))
		_, err := begin(t, s, "PUT", crossChecking(poller.Check{Times: 4})).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, 1, 1, 2, 3, 4}, minutes(s.times()))
	})
}
