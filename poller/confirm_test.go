package poller_test

import (
	"context"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

const (
	updating = `200 {"id":"w1","properties":{"provisioningState":"Updating"}}`
	broken   = `200 {"id":"w1","properties":{"provisioningState":"Failed"},"error":{"code":"Broken","message":"no power"}}`
)

// ready is a Check.State function that checks resourceState instead of provisioningState (quirk
// W34).
func ready(a strategy.Answer) poller.State {
	if a.Text("/properties/resourceState") == "Running" {
		return poller.Succeeded
	}
	return poller.InProgress
}

func confirming(k poller.Check) *poller.Options {
	return &poller.Options{Strategy: poller.Confirm(nil, k), Origins: []string{origin}}
}

// asyncPut scripts a service that accepts a PUT, reports success at the first poll, and answers
// reads of the resource with the given replies.
func asyncPut(resources ...reply) map[string][]reply {
	return map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): resources}
}

func TestConfirmSuccess(t *testing.T) { // quirks W34 and W35
	const half, whole = `200 {"properties":{"resourceState":"Creating"}}`, `200 {"properties":{"resourceState":"Running"}}`
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(half, half+"\nRetry-After: 120", half, whole))
		v, err := begin(t, s, "PUT", confirming(poller.Check{State: ready})).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, whole[4:], string(v), "the result must be the body that confirmed the success")
		require.Equal(t, []time.Duration{
			0, time.Minute, time.Minute, 2 * time.Minute, 4 * time.Minute, 6 * time.Minute,
		}, s.times(), "at once, then at the pace of a status, and once")
	})
}

func TestUnconfirmedIsInProgress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(updating, widget))
		p := begin(t, s, "PUT", confirming(poller.Check{}))
		st, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, poller.InProgress, st.State)
		require.Equal(t, "Succeeded", st.Word)
		require.True(t, st.Unconfirmed)
		require.False(t, p.Done())
		require.Empty(t, p.ResultURL())
		require.Equal(t, time.Now(), p.NextPoll())
		require.Equal(t, `InProgress "Succeeded", reported success, not confirmed`, st.String())
		_, err = p.Result(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrNotDone)

		st, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.True(t, st.Unconfirmed)
		require.Equal(t, time.Now().Add(time.Minute), p.NextPoll())

		st, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, poller.Succeeded, st.State)
		require.False(t, st.Unconfirmed)
		require.Equal(t, origin+resource, p.ResultURL())
		v, err := p.Result(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, widget[4:], string(v))
		require.Len(t, s.requests(), 4)
	})
}

// If Times is set, that many reads in a row must agree, because replicas may return different
// states (quirks W28 to W32).
func TestConfirmTimes(t *testing.T) {
	for name, flap := range map[string]reply{"is missing": "404", "in progress": updating, "failed": broken} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(asyncPut(widget, flap, widget, "503", widget, widget))
				_, err := begin(t, s, "PUT", confirming(poller.Check{Times: 3})).PollUntilDone(t.Context())
				require.NoError(t, err)
				require.Equal(t, 2+6, len(s.requests()), "a failed read must not restart the count")
			})
		})
	}
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(broken, broken, widget, broken))
		_, err := begin(t, s, "PUT", confirming(poller.Check{Times: 3})).PollUntilDone(t.Context())
		requireFailed(t, err, "Broken")
		require.Len(t, s.requests(), 2+6, "Times must also apply to reads that report a failure")
	})
}

// requireFailed requires err itself, not an error that it wraps, to be an *OperationError with the
// state Failed and the given code.
func requireFailed(t *testing.T, err error, code string) {
	t.Helper()
	require.Equal(t, code, failureOf(t, err).Detail.Code)
}

func failureOf(t *testing.T, err error) *lroerrors.OperationError {
	t.Helper()
	require.IsType(t, &lroerrors.OperationError{}, err)
	op := err.(*lroerrors.OperationError) //nolint:errorlint // only the outermost error matters
	require.Equal(t, poller.Failed, op.State)
	require.NotNil(t, op.Detail)
	return op
}

func TestFailedCheckEndsOperation(t *testing.T) {
	for name, state := range map[string]func(strategy.Answer) poller.State{
		"by its provisioningState": nil,
		"by the caller's function": func(strategy.Answer) poller.State { return poller.Failed },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(asyncPut(broken))
				_, err := begin(t, s, "PUT", confirming(poller.Check{State: state})).PollUntilDone(t.Context())
				requireFailed(t, err, "Broken")
				require.Equal(t, 200, failureOf(t, err).StatusCode)
			})
		})
	}
}

