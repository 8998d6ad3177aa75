package poller_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// resumed polls an operation until it ends, resuming it from its token before each read. It returns
// a Poller that was resumed from the last token.
func resumed(t *testing.T, s *service, p *poller.Poller[raw], opts *poller.Options) *poller.Poller[raw] {
	t.Helper()
	for !p.Done() {
		token := tokenOf(t, p)
		var err error
		p, err = poller.Resume[raw](token, s.client(), opts)
		require.NoError(t, err)
		require.Equal(t, token, tokenOf(t, p), "the resumed poller must return the same token")
		time.Sleep(time.Until(p.NextPoll()))
		_, err = p.Poll(t.Context())
		require.False(t, err != nil && strings.HasPrefix(err.Error(), "lro: stopped"), "%v", err)
	}
	p, err := poller.Resume[raw](tokenOf(t, p), s.client(), opts)
	require.NoError(t, err)
	return p
}

// A token holds FinalStateVia, ResultPointer, Words and the first request's Accept-Language. They
// still apply after a Resume whose options do not set them.
func TestTokenHoldsEachRuleOfOptions(t *testing.T) {
	for member, opts := range map[string]*poller.Options{
		`"finalStateVia":"location"`:          {FinalStateVia: poller.FinalStateViaLocation},
		`"resultPointer":"/x"`:                {ResultPointer: "/x"},
		`"words":{"ready":"Succeeded"}`:       {Words: map[string]poller.State{"Ready": poller.Succeeded}},
		`"header":{"Accept-Language":["de"]}`: nil,
	} {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}})
		req := newRequest(t, "PUT", resource)
		if opts == nil {
			req.Header.Set("Accept-Language", "de")
		}
		p, err := poller.Begin[raw](req, s.client(), opts)
		require.NoError(t, err)
		token := tokenOf(t, p)
		require.Contains(t, token, member)
		require.Equal(t, token, tokenOf(t, resume(t, token, s)))
		other := tokenOf(t, begin(t, s, "PUT", nil))
		require.NotContains(t, other, member, "the token of another operation must not have the option")
	}
}

// Resuming an operation before each read changes neither its requests nor their times.
func TestResumeBeforeEachRead(t *testing.T) {
	for name, tt := range map[string]struct {
		method string
		opts   poller.Options
		script func() map[string][]reply
	}{
		"confirm": {"PUT", poller.Options{Strategy: poller.Confirm(nil, poller.Check{Times: 3, Delay: 15 * time.Minute})}, func() map[string][]reply {
			return asyncPut(widget, "404", widget, "503", widget, widget)
		}},
		"confirm a result in hand": {"PUT", poller.Options{Strategy: poller.Confirm(nil, poller.Check{})}, func() map[string][]reply {
			return map[string][]reply{"PUT " + resource: {`200 {"id":"old"}`}, get(resource): {updating, widget}}
		}},
		"confirm a failure": {"POST", poller.Options{Strategy: poller.Confirm(nil, poller.Check{Times: 2})}, func() map[string][]reply {
			return map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"202", `200 {"a":1}`}, get(resource): {broken}}
		}},
		"cross-check": {"PUT", poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{Times: 2})}, func() map[string][]reply {
			return lostStatus([]reply{"404"}, updating, widget, "404", widget, widget)
		}},
		"overdue cross-check": {"DELETE", poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{Times: 2, After: 5 * time.Minute})}, func() map[string][]reply {
			return map[string][]reply{"DELETE " + resource: {accepted}, get(monitor): {running}, get(resource): {"404", widget, "404", "404"}}
		}},
		"everything": {"PUT", poller.Options{
			Strategy: poller.Confirm(poller.CrossCheck(nil, poller.Check{}), poller.Check{Times: 2}),
		}, func() map[string][]reply {
			return lostStatus([]reply{running, "410"}, updating, widget, "404", widget, widget)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var wants []string
			var ends []error
			for _, apart := range []bool{false, true} {
				bubble(t, func(t *testing.T) {
					tt.opts.Origins = []string{origin}
					s := serve(tt.script())
					p := begin(t, s, tt.method, &tt.opts)
					if apart {
						p = resumed(t, s, p, &tt.opts)
					} else {
						drain(t, p)
					}
					asked, times := s.requests(), s.times()
					v, err := p.PollUntilDone(t.Context())
					ends = append(ends, err)
					wants = append(wants, fmt.Sprint(asked, times, string(v)))
				})
			}
			require.Equal(t, wants[0], wants[1])
			require.Equal(t, fmt.Sprint(ends[0]), fmt.Sprint(ends[1]))
		})
	}
}

