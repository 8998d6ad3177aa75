package poller_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// For up to a day, the poller obeys instructions to wait, even if Patience tolerates no failed
// read. WaitError.Polls counts each response with such an instruction.
func TestInstructionToWaitSpendsNoPatience(t *testing.T) {
	for _, busy := range []reply{"429\nRetry-After: 600", "503\nRetry-After: 600", "503\nRetry-After-Ms: 600000", "429 {}\nRetry-After: 600"} {
		for _, patience := range []poller.Patience{{}, {Time: -1}} {
			bubble(t, func(t *testing.T) {
				script := append(repeat(busy, 143), running, succeeded) // 143 pauses of 10 min take almost a day
				s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): script, get(resource): append(repeat(busy, 143), widget)})
				p := begin(t, s, "PUT", &poller.Options{Patience: patience})
				v, err := p.PollUntilDone(t.Context())
				require.NoError(t, err, busy)
				require.JSONEq(t, widget[4:], string(v))
				require.Equal(t, 2*time.Minute+2*143*10*time.Minute, time.Since(s.began))
			})
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {busy}})
				_, err := begin(t, s, "PUT", &poller.Options{Patience: patience}).PollUntilDone(t.Context())
				wait := waitOf(t, err, lroerrors.ReasonPatience)
				require.Equal(t, time.Minute+24*time.Hour, wait.Elapsed)
				require.Equal(t, 145, wait.Polls)
			})
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {busy}})
				_, err := begin(t, s, "PUT", &poller.Options{Patience: patience}).PollUntilDone(t.Context())
				require.IsType(t, &lroerrors.ResultError{}, err)
				require.Equal(t, time.Minute+24*time.Hour, time.Since(s.began))
			})
		}
	}
}

// Patience.Throttled limits how long a poller, including one from Watch, obeys instructions to
// wait. The limit is checked at each instruction. A negative value means no limit.
func TestThrottled(t *testing.T) {
	const busy = "429\nRetry-After: 600"
	for _, tt := range []struct {
		throttled, want time.Duration
	}{{time.Hour, time.Hour}, {55 * time.Minute, time.Hour}, {-1, 48 * time.Hour}} {
		patience := poller.Patience{Throttled: tt.throttled}
		script := append(repeat(busy, 48*6), `200 {"status":"Failed"}`)
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): script})
			_, err := begin(t, s, "PUT", &poller.Options{Patience: patience}).PollUntilDone(t.Context())
			require.Error(t, err)
			require.Equal(t, tt.throttled > 0, isWait(err))
			require.Equal(t, time.Minute+tt.want, time.Since(s.began))
		})
		bubble(t, func(t *testing.T) {
			reads, start := 0, time.Now()
			get := func(context.Context) (int, error) {
				if reads++; reads > 48*6 {
					return reads, nil
				}
				return 0, &lroerrors.StatusError{StatusCode: http.StatusTooManyRequests, RetryAfter: 10 * time.Minute}
			}
			_, err := poller.Watch(get, poller.Until(func(int) bool { return true }), &poller.WatchOptions{Patience: patience}).PollUntilDone(t.Context())
			require.Equal(t, tt.throttled > 0, isWait(err))
			require.Equal(t, tt.want, time.Since(start))
		})
	}
}

// The poller gives up after a day of instructions to wait, measured from the last response of any
// other kind.
func TestInstructionLimitStartsAfterFailure(t *testing.T) {
	bubble(t, func(t *testing.T) {
		script := slices.Concat(repeat("500\nRetry-After: 3600", 2), repeat("429\nRetry-After: 3600", 30))
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): script})
		_, err := begin(t, s, "PUT", &poller.Options{Patience: poller.Patience{Time: 3 * time.Hour, Failures: -1}}).PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonPatience)
		require.Equal(t, time.Minute+time.Hour+24*time.Hour, time.Since(s.began))
	})
}

// A 503 without Retry-After is a failure. A 429 without Retry-After is an instruction to wait, and
// the poller backs off.
func TestInstructionWithoutPause(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): append(repeat("429", 8), succeeded), get(resource): {widget}})
		_, err := begin(t, s, "PUT", &poller.Options{Patience: poller.Patience{Time: -1}}).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, time.Minute+(10+20+40+80+160+320+600+600)*time.Second, time.Since(s.began))
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {"503"}})
		_, err := begin(t, s, "PUT", &poller.Options{Patience: poller.Patience{Time: -1}}).PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonPatience)
		require.Equal(t, time.Minute, time.Since(s.began))
	})
}

