package poller_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

const other = "/operations/other"

var errUnclear = errors.New("unclear")

// moves returns a strategy that polls the monitor. f interprets every response except the first.
func moves(f func(answer) (move, error)) wrapper {
	return func(a answer) (move, error) {
		if a.First {
			return move{Move: strategy.Move{Poll: monitor, Memo: raw(`{}`)}}, nil
		}
		return f(a)
	}
}

// following returns options with the strategy s and the service's origin, which Resume requires.
func following(s poller.Strategy) *poller.Options {
	return &poller.Options{Strategy: s, Origins: []string{origin}}
}

// failuresOf returns the "failures" member of p's token.
func failuresOf(t *testing.T, p *poller.Poller[raw]) (f struct {
	Count, NotFound, Other int
	Spent, Missing         string
},
) {
	t.Helper()
	var token struct{ Failures any }
	require.NoError(t, json.Unmarshal([]byte(tokenOf(t, p)), &token))
	b, err := json.Marshal(token.Failures)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &f))
	return f
}

// The returned Poller is p, resumed from its token as another process would resume it.
func again(t *testing.T, p *poller.Poller[raw], s *service, opts *poller.Options) *poller.Poller[raw] {
	t.Helper()
	p, err := poller.Resume[raw](tokenOf(t, p), s.client(), opts)
	require.NoError(t, err)
	return p
}

// The poller alternates between the URLs in Move.Poll and Detour.Else, even while reads fail.
func TestPollAndElseAlternate(t *testing.T) {
	for _, failure := range []reply{"503", "drop", "200 {}"} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {"200 {}", failure}, get(other): {failure}})
			opts := following(moves(func(a answer) (move, error) {
				switch {
				case a.Lost != "":
					return move{}, nil
				case a.Poll == origin+monitor:
					return move{strategy.Move{Poll: other}, strategy.Detour{Else: monitor}}, errUnclear
				}
				return move{}, errUnclear
			}))
			_, err := begin(t, s, "POST", opts).PollUntilDone(t.Context())
			wait := waitOf(t, err, lroerrors.ReasonPatience)
			require.Equal(t, origin+other, wait.URL)
			require.Equal(t, []string{
				"POST " + resource, get(monitor), get(other), get(monitor), get(other), get(monitor), get(other), get(monitor), get(other), get(monitor),
			}, s.requests(), failure)
			require.Equal(t, time.Minute+1830*time.Second, time.Since(s.began))
		})
	}
}

// A failed check is reported in Status.ReadErr, but does not count against Patience. It delays the
// next read only if its Retry-After is longer than the usual pause. A refused check ends the wait.
// Here, the check reads a second URL right after each read of the status.
func TestFailedCheckSpendsNoPatience(t *testing.T) {
	nextTo := moves(func(a answer) (move, error) {
		if a.Code != http.StatusOK || a.Poll == origin+other {
			return move{}, strategy.ErrNoStatus
		}
		mv := move{strategy.Move{Status: poller.Status{Word: "going"}, Poll: other, Now: true}, strategy.Detour{Else: monitor}}
		if string(a.Body) == "done" {
			mv = move{Move: strategy.Move{Status: poller.Status{State: poller.Succeeded}}}
		}
		return mv, nil
	})
	for failure, pause := range map[reply]time.Duration{
		"503": time.Minute, "503\nRetry-After: 5": time.Minute, "429\nRetry-After: 300": 5 * time.Minute, "503\nRetry-After: 86400": 10 * time.Minute,
		"404": time.Minute, "410": time.Minute, "drop": time.Minute, "200 {}": time.Minute,
	} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): append(repeat("200 on", 20), "200 done"), get(other): {failure}})
			opts := following(nextTo)
			opts.Patience = poller.Patience{Time: -1}
			p := begin(t, s, "POST", opts)
			time.Sleep(time.Minute)
			st, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, time.Now(), st.NextPoll)
			p = again(t, p, s, opts)
			st, err = p.Poll(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err, failure)
			require.Equal(t, err, st.ReadErr)
			require.Equal(t, "going", st.Word)
			require.Equal(t, pause, time.Until(st.NextPoll), failure)
			require.Equal(t, origin+monitor, p.URL())
			require.NotContains(t, tokenOf(t, p), "failures")
			p = again(t, p, s, opts)
			require.Equal(t, pause, time.Until(p.NextPoll()))
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, 1+20+20+1, len(s.requests()))
			require.Equal(t, time.Minute+20*pause, time.Since(s.began))
		})
	}
	for _, refusal := range []reply{"403", "400", "401"} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {"200 on"}, get(other): {refusal}})
			_, err := begin(t, s, "POST", following(nextTo)).PollUntilDone(t.Context())
			requireWait(t, err, lroerrors.ReasonRefused)
			require.Equal(t, time.Minute, time.Since(s.began))
		})
	}
	bubble(t, func(t *testing.T) { // Patience counts from the first failed read of the status, not from the failed check
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {"200 on", "503"}, get(other): {"503"}})
		p := begin(t, s, "POST", following(nextTo))
		_, err := p.PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonPatience)
		require.Equal(t, 2*time.Minute+1830*time.Second, time.Since(s.began))
	})
}

