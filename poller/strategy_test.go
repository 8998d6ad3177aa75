package poller_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// A step is a function that implements [strategy.Strategy].
type step func(strategy.Answer) (strategy.Move, error)

func (f step) Step(a strategy.Answer) (strategy.Move, error) { return f(a) }

func TestResponsesShownToStrategy(t *testing.T) {
	for _, code := range []int{200, 201, 202, 204, 299, 302, 304, 400, 402, 404, 405, 409, 410, 412, 418, 422, 424, 451} {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(resource): {fmt.Sprint(code)}})
		var seen []int
		p := begin(t, s, "POST", &poller.Options{Strategy: step(func(a strategy.Answer) (strategy.Move, error) {
			seen = append(seen, a.Code)
			return strategy.Move{Status: poller.Status{Word: "going"}}, nil
		})})
		st, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, []int{202, code}, seen)
		require.Equal(t, poller.InProgress, st.State)
		require.Equal(t, code, st.StatusCode)
	}
	for _, code := range []int{206, 401, 403, 408, 429, 500, 502, 503, 599} {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(resource): {fmt.Sprint(code)}})
		var seen []int
		p := begin(t, s, "POST", &poller.Options{Strategy: step(func(a strategy.Answer) (strategy.Move, error) {
			require.Equal(t, len(seen) == 0, a.First)
			seen = append(seen, a.Code)
			return strategy.Move{}, nil
		})})
		_, err := p.Poll(t.Context())
		require.Equal(t, []int{202}, seen, "Step must not receive such a response, not even when the wait is about to end")
		if code == 401 || code == 403 {
			requireWait(t, err, lroerrors.ReasonRefused)
			continue
		}
		require.IsType(t, &lroerrors.StatusError{}, err)
	}
}

func TestMemoSurvivesResume(t *testing.T) {
	bubble(t, func(t *testing.T) {
		counting := step(func(a strategy.Answer) (strategy.Move, error) {
			var n int
			if !a.First {
				if err := json.Unmarshal(a.Memo, &n); err != nil {
					return strategy.Move{}, err
				}
			}
			require.Equal(t, "POST", a.Method)
			require.Equal(t, origin+resource, a.Target)
			memo, _ := json.Marshal(n + 1)
			mv := strategy.Move{Poll: fmt.Sprintf("step/%d", n+1), Memo: memo, After: time.Duration(n+20) * time.Second}
			if n == 3 {
				mv.Status.State, mv.Result.URL = poller.Succeeded, "/result"
			}
			return mv, nil
		})
		opts := &poller.Options{Strategy: counting, Origins: []string{origin}}
		s := serve(map[string][]reply{
			"POST " + resource: {"202"}, "GET /widgets/step/1": {"200"}, "GET /widgets/step/step/2": {"200"},
			"GET /widgets/step/step/step/3": {"200"}, "GET /result": {"200 9"},
		})
		p, err := poller.Begin[int](newRequest(t, "POST", resource), s.client(), opts)
		require.NoError(t, err)
		for !p.Done() {
			p, err = poller.Resume[int](tokenOf(t, p), s.client(), opts)
			require.NoError(t, err)
			time.Sleep(time.Until(p.NextPoll()))
			_, err = p.Poll(t.Context())
			require.NoError(t, err)
		}
		v, err := p.Result(t.Context())
		require.NoError(t, err)
		require.Equal(t, 9, v)
		require.Equal(t, []time.Duration{0, 20 * time.Second, 41 * time.Second, 63 * time.Second, 63 * time.Second}, s.times(), "After must count as a pause that the service asked for")
	})
}

func TestRetryAfterOverridesMoveAfter(t *testing.T) {
	s := serve(map[string][]reply{"POST " + resource: {"202\nRetry-After: 33"}})
	bubble(t, func(t *testing.T) {
		p := begin(t, s, "POST", &poller.Options{Strategy: step(func(strategy.Answer) (strategy.Move, error) {
			return strategy.Move{After: time.Hour}, nil
		})})
		require.Equal(t, 33*time.Second, time.Until(p.NextPoll()))
	})
}

func TestNowReadsThreeTimesInARow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(resource): {"200"}})
		p := begin(t, s, "POST", &poller.Options{Strategy: step(func(a strategy.Answer) (strategy.Move, error) {
			return strategy.Move{Now: true}, nil
		})})
		reads := 0
		for range 2 {
			for n := range 3 {
				require.Equal(t, time.Now(), p.NextPoll(), n)
				_, err := p.Poll(t.Context())
				require.NoError(t, err)
				require.Len(t, s.requests(), 1+reads+1, "each immediate read must be a read of its own")
				reads++
			}
			require.Equal(t, time.Minute, time.Until(p.NextPoll()), "the pause must be the usual one after three immediate reads")
			time.Sleep(time.Minute)
			_, err := p.Poll(t.Context())
			require.NoError(t, err)
			reads++
		}
	})
}