// Without a Check.State function, the method of the first request decides which resource state
// confirms the success.
func TestConfirmWithoutFunction(t *testing.T) {
	for name, tt := range map[string]struct {
		method string
		script []reply
		reads  int
	}{
		"PUT, moving on":        {"PUT", []reply{"404", updating, widget}, 3}, // quirks W27 and W37
		"PUT, without state":    {"PUT", []reply{`200 {"id":"w1"}`}, 1},
		"PATCH, still accepted": {"PATCH", []reply{"202", widget}, 2},
		"POST":                  {"POST", []reply{updating, widget}, 2},
		"DELETE, still there":   {"DELETE", []reply{widget, broken, "200", "200 <html>", "404"}, 5}, // quirk W26
		"DELETE, 410":           {"DELETE", []reply{"410"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{tt.method + " " + resource: {accepted}, get(monitor): {succeeded}, get(resource): tt.script})
				_, err := begin(t, s, tt.method, confirming(poller.Check{})).PollUntilDone(t.Context())
				require.NoError(t, err)
				require.Len(t, s.requests(), 2+tt.reads)
				require.Equal(t, time.Duration(tt.reads)*time.Minute, time.Since(s.began))
			})
		})
	}
}

// Confirm also checks a success in the first response, which may be premature (quirks W36 and W37).
func TestConfirmSynchronousSuccess(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {`200 {"id":"old"}`}, get(resource): {updating, widget}})
		p := begin(t, s, "PUT", confirming(poller.Check{}))
		require.False(t, p.Done())
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, widget[4:], string(v), "the result must be from the later read of the same document")
	})
	bubble(t, func(t *testing.T) { // quirk W38: a POST whose response names no URL to poll
		s := serve(map[string][]reply{"POST " + resource: {`200 {"answer":42}`}, get("/deleted/w1"): {"200 {}", "404"}})
		gone := func(a strategy.Answer) poller.State {
			if a.Code == http.StatusNotFound {
				return poller.Succeeded
			}
			return poller.InProgress
		}
		v, err := begin(t, s, "POST", confirming(poller.Check{URL: "/deleted/w1", State: gone})).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, `{"answer":42}`, string(v), "a check of another document must not replace the result")
	})
}

func TestConfirmKeepsStrategyResult(t *testing.T) {
	bubble(t, func(t *testing.T) {
		script := asyncPut(widget)
		script[get("/status")] = []reply{"200 {}"}
		s := serve(script)
		v, err := begin(t, s, "PUT", confirming(poller.Check{URL: "/status"})).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, widget[4:], string(v))
		require.Equal(t, []string{"PUT " + resource, get(monitor), get("/status"), get(resource)}, s.requests())
	})
}

// The poller reads nothing during the Delay, because replicas may lag behind for a while after a
// change.
func TestConfirmDelay(t *testing.T) { // quirk W32
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(widget))
		p := begin(t, s, "PUT", confirming(poller.Check{Delay: 10 * time.Minute}))
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		due := time.Now().Add(10 * time.Minute)
		require.Equal(t, due, p.NextPoll())
		for range 3 {
			p.WakeUp()
			st, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.True(t, st.Unconfirmed)
			require.Equal(t, due, p.NextPoll())
		}
		p.WakeUp()
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, 0, 10 * time.Minute}, s.times())
	})
}

func TestWakeUpDuringConfirmDelay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(widget))
		p := begin(t, s, "PUT", confirming(poller.Check{Delay: 10 * time.Minute}))
		time.AfterFunc(5*time.Minute, p.WakeUp)
		var at []time.Duration
		for _, err := range p.Updates(t.Context()) {
			require.NoError(t, err)
			at = append(at, time.Since(s.began))
		}
		require.Equal(t, []time.Duration{0, time.Minute, 11 * time.Minute}, at)
	})
}

func TestConfirmDelayBeyondDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(widget))
		p := begin(t, s, "PUT", confirming(poller.Check{Delay: 10 * time.Minute}))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		_, err := p.PollUntilDone(ctx)
		wait := waitOf(t, err, lroerrors.ReasonDeadline)
		require.Equal(t, time.Minute, time.Since(s.began), "the wait must end before the deadline, because the delay would end after it")
		require.True(t, wait.Unconfirmed)
		require.Regexp(t, `operation last known InProgress \("Succeeded"\), reported success, not confirmed`, wait.Error())
		require.Equal(t, origin+resource, wait.URL)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 11*time.Minute, time.Since(s.began))
	})
}

// If a pause between two reads of a check would end after the deadline, the poller shortens the
// pause.
func TestConfirmReadBeforeDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(updating, widget))
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
		defer cancel()
		_, err := begin(t, s, "PUT", confirming(poller.Check{})).PollUntilDone(ctx)
		require.NoError(t, err)
		require.Equal(t, 96*time.Second, time.Since(s.began))
	})
}