// If Step returns a Move along with an error, the Move sets the next URL, but the read is treated
// as failed.
func TestMoveWithError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {"410"}, get(other): {"200"}})
		opts := following(moves(func(a answer) (move, error) {
			if a.Poll == origin+monitor {
				return move{Move: strategy.Move{Poll: other, Memo: raw(`{"at":2}`), Status: poller.Status{Word: "ignored"}}}, errUnclear
			}
			require.JSONEq(t, `{"at":2}`, string(a.Memo))
			return move{Move: strategy.Move{Status: poller.Status{Word: "found"}}}, nil
		}))
		p := begin(t, s, "POST", opts)
		st, err := p.Poll(t.Context())
		require.IsType(t, &lroerrors.StatusError{}, err, "a 410 must not end the wait if the strategy names the next URL")
		require.ErrorIs(t, err, errUnclear)
		require.Empty(t, st.Word)
		require.Equal(t, 10*time.Second, time.Until(p.NextPoll()))
		require.Equal(t, origin+other, p.URL())
		f := failuresOf(t, p)
		require.Equal(t, 1, f.Count)
		p = again(t, p, s, opts)
		require.Equal(t, 10*time.Second, time.Until(p.NextPoll()))
		st, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, "found", st.Word)
		require.Zero(t, failuresOf(t, p))
	})
	bubble(t, func(t *testing.T) { // if Step returns an error with every Move, patience runs out
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {"200"}, get(other): {"200"}})
		opts := following(moves(func(a answer) (move, error) {
			if a.Lost != "" {
				return move{}, nil
			}
			to := map[string]string{origin + monitor: other, origin + other: monitor}[a.Poll]
			return move{Move: strategy.Move{Poll: to}}, errUnclear
		}))
		_, err := begin(t, s, "POST", opts).PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonPatience)
		require.Equal(t, time.Minute+1830*time.Second, time.Since(s.began))
		require.Equal(t, 5, count(s.requests(), get(monitor)))
		require.Equal(t, 4, count(s.requests(), get(other)))
	})
}

// If Step returns an error and a Move with Now set, the failed read counts toward Patience.Time,
// but not toward Patience.Failures.
func TestMoveWithErrorAndNow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {"200"}, get(other): {"503"}})
		p, err := poller.Begin[raw](newRequest(t, "POST", resource), clientOf(slowly(s, 5*time.Second)), following(moves(func(a answer) (move, error) {
			return move{Move: strategy.Move{Poll: other, Now: true}}, errUnclear
		})))
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.Equal(t, time.Now(), p.NextPoll())
		f := failuresOf(t, p)
		require.Zero(t, f.Count)
		require.Equal(t, "5s", f.Spent)
		require.Len(t, s.requests(), 2)
		_, err = p.Poll(t.Context())
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.Equal(t, 10*time.Second, time.Until(p.NextPoll()), "the pause must be the one after a first failure")
		f = failuresOf(t, p)
		require.Equal(t, 1, f.Count)
		require.Equal(t, "10s", f.Spent)
	})
}

// If a strategy always sets Now and never reports a status, the poller makes three reads right away
// and then pauses as scheduled.
func TestNowIsLimited(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {"200"}})
		p := begin(t, s, "POST", following(moves(func(a answer) (move, error) {
			return move{Move: strategy.Move{Now: true}}, errUnclear
		})))
		for n := range 3 {
			_, err := p.Poll(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err)
			require.Equal(t, time.Now(), p.NextPoll(), n)
		}
		_, err := p.Poll(t.Context())
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.Equal(t, 10*time.Second, time.Until(p.NextPoll()))
	})
}

