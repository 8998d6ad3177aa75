package poller_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// A canceling strategy cancels with a DELETE of url, or of the polled URL if url is "absolute".
type canceling struct {
	wrapper
	url string
}

func (c canceling) Cancel(a strategy.Answer) (*poller.Request, error) {
	if c.url == "absolute" {
		return &poller.Request{Method: "DELETE", URL: a.Poll}, nil
	}
	return &poller.Request{Method: "DELETE", URL: c.url}, nil
}

// Cancel resolves a relative URL against the status URL, even if the poller reads the resource
// next.
func TestCancelDuringCheck(t *testing.T) {
	inner := func(url string) canceling {
		return canceling{moves(func(a answer) (move, error) {
			if a.Code != http.StatusOK {
				return move{}, strategy.ErrNoStatus
			}
			return move{Move: strategy.Move{Status: poller.Status{Word: "going"}}}, nil
		}), url}
	}
	for url, want := range map[string]string{"absolute": monitor, "": monitor, "op1": monitor, "?cancel": monitor, "op1/cancel": monitor + "/cancel"} {
		for name, wrap := range map[string]func(poller.Strategy) poller.Strategy{
			"CrossCheck": func(s poller.Strategy) poller.Strategy { return poller.CrossCheck(s, poller.Check{After: time.Minute}) },
			"Confirm, CrossCheck": func(s poller.Strategy) poller.Strategy {
				return poller.Confirm(poller.CrossCheck(s, poller.Check{After: time.Minute}), poller.Check{})
			},
			"CrossCheck, Confirm": func(s poller.Strategy) poller.Strategy {
				return poller.CrossCheck(poller.Confirm(s, poller.Check{}), poller.Check{After: time.Minute})
			},
		} {
			for status, polls := range map[reply]int{"200": 1, "410": 1} {
				t.Run(name+" "+status+" "+url, func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {status}, get(resource): {updating}, "DELETE " + want: {"202"}})
						opts := following(wrap(inner(url)))
						p := begin(t, s, "POST", opts)
						time.Sleep(time.Minute)
						for range polls {
							_, _ = p.Poll(t.Context())
						}
						require.Equal(t, origin+monitor, p.URL(), "URL must return the status URL, although the check is read next")
						_ = p.Cancel(t.Context())
						require.Equal(t, []string{"POST " + resource, get(monitor), "DELETE " + want}, s.requests())
						require.NoError(t, again(t, p, s, opts).Cancel(t.Context()))
					})
				})
			}
		}
	}
}

// Cancel fails if the strategy wraps one that is not a Canceler.
func TestCancelWithoutInnerCanceler(t *testing.T) {
	s := serve(map[string][]reply{"POST " + resource: {accepted}})
	err := begin(t, s, "POST", following(poller.Confirm(poller.CrossCheck(nil, poller.Check{}), poller.Check{}))).Cancel(t.Context())
	require.IsType(t, &lroerrors.StatusError{}, err)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.Len(t, s.requests(), 1)
}