// If an operation is resumed without the wrapper that wrote its memo, the wait ends with the reason
// Unfollowable, and the WaitError's token can be resumed with the wrapper. If an operation is
// resumed with a wrapper that it did not have before, Check.After still counts from the start of
// the operation.
func TestResumeWithoutWrapper(t *testing.T) {
	t.Run("confirm", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(asyncPut(updating, widget))
			opts := confirming(poller.Check{Delay: time.Hour})
			p := begin(t, s, "PUT", opts)
			_, err := p.Poll(t.Context())
			require.NoError(t, err)
			p = resume(t, tokenOf(t, p), s)
			require.Equal(t, poller.InProgress, p.Status().State)
			require.True(t, p.Status().Unconfirmed)
			_, err = p.PollUntilDone(t.Context())
			wait := waitOf(t, err, lroerrors.ReasonUnfollowable)
			require.ErrorIs(t, err, strategy.ErrNotApplicable)
			require.True(t, wait.Unconfirmed)
			require.Equal(t, time.Hour, time.Since(s.began))

			p, err = poller.Resume[raw](tokenOf(t, wait), s.client(), opts)
			require.NoError(t, err)
			v, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, widget[4:], string(v))
			require.Equal(t, []string{"PUT " + resource, get(monitor), get(resource), get(resource)}, s.requests())
		})
	})
	t.Run("cross-check", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(lostStatus([]reply{"410", succeeded}, updating, widget))
			p := begin(t, s, "PUT", crossChecking(poller.Check{}))
			_, err := p.Poll(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err)
			_, err = resume(t, tokenOf(t, p), s).PollUntilDone(t.Context())
			wait := waitOf(t, err, lroerrors.ReasonUnfollowable)
			require.ErrorIs(t, err, strategy.ErrNotApplicable)

			p, err = poller.Resume[raw](tokenOf(t, wait), s.client(), crossChecking(poller.Check{}))
			require.NoError(t, err)
			v, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, widget[4:], string(v))
			require.Equal(t, []string{"PUT " + resource, get(monitor), get(resource), get(monitor), get(resource)}, s.requests())
		})
	})
	t.Run("the time since it began is kept without a wrapper", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(lostStatus([]reply{running}, widget))
			p := begin(t, s, "PUT", nil)
			time.Sleep(time.Hour)
			p, err := poller.Resume[raw](tokenOf(t, p), s.client(), crossChecking(poller.Check{After: 5 * time.Minute}))
			require.NoError(t, err)
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, time.Hour, time.Since(s.began), "After must count from the start of the operation")
			require.Equal(t, []string{"PUT " + resource, get(monitor), get(resource)}, s.requests())
		})
	})
}

func TestUnconfirmedTokenFits(t *testing.T) {
	large := `200 {"text":"` + strings.Repeat("x", 70<<10) + `"}`
	for name, script := range map[string]map[string][]reply{
		"PUT":  {"PUT " + resource: {large}, get(resource): {large}, get("/ready"): {widget}},
		"POST": {"POST " + resource: {acceptedAt}, get(monitor): {large}, get("/ready"): {widget}},
		"GET":  {get(resource): {large}, get("/ready"): {widget}},
	} {
		bubble(t, func(t *testing.T) {
			s := serve(script)
			opts := confirming(poller.Check{URL: "/ready", Times: 2})
			p := begin(t, s, name, opts)
			for !p.Status().Unconfirmed {
				_, err := p.Poll(t.Context())
				require.NoError(t, err)
			}
			_, err := p.Poll(t.Context())
			require.NoError(t, err)
			p, err = poller.Resume[raw](tokenOf(t, p), s.client(), opts)
			require.NoError(t, err)
			v, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, large[4:], string(v), name)
		})
	}
	s := serve(map[string][]reply{"POST " + resource: {large}})
	_, err := begin(t, s, "POST", confirming(poller.Check{URL: "/ready"})).ResumeToken()
	require.ErrorContains(t, err, "the memo of the strategy has 95663 bytes", "a memo must not be left out, because no URL returns it again")
}

