package poller_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/transport"
)

// Operations may take "more than a day to complete" (asynchronous API reference, "Long running
// operations running more than a day"). In these tests, they take a week.
const week = 7 * 24 * time.Hour

const pause = 5 * time.Minute // the service's Retry-After

// weekly returns a service with the plan p, but with operations that take a week.
func weekly(p fakes.Plan) *fakes.Service {
	p.Duration, p.RetryAfter = week, pause
	return &fakes.Service{Default: p}
}

// hourly issues tokens that expire after an hour. It refuses requests without a valid token and
// passes the rest to its Handler.
type hourly struct {
	http.Handler
	issued int
}

func (h *hourly) token(context.Context, transport.TokenRequest) (transport.Token, error) {
	h.issued++
	expires := time.Now().Add(time.Hour)
	return transport.Token{Value: expires.Format(time.RFC3339Nano), Expires: expires}, nil
}

func (h *hourly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	value, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	expires, err := time.Parse(time.RFC3339Nano, value)
	if err != nil || !time.Now().Before(expires) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	h.Handler.ServeHTTP(w, r)
}

// A wait of a week succeeds although each token is valid for only an hour.
func TestWeekOfExpiringTokens(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		svc := weekly(fakes.Plan{})
		guard := &hourly{Handler: svc}
		client := transport.NewClient(&transport.Options{Base: &fakes.Transport{Handler: guard}, Token: guard.token})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), client, nil)
		require.NoError(t, err)
		start := time.Now()
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, week, time.Since(start))
		require.Len(t, svc.Requests(), 1+int(week/pause)+1, "the service must receive the first request, the polls and the read of the result")
		require.Greater(t, guard.issued, int(week/time.Hour))
		for _, r := range svc.Requests() {
			require.NotEqual(t, http.StatusUnauthorized, r.StatusCode)
		}
	})
}

// A process restarts every few hours, each time with a different clock. After each restart, at most
// one read comes too early, and no pause exceeds Cadence.Max.
func TestWeekOfRestarts(t *testing.T) {
	t.Parallel()
	for _, ending := range []fakes.Ending{fakes.Succeeded, fakes.Failed, fakes.Canceled} {
		bubble(t, func(t *testing.T) {
			svc := weekly(fakes.Plan{Ending: ending, Error: fakes.Error{Code: "Why", Message: "Because."}})
			opts := &poller.Options{Origins: []string{origin}}
			start := time.Now()
			p, err := poller.Begin[raw](newRequest(t, "PUT", resource), fakes.Client(svc), opts)
			require.NoError(t, err)
			clocks := []time.Duration{0, -50 * 365 * 24 * time.Hour, -3 * time.Hour, 3 * time.Hour, 50 * 365 * 24 * time.Hour}
			for n := 0; ; n++ {
				ctx, stop := context.WithTimeout(t.Context(), 7*time.Hour+time.Duration(n)*time.Second)
				_, err = p.PollUntilDone(ctx)
				stop()
				wait, ok := errors.AsType[*lroerrors.WaitError](err)
				if !ok {
					break
				}
				require.Equal(t, lroerrors.ReasonDeadline, wait.Reason)
				token, err := wait.ResumeToken()
				require.NoError(t, err)
				p, err = poller.Resume[raw](setClock(t, token, clocks[n%len(clocks)]), fakes.Client(svc), opts)
				require.NoError(t, err)
			}
			requireEnding(t, ending, err)
			require.Less(t, time.Since(start), week+10*time.Minute)
			requirePauses(t, svc.Requests(), 10*time.Second, 10*time.Minute)
		})
	}
}

// setClock returns the token that a process whose clock is ahead by d would have written.
func setClock(t *testing.T, token string, d time.Duration) string {
	t.Helper()
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(token), &members))
	var at time.Time
	require.NoError(t, json.Unmarshal(members["lastRead"], &at))
	members["lastRead"], _ = json.Marshal(at.Add(d))
	text, err := json.Marshal(members)
	require.NoError(t, err)
	return string(text)
}

func requireEnding(t *testing.T, ending fakes.Ending, err error) {
	t.Helper()
	if ending == fakes.Succeeded {
		require.NoError(t, err)
		return
	}
	op, ok := errors.AsType[*lroerrors.OperationError](err)
	require.True(t, ok, "%v", err)
	require.EqualValues(t, ending, op.State)
	require.Equal(t, "Why", op.Detail.Code)
}