// A 429 between failed reads does not use up Patience, even if another process resumes the
// operation.
func TestInstructionsDuringFailures(t *testing.T) {
	for _, resumed := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			script := slices.Concat(repeat("500\nRetry-After: 300", 2), repeat("429\nRetry-After: 3600", 5), repeat("500\nRetry-After: 300", 9))
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): script})
			p := begin(t, s, "PUT", nil)
			var err error
			for !isWait(err) {
				time.Sleep(time.Until(p.NextPoll()))
				if resumed {
					p = resume(t, tokenOf(t, p), s)
				}
				_, err = p.Poll(t.Context())
			}
			requireWait(t, err, lroerrors.ReasonPatience)
			// The pauses before and after each 429 do not count against Patience.
			require.Equal(t, time.Minute+2*5*time.Minute+5*time.Hour+5*5*time.Minute, time.Since(s.began))
		})
	}
}

// A single 404 after other failures does not mean that the operation is gone.
func TestStray404IsNotGone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		script := append(repeat("500\nRetry-After: 440", 5), "404")
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): script})
		_, err := begin(t, s, "PUT", nil).PollUntilDone(t.Context())
		wait := waitOf(t, err, lroerrors.ReasonPatience)
		require.ErrorContains(t, wait.LastErr, "404 Not Found")
		require.Equal(t, time.Minute+5*440*time.Second, wait.Elapsed)
	})
}

// Before giving up on a DELETE with a lost status, the poller reads the resource. If the resource
// still exists, the wait continues.
func TestDeletionSurvivesLostStatus(t *testing.T) {
	for name, tt := range map[string]struct {
		status   []reply
		patience poller.Patience
	}{
		"less patience than grace": {[]reply{"404"}, poller.Patience{Time: time.Minute, Failures: 2}},
		"spent on 503s":            {append(repeat("503", 9), "404"), poller.Patience{}},
		"none":                     {[]reply{running, "404"}, poller.Patience{Time: -1}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"DELETE " + resource: {accepted}, get(monitor): tt.status, get(resource): {"404"}})
				_, err := begin(t, s, "DELETE", &poller.Options{Patience: tt.patience}).PollUntilDone(t.Context())
				require.NoError(t, err)
				require.Equal(t, get(resource), s.requests()[len(s.requests())-1])
			})
		})
	}
	bubble(t, func(t *testing.T) {
		script := append(append([]reply{running, "404"}, repeat(running, 120)...), "404")
		s := serve(map[string][]reply{"DELETE " + resource: {accepted}, get(monitor): script, get(resource): {widget, "404"}})
		_, err := begin(t, s, "DELETE", nil).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Greater(t, time.Since(s.began), 2*time.Hour)
	})
}

// A poll that package transport holds back sends nothing and does not change NextPoll.
func TestHeldPollKeepsNextPoll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"POST /providers/P.Q/a":    {"202\nLocation: /providers/P.Q/a/op"},
			"POST /providers/P.Q/b":    {"202\nLocation: /providers/P.Q/b/op"},
			get("/providers/P.Q/a/op"): {"202\nRetry-After: 300", "204"},
			get("/providers/P.Q/b/op"): {"429\nRetry-After: 60"},
		})
		client := through(s, transport.Options{})
		patient := followWith(t, client, "providers/P.Q/a", nil)
		throttled := followWith(t, client, "providers/P.Q/b", nil)
		_, err := patient.Poll(t.Context())
		require.NoError(t, err)
		_, err = throttled.Poll(t.Context())
		require.Error(t, err)
		sent := len(s.requests())

		_, err = patient.Poll(t.Context())
		require.NoError(t, err)
		require.Len(t, s.requests(), sent, "package transport must hold the request back")
		require.Equal(t, 5*time.Minute, time.Until(patient.NextPoll()))
		_, err = patient.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 5*time.Minute, time.Since(s.began))
	})
}