// A forged token may contain the largest possible number of reads that showed the same outcome. The
// next such read must not make the number overflow.
func TestTokenCountOverflow(t *testing.T) {
	for member, strategy := range map[string]poller.Strategy{
		"confirm":    poller.Confirm(nil, poller.Check{Times: 2}),
		"crossCheck": poller.CrossCheck(nil, poller.Check{Times: 2}),
	} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{get("/w"): {widget}})
			token := fmt.Sprintf(`{"lro":1,"phase":"polling","method":"PUT","target":"%[1]s/w","poll":"%[1]s/w","status":{"state":"InProgress"},`+
				`"memo":{"%[2]s":{"said":"Succeeded","count":9223372036854775807,"status":"%[1]s/op","lost":true}}}`, origin, member)
			p, err := poller.Resume[raw](token, s.client(), &poller.Options{Origins: []string{origin}, Strategy: strategy})
			require.NoError(t, err)
			_, err = p.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, poller.Succeeded, p.Status().State, member)
		})
	}
}

func TestTokenFromFuture(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{get("/op"): append(repeat(running, 9), succeeded), get("/w"): {widget}})
		token := fmt.Sprintf(`{"lro":1,"phase":"polling","method":"PUT","target":"%s/w","poll":"%s/op","memo":{"strategy":"azure-async-operation"},"status":{"state":"InProgress"},"began":"2999-01-01T00:00:00Z"}`, origin, origin)
		p, err := poller.Resume[raw](token, s.client(), crossChecking(poller.Check{After: 5 * time.Minute}))
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 5*time.Minute, time.Since(s.began))
	})
}

func TestHostileTokenOptions(t *testing.T) {
	const good = `{"lro":1,"phase":"polling","method":"PUT","target":"https://management.example.test/w","poll":"https://management.example.test/w","memo":{"strategy":"provisioning-state"},"status":{"state":"InProgress"}%s}`
	for _, more := range []string{
		`,"held":"x"`, `,"asked":1`, `,"failures":{"lost":1}`, `,"failures":{"lost":"Nonsense"}`, `,"failures":{"lost":"Canceled"}`, `,"now":256`, `,"inline":"x"`, `,"else":7`, `,"else":"/relative"`, `,"else":"//"`,
		`,"now":-1`, `,"now":4`, `,"now":1.5`, `,"now":9223372036854775808`, `,"began":"yesterday"`, `,"began":5`,
		`,"pause":"-1s"`, `,"pause":60`, `,"pause":"1 minute"`, `,"pause":"2562048h"`, `,"retryAfter":"-1ns"`, `,"retryAfter":5`,
	} {
		_, err := poller.Resume[raw](fmt.Sprintf(good, more), nil, trusted)
		require.ErrorIs(t, err, lroerrors.ErrBadToken, more)
	}
	everything := &poller.Options{
		Origins: []string{origin}, Strategy: poller.Confirm(poller.CrossCheck(nil, poller.Check{After: time.Minute}), poller.Check{Delay: time.Minute}),
	}
	bubble(t, func(t *testing.T) {
		for more, bound := range map[string]time.Duration{
			``: 0, `,"pause":"1m"`: time.Minute, `,"pause":"2562047h"`: 10 * time.Minute,
			`,"held":true`: 0, `,"held":true,"pause":"2562047h"`: 24 * time.Hour,
			`,"began":"2999-01-01T00:00:00Z","pause":"1h"`:                                                                  10 * time.Minute,
			`,"failures":{"lost":"Refused"},"pause":"1h"`:                                                                   time.Hour,
			`,"memo":{"confirm":{"said":"Bogus","count":-9223372036854775808},"inner":7},"pause":"1h"`:                      10 * time.Minute,
			`,"memo":{"crossCheck":{"said":"InProgress","count":-1,"status":"https://evil.test/"},"inner":[]},"pause":"1h"`: 10 * time.Minute,
		} {
			token := fmt.Sprintf(good, more+`,"nextPoll":"2999-01-01T00:00:00Z","lastRead":"2999-01-01T00:00:00Z"`)
			p, err := poller.Resume[raw](token, serve(map[string][]reply{get("/w"): {updating}}).client(), everything)
			require.NoError(t, err, more)
			require.Equal(t, bound, time.Until(p.NextPoll()), more)
			require.False(t, p.Done())
		}
	})
}

