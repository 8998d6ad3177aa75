package poller_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// step is a strategy of one function.
type step func(poller.Answer) (poller.Move, error)

func (f step) Step(a poller.Answer) (poller.Move, error) { return f(a) }

func TestAStrategyIsShownEveryAnswerButThoseThatTellNothing(t *testing.T) {
	for _, code := range []int{200, 201, 202, 204, 206, 302, 304, 400, 402, 404, 405, 409, 410, 412, 418, 422, 424, 451} {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(resource): {fmt.Sprint(code)}})
		var seen []int
		p := begin(t, s, "POST", &poller.Options{Strategy: step(func(a poller.Answer) (poller.Move, error) {
			seen = append(seen, a.Code)
			return poller.Move{Status: poller.Status{Word: "going"}}, nil
		})})
		st, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, []int{202, code}, seen)
		require.Equal(t, poller.InProgress, st.State)
		require.Equal(t, code, st.StatusCode)
	}
	for _, code := range []int{401, 403, 408, 429, 500, 502, 503, 599} {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(resource): {fmt.Sprint(code)}})
		p := begin(t, s, "POST", &poller.Options{Strategy: step(func(a poller.Answer) (poller.Move, error) {
			require.True(t, a.First)
			return poller.Move{}, nil
		})})
		_, err := p.Poll(t.Context())
		require.Error(t, err)
	}
}

func TestAStrategyRemembersThroughMemoAndSoThroughTokens(t *testing.T) {
	bubble(t, func(t *testing.T) {
		counting := step(func(a poller.Answer) (poller.Move, error) {
			var n int
			if !a.First {
				if err := json.Unmarshal(a.Memo, &n); err != nil {
					return poller.Move{}, err
				}
			}
			require.Equal(t, "POST", a.Method)
			require.Equal(t, origin+resource, a.Target)
			memo, _ := json.Marshal(n + 1)
			mv := poller.Move{Poll: fmt.Sprintf("step/%d", n+1), Memo: memo, After: time.Duration(n+20) * time.Second}
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
		require.Equal(t, []time.Duration{0, 20 * time.Second, 41 * time.Second, 63 * time.Second, 63 * time.Second}, s.times(), "After is a pause asked for")
	})
}

func TestRetryAfterWinsOverAHintInTheBody(t *testing.T) {
	s := serve(map[string][]reply{"POST " + resource: {"202\nRetry-After: 33"}})
	bubble(t, func(t *testing.T) {
		p := begin(t, s, "POST", &poller.Options{Strategy: step(func(poller.Answer) (poller.Move, error) {
			return poller.Move{After: time.Hour}, nil
		})})
		require.Equal(t, 33*time.Second, time.Until(p.NextPoll()))
	})
}

func TestNowAsksAtOnceThreeTimesInARow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(resource): {"200"}})
		p := begin(t, s, "POST", &poller.Options{Strategy: step(func(a poller.Answer) (poller.Move, error) {
			return poller.Move{Now: true}, nil
		})})
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Len(t, s.requests(), 1+1+3)
		require.Equal(t, time.Minute, time.Until(p.NextPoll()))
	})
}

func TestAStrategyThatFindsNoStatus(t *testing.T) {
	odd := errors.New("no such luck")
	strategy := step(func(a poller.Answer) (poller.Move, error) {
		if a.First {
			return poller.Move{}, nil
		}
		return poller.Move{}, odd
	})
	for code, reason := range map[reply]lroerrors.Reason{"200 {}": lroerrors.Patience, "404": lroerrors.Gone, "400": lroerrors.Refused, "424": lroerrors.Patience, "410": lroerrors.Gone} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {"202"}, get(resource): {code}})
			_, err := begin(t, s, "POST", &poller.Options{Strategy: strategy}).PollUntilDone(t.Context())
			requireWait(t, err, reason)
			require.ErrorIs(t, err, odd)
		})
	}
}

// What a token could not carry is refused when it appears, while the operation
// can still be resumed from what was known before.
func TestAMoveThatNoTokenCouldCarry(t *testing.T) {
	for _, odd := range []poller.Move{
		{Memo: raw(`{`), Status: poller.Status{State: poller.Succeeded}},
		{Cancel: &poller.Request{Body: raw("plain")}},
	} {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(resource): {"200"}})
		p := begin(t, s, "POST", &poller.Options{Strategy: step(func(a poller.Answer) (poller.Move, error) {
			if a.First {
				return poller.Move{Memo: raw(`1`)}, nil
			}
			return odd, nil
		})})
		_, err := p.Poll(t.Context())
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.False(t, p.Done())
		tokenOf(t, p)
	}
}