func TestNowAfterFirstResponse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(resource): {"200"}})
		p := begin(t, s, "POST", &poller.Options{Strategy: step(func(a strategy.Answer) (strategy.Move, error) {
			return strategy.Move{Now: a.First}, nil
		})})
		require.Equal(t, time.Now(), p.NextPoll())
		p = resume(t, tokenOf(t, p), s)
		require.Zero(t, time.Until(p.NextPoll()))
	})
}

func TestStrategyWithoutStatus(t *testing.T) {
	odd := errors.New("no such luck")
	strategy := step(func(a strategy.Answer) (strategy.Move, error) {
		if a.First {
			return strategy.Move{}, nil
		}
		return strategy.Move{}, odd
	})
	for code, reason := range map[reply]lroerrors.Reason{"200 {}": lroerrors.ReasonPatience, "404": lroerrors.ReasonGone, "400": lroerrors.ReasonRefused, "424": lroerrors.ReasonPatience, "410": lroerrors.ReasonGone} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {"202"}, get(resource): {code}})
			_, err := begin(t, s, "POST", &poller.Options{Strategy: strategy}).PollUntilDone(t.Context())
			requireWait(t, err, reason)
			require.ErrorIs(t, err, odd)
		})
	}
}

// If a strategy returns a Memo that is not valid JSON, the read fails, even if the Move reports
// success. The operation has not ended, and ResumeToken still returns a token.
func TestInvalidMemoIsRejected(t *testing.T) {
	for _, odd := range []strategy.Move{
		{Memo: raw(`{`), Status: poller.Status{State: poller.Succeeded}},
	} {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(resource): {"200"}})
		p := begin(t, s, "POST", &poller.Options{Strategy: step(func(a strategy.Answer) (strategy.Move, error) {
			if a.First {
				return strategy.Move{Memo: raw(`1`)}, nil
			}
			return odd, nil
		})})
		_, err := p.Poll(t.Context())
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.False(t, p.Done())
		tokenOf(t, p)
	}
}

func TestOptionsAreCopied(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {`200 {"status":"Ready"}`}})
		opts := &poller.Options{Words: map[string]poller.State{"Ready": poller.Succeeded}, Header: http.Header{"X-A": {"1"}}, Origins: []string{origin}}
		p := begin(t, s, "POST", opts)
		clear(opts.Words)
		opts.Header.Set("X-A", "2")
		opts.Origins[0] = "nonsense"
		_, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "1", s.headers()[1].Get("X-A"))
	})
}

// serverErrors is a strategy in which a 500 means failure. It also receives a 502 but finds no
// status there.
type serverErrors struct{}

func (serverErrors) ReadsServerError(code int) bool { return code == 500 || code == 502 }

func (serverErrors) Step(a strategy.Answer) (strategy.Move, error) {
	switch a.Code {
	case 202:
		return strategy.Move{Poll: monitor}, nil
	case 500:
		return strategy.Move{Status: poller.Status{State: poller.Failed, Detail: a.Detail()}}, nil
	case 502:
		return strategy.Move{}, strategy.ErrNoStatus
	}
	panic(fmt.Sprintf("unexpected: %d", a.Code))
}

func TestStrategyThatReadsServerErrors(t *testing.T) {
	for name, s := range map[string]poller.Strategy{
		"alone": serverErrors{}, "confirmed": poller.Confirm(serverErrors{}, poller.Check{}), "checked": poller.CrossCheck(serverErrors{}, poller.Check{}),
	} {
		bubble(t, func(t *testing.T) {
			start := time.Now()
			service := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {"502", "503", `500 {"error":{"code":"Broken","message":"m"}}`}})
			_, err := begin(t, service, "POST", following(s)).PollUntilDone(t.Context())
			var failed *lroerrors.OperationError
			require.ErrorAs(t, err, &failed, name)
			require.Equal(t, "Broken", failed.Detail.Code)
			require.Equal(t, 500, failed.StatusCode)
			require.Equal(t, time.Minute+10*time.Second+20*time.Second, time.Since(start), "the pauses after failed reads must be 10 s and 20 s")
		})
	}
}