// Resume rejects a time that ResumeToken could not write.
func TestTokenTimeOutOfRange(t *testing.T) {
	for _, name := range []string{"began", "lastRead", "nextPoll"} {
		token := `{"lro":1,"phase":"polling","target":"` + origin + `/w","poll":"` + origin + `/w","status":{"state":"InProgress"},"` + name + `":"0000-01-01T00:00:00+01:00"}`
		p, err := poller.Resume[raw](token, nil, trusted)
		if err != nil {
			require.ErrorIs(t, err, lroerrors.ErrBadToken)
			continue
		}
		_, err = p.ResumeToken()
		require.NoError(t, err, name)
	}
}

// Patience runs out even if a forged token contains durations whose sum overflows.
func TestTokenDurationOverflow(t *testing.T) {
	const longest = "2562047h47m16.854775807s"
	for _, more := range []string{
		`"failures":{"count":9,"spent":"` + longest + `"}`,
		`"failures":{"count":9,"spent":"1s"},"lastRead":"1990-01-01T00:00:00Z","pause":"` + longest + `"`,
	} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{get("/w"): {"503"}})
			token := `{"lro":1,"phase":"polling","method":"PUT","target":"` + origin + `/w","poll":"` + origin + `/w","memo":{"strategy":"provisioning-state"},"status":{"state":"InProgress"},` + more + `}`
			p, err := poller.Resume[raw](token, clientOf(slowly(s, time.Second)), trusted)
			require.NoError(t, err)
			_, err = p.Poll(t.Context())
			requireWait(t, err, lroerrors.ReasonPatience)
			_, err = poller.Resume[raw](tokenOf(t, p), nil, trusted)
			require.NoError(t, err)
		})
	}
}

// A forged memo cannot end the operation, and cannot lead the poller to an origin that the options
// do not allow.
func TestForgedMemo(t *testing.T) {
	for memo, want := range map[string]error{
		`{"confirm":1}`:                        strategy.ErrNotApplicable,
		`{"confirm":null,"inner":{}}`:          strategy.ErrNotApplicable,
		`{"confirm":{"count":"x"}}`:            strategy.ErrNotApplicable,
		`{"crossCheck":[]}`:                    strategy.ErrNotApplicable,
		`{"crossCheck":{},"inner":null}`:       strategy.ErrNotApplicable,
		`{"crossCheck":{},"inner":{"step":1}}`: strategy.ErrNotApplicable,
		`{"crossCheck":{"status":"https://evil.test/op","lost":true},"inner":{"strategy":"provisioning-state"}}`: lroerrors.ErrForeignOrigin,
	} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{get("/w"): {"202", "404"}})
			token := fmt.Sprintf(`{"lro":1,"phase":"polling","method":"PUT","target":"%s/w","poll":"%s/w","status":{"state":"InProgress"},"memo":%s}`, origin, origin, memo)
			p, err := poller.Resume[raw](token, s.client(), &poller.Options{
				Origins: []string{origin}, Strategy: poller.Confirm(poller.CrossCheck(nil, poller.Check{}), poller.Check{}),
			})
			require.NoError(t, err)
			_, err = p.PollUntilDone(t.Context())
			require.ErrorIs(t, err, want, memo)
			require.False(t, p.Done())
			require.NotContains(t, s.requests(), get("/op"))
		})
	}
}