// In a run of failed reads, the poller sets Situation.Lost only once. If the strategy then names
// another URL that cannot be read either, the wait ends with the reason that was in Lost.
func TestLostIsSetOncePerRun(t *testing.T) {
	for _, apart := range []bool{false, true} {
		for failure, tt := range map[reply]struct {
			reason lroerrors.Reason
			after  time.Duration // the time from the first failed read until the poller sets Lost
		}{
			"503": {lroerrors.ReasonPatience, 1830 * time.Second},
			"404": {lroerrors.ReasonGone, 310 * time.Second},
			"410": {lroerrors.ReasonGone, 0},
			"403": {lroerrors.ReasonRefused, 0},
			"400": {lroerrors.ReasonRefused, 0},
		} {
			bubble(t, func(t *testing.T) {
				type observation struct {
					at   time.Duration
					code int
					lost lroerrors.Reason
				}
				var seen []observation
				s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {failure}, get(other): {"503"}})
				opts := following(moves(func(a answer) (move, error) {
					if a.Lost == "" {
						return move{}, strategy.ErrNoStatus
					}
					seen = append(seen, observation{time.Since(s.began), a.Code, a.Lost})
					require.Equal(t, time.Since(s.began), a.Age)
					return move{Move: strategy.Move{Poll: other, Status: poller.Status{State: poller.Succeeded}}}, nil
				}))
				p := begin(t, s, "POST", opts)
				var err error
				for !isWait(err) {
					if apart {
						p = again(t, p, s, opts)
					}
					time.Sleep(time.Until(p.NextPoll()))
					_, err = p.Poll(t.Context())
				}
				requireWait(t, err, tt.reason)
				lost := time.Minute + tt.after
				code := map[reply]int{"503": 503, "404": 404, "410": 410, "403": 403, "400": 400}[failure]
				require.Equal(t, []observation{{lost, code, tt.reason}}, seen)
				require.Equal(t, lost+(10+10+20+40+80+160+320+600+600)*time.Second, time.Since(s.began), "the other URL must get fresh patience")
				require.Equal(t, 9, count(s.requests(), get(other)))
				require.Equal(t, poller.InProgress, p.Status().State)
			})
		}
	}
}

func isWait(err error) bool {
	_, ok := err.(*lroerrors.WaitError) //nolint:errorlint // only the outermost error matters
	return ok
}

// A read that gets a status ends a run of failed reads. In the next run, the poller may set Lost
// again.
func TestLostIsSetAgainInNextRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		lost := 0
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {"410", "410", "200", "410", "410"}})
		p := begin(t, s, "POST", following(moves(func(a answer) (move, error) {
			switch {
			case a.Lost != "":
				lost++
				return move{Move: strategy.Move{Now: true}}, nil
			case a.Code == http.StatusOK:
				return move{}, nil
			}
			return move{}, strategy.ErrNoStatus
		})))
		for _, want := range []struct {
			lost int
			ends bool
		}{{1, false}, {1, true}, {1, false}, {2, false}, {2, true}} {
			_, err := p.Poll(t.Context())
			require.Equal(t, want.ends, isWait(err), "%v", err)
			require.Equal(t, want.lost, lost)
		}
	})
}

// If Patience tolerates no failures, the poller sets Situation.Lost only if the response itself,
// like a 410, ends the wait.
func TestLostWithoutPatience(t *testing.T) {
	for failure, asks := range map[reply]bool{"503": false, "200": false, "404": false, "410": true, "400": true} {
		bubble(t, func(t *testing.T) {
			lost := false
			s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {failure}})
			opts := following(moves(func(a answer) (move, error) {
				lost = lost || a.Lost != ""
				return move{}, strategy.ErrNoStatus
			}))
			opts.Patience = poller.Patience{Time: -1}
			_, err := begin(t, s, "POST", opts).Poll(t.Context())
			require.True(t, isWait(err))
			require.Equal(t, asks, lost, failure)
		})
	}
}

// A Hold applies to one pause only. Poll, WakeUp and a deadline do not shorten it, even after a
// resume.
func TestHold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"202\nRetry-After: 5"}, get(monitor): {"200"}})
		opts := following(wrapper(func(a answer) (move, error) {
			if a.First {
				return move{strategy.Move{Poll: monitor}, strategy.Detour{Hold: 20 * time.Minute}}, nil
			}
			return move{Move: strategy.Move{Status: poller.Status{Word: "going"}}}, nil
		}))
		p := begin(t, s, "POST", opts)
		due := s.began.Add(20 * time.Minute)
		for n := range 4 {
			require.Equal(t, time.Until(due), time.Until(p.NextPoll()))
			p.WakeUp()
			require.Equal(t, time.Until(due), time.Until(p.NextPoll()))
			st, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.NoError(t, st.ReadErr)
			require.Equal(t, time.Until(due), time.Until(st.NextPoll))
			require.Len(t, s.requests(), 1)
			if n%2 == 1 {
				p = again(t, p, s, opts)
			}
			time.Sleep(time.Minute)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		_, err := p.PollUntilDone(ctx)
		wait := waitOf(t, err, lroerrors.ReasonDeadline)
		require.Equal(t, time.Until(due), time.Until(wait.NextPoll))
		require.False(t, wait.Asked, "Asked must be unset, because the strategy asked for the pause, not the service")
		require.Equal(t, 4*time.Minute, time.Since(s.began), "the wait must end before the deadline")

		var g poller.Group[*poller.Poller[raw]]
		g.Add(p)
		p.WakeUp()
		groupCtx, cancelGroup := context.WithTimeout(t.Context(), 17*time.Minute)
		defer cancelGroup()
		for _, err := range g.Wait(groupCtx) {
			require.Error(t, err)
		}
		require.Equal(t, []time.Duration{0, 20 * time.Minute, 20*time.Minute + 10*time.Second}, s.times()[:3], "the pause after the Hold must be that of the service")
	})
}