// A Confirm around a CrossCheck also confirms a success that the CrossCheck finds. A CrossCheck
// around a Confirm reads the resource if the confirmation is lost or overdue.
func TestConfirmAndCrossCheckNested(t *testing.T) {
	t.Run("Confirm outside", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			script := lostStatus([]reply{running, "410"}, updating, widget)
			script[get("/ready")] = []reply{updating, "503", widget}
			s := serve(script)
			opts := following(poller.Confirm(poller.CrossCheck(nil, poller.Check{}), poller.Check{URL: "/ready"}))
			v, err := begin(t, s, "PUT", opts).PollUntilDone(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, widget[4:], string(v))
			require.Equal(t, []string{
				"PUT " + resource, get(monitor), get(monitor), get(resource), get(monitor), get(resource), get("/ready"), get("/ready"), get("/ready"), get(resource),
			}, s.requests())
			require.Equal(t, 2*time.Minute+30*time.Second+time.Minute+10*time.Second, time.Since(s.began))
		})
	})
	t.Run("CrossCheck outside, a lost confirmation", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			script := asyncPut(updating, widget)
			script[get("/ready")] = []reply{"410"}
			s := serve(script)
			opts := following(poller.CrossCheck(poller.Confirm(nil, poller.Check{URL: "/ready"}), poller.Check{}))
			p := begin(t, s, "PUT", opts)
			_, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.True(t, p.Status().Unconfirmed)
			p = resumed(t, s, p, opts)
			require.Equal(t, poller.Succeeded, p.Status().State)
			require.False(t, p.Status().Unconfirmed)
			v, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, widget[4:], string(v))
			require.Equal(t, []string{"PUT " + resource, get(monitor), get("/ready"), get(resource), get("/ready"), get(resource)}, s.requests()[:6])
			require.Equal(t, 30*time.Second, time.Since(s.began))
		})
	})
	t.Run("CrossCheck outside, an overdue confirmation", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			script := asyncPut(updating, widget)
			script[get("/ready")] = []reply{updating}
			s := serve(script)
			opts := following(poller.CrossCheck(poller.Confirm(nil, poller.Check{URL: "/ready"}), poller.Check{After: 3 * time.Minute}))
			v, err := begin(t, s, "PUT", opts).PollUntilDone(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, widget[4:], string(v))
			require.Equal(t, []string{
				"PUT " + resource, get(monitor), get("/ready"), get("/ready"), get("/ready"), get(resource), get("/ready"), get(resource),
			}, s.requests())
			require.Equal(t, []time.Duration{0, 1, 1, 2, 3, 3, 4, 4}, minutes(s.times()))
		})
	})
	t.Run("CrossCheck outside, overdue when the confirmation begins", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			script := asyncPut(updating, widget)
			script[get("/ready")] = []reply{updating}
			s := serve(script)
			opts := following(poller.CrossCheck(poller.Confirm(nil, poller.Check{URL: "/ready"}), poller.Check{After: time.Minute}))
			_, err := begin(t, s, "PUT", opts).PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{
				"PUT " + resource, get(monitor), get("/ready"), get(resource), get("/ready"), get(resource),
			}, s.requests(), "the confirmation is read first")
			require.Equal(t, []time.Duration{0, 1, 1, 1, 2, 2}, minutes(s.times()))
		})
	})
	t.Run("CrossCheck outside, a lost status", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(lostStatus([]reply{"410"}, widget))
			opts := following(poller.CrossCheck(poller.Confirm(nil, poller.Check{URL: "/ready"}), poller.Check{}))
			v, err := begin(t, s, "PUT", opts).PollUntilDone(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, widget[4:], string(v))
			require.Equal(t, []string{"PUT " + resource, get(monitor), get(resource)}, s.requests(), "the inner Confirm must not confirm what the outer check found")
		})
	})
}

// An operation can be resumed with a wrapper even if its token was written without one.
func TestAddWrapperOnResume(t *testing.T) {
	bubble(t, func(t *testing.T) {
		script := asyncPut(updating, widget)
		script[get(monitor)] = []reply{running, succeeded}
		s := serve(script)
		p := begin(t, s, "PUT", nil)
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		p = again(t, p, s, confirming(poller.Check{}))
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, widget[4:], string(v))
		require.Equal(t, []string{"PUT " + resource, get(monitor), get(monitor), get(resource), get(resource)}, s.requests())
	})
	bubble(t, func(t *testing.T) {
		s := serve(lostStatus([]reply{running, "400"}, widget))
		p := begin(t, s, "PUT", nil)
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		requireWait(t, err, lroerrors.ReasonRefused)
		p = again(t, p, s, crossChecking(poller.Check{}))
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, widget[4:], string(v))
		require.Equal(t, []string{"PUT " + resource, get(monitor), get(monitor), get(monitor), get(resource)}, s.requests())
	})
	bubble(t, func(t *testing.T) { // a CrossCheck can also be added inside or around a Confirm
		for _, strategy := range []poller.Strategy{
			poller.Confirm(poller.CrossCheck(nil, poller.Check{}), poller.Check{}), poller.CrossCheck(poller.Confirm(nil, poller.Check{}), poller.Check{}),
		} {
			s := serve(asyncPut(widget))
			p := again(t, begin(t, s, "PUT", confirming(poller.Check{})), s, following(strategy))
			_, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
		}
	})
}

// An operation can be resumed without Confirm if its token was created before the confirmation
// started.
func TestRemoveUnusedConfirmOnResume(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(widget))
		p := again(t, begin(t, s, "PUT", confirming(poller.Check{URL: "/ready"})), s, trusted)
		_, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"PUT " + resource, get(monitor), get(resource)}, s.requests())
	})
}