func TestUnreadableCheckSpendsPatience(t *testing.T) {
	looks := func(a strategy.Answer) poller.State {
		if a.Text("/properties/state") == "Configuring" {
			return poller.InProgress
		}
		return poller.Succeeded
	}
	for _, failure := range []reply{"503", "500 {}", "drop", "200", "200 <html>", `200 {"properties":`, "302"} {
		for name, state := range map[string]func(strategy.Answer) poller.State{"nil": nil, "looks": looks} {
			t.Run(failure+" "+name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					s := serve(asyncPut(updating, failure))
					if state != nil {
						s = serve(asyncPut(`200 {"properties":{"state":"Configuring"}}`, failure))
					}
					_, err := begin(t, s, "PUT", confirming(poller.Check{State: state})).PollUntilDone(t.Context())
					wait := waitOf(t, err, lroerrors.ReasonPatience)
					require.True(t, wait.Unconfirmed)
					require.Equal(t, 2*time.Minute+1830*time.Second, time.Since(s.began))
				})
			})
		}
	}
}

func TestRefusedCheck(t *testing.T) {
	for name, tt := range map[string]struct {
		answer reply
		reason lroerrors.Reason
	}{"forbidden": {"403", lroerrors.ReasonRefused}, "bad": {"400", lroerrors.ReasonRefused}, "gone": {"410", lroerrors.ReasonGone}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(asyncPut(tt.answer, widget))
				p := begin(t, s, "PUT", confirming(poller.Check{}))
				_, err := p.PollUntilDone(t.Context())
				require.True(t, waitOf(t, err, tt.reason).Unconfirmed)
				_, err = p.PollUntilDone(t.Context())
				require.NoError(t, err, "the token must let the caller continue with other options")
			})
		})
	}
}

func TestCheckAtForeignOrigin(t *testing.T) {
	for _, url := range []string{"https://evil.test/w1", "//evil.test/w1", "http://management.example.test:8080/w1", "https://user:pass@management.example.test/w1"} {
		bubble(t, func(t *testing.T) {
			s := serve(asyncPut(widget))
			_, err := begin(t, s, "PUT", confirming(poller.Check{URL: url})).PollUntilDone(t.Context())
			requireWait(t, err, lroerrors.ReasonRefused)
			require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
			require.Len(t, s.requests(), 2)
			require.NotContains(t, err.Error(), "pass")
		})
	}
}

func TestCancelAfterUnconfirmedSuccess(t *testing.T) {
	bubble(t, func(t *testing.T) {
		script := asyncPut(updating, widget)
		script["POST /cancel"] = []reply{"202"}
		s := serve(script)
		opts := confirming(poller.Check{})
		p := begin(t, s, "PUT", opts)
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.NoError(t, p.Cancel(t.Context()), "Cancel must be a no-op after an unconfirmed success")
		require.Len(t, s.requests(), 2)

		opts.CancelRequest = func(poller.Status) (*poller.Request, error) { return &poller.Request{URL: "/cancel"}, nil }
		p, err = poller.Resume[raw](tokenOf(t, p), s.client(), opts)
		require.NoError(t, err)
		require.NoError(t, p.Cancel(t.Context()))
		require.Equal(t, "POST /cancel", s.requests()[2], "Cancel must send the request of CancelRequest")
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

// A panic in Check.State propagates to the caller, like a panic in a Strategy.
func TestPanicInCheck(t *testing.T) {
	boom := confirming(poller.Check{State: func(strategy.Answer) poller.State { panic("boom") }})
	bubble(t, func(t *testing.T) {
		p := begin(t, serve(asyncPut(widget)), "PUT", boom)
		require.PanicsWithValue(t, "boom", func() { _, _ = p.PollUntilDone(t.Context()) })
		require.False(t, p.Done(), "the panic must not leave a lock held")
	})
	bubble(t, func(t *testing.T) {
		g := groupOf(nil, begin(t, serve(asyncPut(widget)), "PUT", boom))
		require.PanicsWithValue(t, "boom", func() { _ = maps.Collect(g.Wait(t.Context())) })
	})
}

func TestConfirmInGroup(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(widget, updating, widget, widget))
		p := begin(t, s, "PUT", confirming(poller.Check{Times: 2, Delay: 5 * time.Minute}))
		g := groupOf(nil, p)
		ended := 0
		for op, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			require.Same(t, p, op)
			ended++
		}
		require.Equal(t, 1, ended)
		require.Equal(t, []time.Duration{0, time.Minute, 6 * time.Minute, 7 * time.Minute, 8 * time.Minute, 9 * time.Minute}, s.times())
	})
}