// requirePauses fails the test if a pause between polls is too long, or if more than 12 pauses are
// too short. Some may be too short, because the clock may be ahead after a restart.
func requirePauses(t *testing.T, requests []fakes.Request, least, most time.Duration) {
	t.Helper()
	early := 0
	for i := 2; i < len(requests) && requests[i].Kind == fakes.Poll; i++ {
		pause := requests[i].Time.Sub(requests[i-1].Time)
		require.LessOrEqual(t, pause, most)
		if pause < least {
			early++
		}
	}
	require.LessOrEqual(t, early, 12, "at most one pause per restart may be too short")
}

// Updates keeps polling although the service is down for 25 minutes of every hour.
func TestWeekOfOutages(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		svc := weekly(fakes.Plan{})
		start := time.Now()
		outages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if since := time.Since(start); since > 0 && since%time.Hour >= 35*time.Minute {
				panic(http.ErrAbortHandler)
			}
			svc.ServeHTTP(w, r)
		})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), fakes.Client(outages), nil)
		require.NoError(t, err)
		failed := 0
		for st, err := range p.Updates(t.Context()) {
			require.NoError(t, err)
			if st.ReadErr != nil {
				failed++
			}
		}
		require.True(t, p.Done())
		require.Less(t, time.Since(start), week+10*time.Minute)
		require.Greater(t, failed, 3*int(week/time.Hour))
	})
}

// A WaitError contains everything that a caller needs to continue later: the last known state, the
// time of the next read and a resume token.
func TestWaitErrorAllowsResume(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := weekly(fakes.Plan{Words: []string{"Accepted", "CopyingDisks"}})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), fakes.Client(svc), nil)
		require.NoError(t, err)
		ctx, stop := context.WithTimeout(t.Context(), 100*time.Hour)
		defer stop()
		_, err = p.PollUntilDone(ctx)
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok)
		require.Equal(t, lroerrors.ReasonDeadline, wait.Reason)
		require.Equal(t, poller.InProgress, wait.State)
		require.Equal(t, "CopyingDisks", wait.Word)
		require.Contains(t, wait.URL, "/operationsStatuses/")
		require.NotContains(t, wait.URL, "?")
		require.Equal(t, int(100*time.Hour/pause)-1, wait.Polls)
		require.Equal(t, 100*time.Hour-pause, wait.Elapsed, "the wait must end when the next read would come after the deadline")
		require.Equal(t, time.Now().Add(pause), wait.NextPoll)
		require.True(t, wait.Asked)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Contains(t, err.Error(), ", as the service asked")

		token, err := wait.ResumeToken()
		require.NoError(t, err)
		p, err = poller.Resume[raw](token, fakes.Client(svc), &poller.Options{Origins: []string{origin}})
		require.NoError(t, err)
		require.Equal(t, wait.NextPoll.UTC(), p.NextPoll().UTC())
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

// If the operation's URL expires long before the operation ends, the wait ends with ReasonGone. A
// second poller can then follow the proxy resource, which still reports the status.
func TestProxyResourceReplacesExpiredURL(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const execute, latest = "/scenarioTests/test1/execute", "/scenarioTests/test1/testExecutionResults/latest"
		start := time.Now()
		svc := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ran, word := time.Since(start), "Running"
			if ran >= week {
				word = "Succeeded"
			}
			switch {
			case r.Method == http.MethodPost:
				write(w, accepted)
			case r.URL.Path == monitor && ran < 24*time.Hour:
				write(w, `200 {"status":"Running"}`)
			case r.URL.Path == latest:
				write(w, fmt.Sprintf(`200 {"name":"latest","properties":{"status":%q,"passed":12}}`, word)+"\nRetry-After: 600")
			default:
				write(w, "404")
			}
		})
		p, err := poller.Begin[raw](newRequest(t, "POST", execute), fakes.Client(svc), nil)
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonGone)
		require.Less(t, time.Since(start), 25*time.Hour)

		p, err = poller.Begin[raw](newRequest(t, "GET", latest), fakes.Client(svc), &poller.Options{Strategy: arm.AsyncOperation, ResultPointer: "/properties/passed"})
		require.NoError(t, err)
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "12", string(v))
		require.GreaterOrEqual(t, time.Since(start), week)
	})
}