func TestCancel(t *testing.T) {
	cancelable := func(r *poller.Request) poller.Strategy {
		return step(func(a poller.Answer) (poller.Move, error) {
			mv := poller.Move{Poll: monitor, Cancel: r}
			if string(a.Body) == "canceled" {
				mv.Status.State = poller.Canceled
			}
			return mv, nil
		})
	}
	t.Run("as the strategy says, then polling goes on", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {"202"}, "DELETE " + monitor: {"204"}, get(monitor): {"200 going", "200 canceled"}})
			p := begin(t, s, "POST", &poller.Options{Strategy: cancelable(&poller.Request{Method: "DELETE"})})
			require.NoError(t, p.Cancel(t.Context()))
			require.False(t, p.Done())
			_, err := p.PollUntilDone(t.Context())
			require.ErrorIs(t, err, lroerrors.ErrCanceled)
			require.NoError(t, p.Cancel(t.Context()), "it has ended: nothing is sent")
			require.Equal(t, []string{"POST " + resource, "DELETE " + monitor, get(monitor), get(monitor)}, s.requests())
		})
	})
	t.Run("answers", func(t *testing.T) {
		for code, ok := range map[reply]bool{"200": true, "202": true, "204": true, "409": true, "404": true, "403": false, "405": false, "500": false, "302": false} {
			s := serve(map[string][]reply{"POST " + resource: {"202"}, "DELETE " + monitor: {code}})
			p := begin(t, s, "POST", &poller.Options{Strategy: cancelable(&poller.Request{Method: "DELETE", URL: monitor, OK: []int{404, 409}})})
			err := p.Cancel(t.Context())
			if ok {
				require.NoError(t, err, code)
				continue
			}
			require.IsType(t, &lroerrors.StatusError{}, err, code)
			require.False(t, p.Done(), "a refused cancel is no end")
		}
	})
	t.Run("as the caller says, from the status", func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {`200 {"status":"Running","name":"op1"}`}, "POST /cancel/op1": {"202"}})
		p := begin(t, s, "POST", &poller.Options{CancelRequest: func(st poller.Status) (*poller.Request, error) {
			if st.Name == "" {
				return nil, nil //nolint:nilnil // no way to cancel yet
			}
			return &poller.Request{Method: "POST", URL: "/cancel/" + st.Name, Body: raw(`{"why":1}`)}, nil
		}})
		err := p.Cancel(t.Context())
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.NoError(t, p.Cancel(t.Context()))
		require.Equal(t, "application/json", s.headers()[2].Get("Content-Type"))
	})
	t.Run("without a way", func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}})
		err := begin(t, s, "POST", nil).Cancel(t.Context())
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		require.Len(t, s.requests(), 1)
	})
	t.Run("from a token", func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, "DELETE " + monitor: {"204"}})
		strategy := cancelable(&poller.Request{Method: "DELETE", OK: []int{404}})
		p := begin(t, s, "POST", &poller.Options{Strategy: strategy})
		p, err := poller.Resume[raw](tokenOf(t, p), s.client(), &poller.Options{Strategy: strategy, Origins: []string{origin}})
		require.NoError(t, err)
		require.NoError(t, p.Cancel(t.Context()))
	})
}

func TestUpdatesYieldsEveryStatusAndMayBeStopped(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {running, "503", `200 {"status":"Almost"}`, succeeded}})
		p := begin(t, s, "POST", nil)
		var words []string
		for range 2 {
			for st, err := range p.Updates(t.Context()) {
				require.NoError(t, err)
				word := st.Word
				if st.ReadErr != nil {
					word = "survived " + word
				}
				words = append(words, word)
				if len(words) == 3 {
					break
				}
			}
		}
		require.Equal(t, []string{"", "Running", "survived Running", "survived Running", "Almost", "Succeeded"}, words)
		require.Len(t, s.requests(), 5)
		for st, err := range p.Updates(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, poller.Succeeded, st.State)
		}
		require.Len(t, s.requests(), 5)
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {running, "403"}})
		p := begin(t, s, "POST", nil)
		var n int
		var last error
		for st, err := range p.Updates(t.Context()) {
			n++
			last = err
			require.Equal(t, poller.InProgress, st.State)
		}
		require.Equal(t, 3, n)
		requireWait(t, last, lroerrors.Refused)
	})
	bubble(t, func(t *testing.T) {
		failed := `200 {"status":"Failed"}`
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {failed}})
		for _, err := range begin(t, s, "POST", nil).Updates(t.Context()) {
			require.NoError(t, err, "Failed is a status here")
		}
	})
}

func TestUpdatesTellsWhatAnotherReadLearned(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {running, succeeded}})
		p := begin(t, s, "POST", nil)
		time.AfterFunc(5*time.Second, func() {
			_, err := p.Poll(context.Background())
			require.NoError(t, err)
		})
		at := map[string]time.Duration{}
		for st, err := range p.Updates(t.Context()) {
			require.NoError(t, err)
			at[st.Word] = time.Since(s.began)
		}
		require.Equal(t, map[string]time.Duration{"": 0, "Running": 5 * time.Second, "Succeeded": 65 * time.Second}, at)
	})
}

func TestOneReadAtATime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {running, `200 {"status":"Second"}`}})
		p, err := poller.Begin[raw](newRequest(t, "POST", resource), clientOf(slowly(s, 5*time.Second)), nil)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				st, err := p.Poll(t.Context())
				require.NoError(t, err)
				require.Equal(t, "Running", st.Word, "a turn that finds a newer status returns it")
			})
		}
		synctest.Wait()
		// Readers do not wait for the read under way.
		require.False(t, p.Done())
		require.Empty(t, p.Status().Word)
		require.NotZero(t, p.NextPoll())
		_, err = p.ResumeToken()
		require.NoError(t, err)
		_ = p.String()
		// One who waits for a turn may give up.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = p.Poll(ctx)
		requireWait(t, err, lroerrors.Deadline)
		wg.Wait()
		require.Len(t, s.requests(), 2)
		st, err := p.Poll(t.Context())
		require.NoError(t, err, "alone, Poll reads at once")
		require.Equal(t, "Second", st.Word)
	})
}

func TestManyWaitForTheSameOperation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {running, "503", running, succeeded}, get(resource): {widget}})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(slowly(s, time.Second)), nil)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				if i%2 == 0 {
					drain(t, p)
				}
				v, err := p.PollUntilDone(t.Context())
				require.NoError(t, err)
				require.JSONEq(t, widget[4:], string(v))
			})
		}
		wg.Wait()
		require.Equal(t, []string{"PUT " + resource, get(monitor), get(monitor), get(monitor), get(monitor), get(resource)}, s.requests())
	})
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
