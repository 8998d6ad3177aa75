package poller_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// resumed drives an operation to its end in a process of its own for each read.
func resumed(t *testing.T, s *service, p *poller.Poller[raw], opts *poller.Options) *poller.Poller[raw] {
	t.Helper()
	for !p.Done() {
		token := tokenOf(t, p)
		var err error
		p, err = poller.Resume[raw](token, s.client(), opts)
		require.NoError(t, err)
		require.Equal(t, token, tokenOf(t, p), "nothing is lost")
		time.Sleep(time.Until(p.NextPoll()))
		_, err = p.Poll(t.Context())
		require.False(t, err != nil && strings.HasPrefix(err.Error(), "lro: stopped"), "%v", err)
	}
	p, err := poller.Resume[raw](tokenOf(t, p), s.client(), opts)
	require.NoError(t, err)
	return p
}

// What is told by one option alone is in the token, for who resumes without it.
func TestEachRuleAloneIsInTheToken(t *testing.T) {
	for member, opts := range map[string]*poller.Options{
		`"finalStateVia":"location"`:        {FinalStateVia: poller.FinalStateViaLocation},
		`"resultPointer":"/x"`:              {ResultPointer: "/x"},
		`"words":{"ready":"Succeeded"}`:     {Words: map[string]poller.State{"Ready": poller.Succeeded}},
		`"header":{"accept-language":"de"}`: nil,
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
		require.NotContains(t, other, member, "nor is it in that of another operation")
	}
}

// Each script, followed in one process and in one for each read, sends the same at
// the same times.
func TestATokenBeforeEachRead(t *testing.T) {
	made := func() (*http.Request, error) {
		return http.NewRequest(http.MethodPut, origin+resource, strings.NewReader("{}")) //nolint:noctx // the poller gives it one
	}
	for name, tt := range map[string]struct {
		method string
		opts   poller.Options
		script func() map[string][]reply
	}{
		"confirm": {"PUT", poller.Options{Confirm: &poller.Check{Times: 3, After: 15 * time.Minute}}, func() map[string][]reply {
			return asyncPut(widget, "404", widget, "503", widget, widget)
		}},
		"confirm a result in hand": {"PUT", poller.Options{Confirm: &poller.Check{}}, func() map[string][]reply {
			return map[string][]reply{"PUT " + resource: {`200 {"id":"old"}`}, get(resource): {updating, widget}}
		}},
		"confirm what fails": {"POST", poller.Options{Confirm: &poller.Check{Times: 2}}, func() map[string][]reply {
			return map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"202", `200 {"a":1}`}, get(resource): {broken}}
		}},
		"cross-check": {"PUT", poller.Options{CrossCheck: &poller.Check{Times: 2}}, func() map[string][]reply {
			return lostStatus([]reply{"404"}, updating, widget, "404", widget, widget)
		}},
		"cross-check beside": {"DELETE", poller.Options{CrossCheck: &poller.Check{Times: 2, After: 5 * time.Minute}}, func() map[string][]reply {
			return map[string][]reply{"DELETE " + resource: {accepted}, get(monitor): {running}, get(resource): {"404", widget, "404", "404"}}
		}},
		"repeat": {"PUT", poller.Options{Repeat: &poller.Repeat{Every: time.Hour, Request: made}}, func() map[string][]reply {
			script := failingPut(tryAgain)
			script["PUT "+resource] = []reply{accepted, busy, accepted, "201\nAzure-AsyncOperation: /operations/op2"}
			return script
		}},
		"repeat too often": {"PUT", poller.Options{Repeat: &poller.Repeat{Request: made}}, func() map[string][]reply {
			return map[string][]reply{"PUT " + resource: {accepted, accepted, busy}, get(monitor): {tryAgain}}
		}},
		"everything": {"PUT", poller.Options{
			Confirm: &poller.Check{Times: 2}, CrossCheck: &poller.Check{}, Repeat: &poller.Repeat{Request: made},
		}, func() map[string][]reply {
			return lostStatus([]reply{running, tryAgain, "410"}, updating, widget, "404", widget, widget)
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

// Without the options what was told counts.
func TestATokenResumedWithoutTheOptions(t *testing.T) {
	t.Run("confirm", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(asyncPut(widget))
			p := begin(t, s, "PUT", confirming(poller.Check{After: time.Hour}))
			_, err := p.Poll(t.Context())
			require.NoError(t, err)
			p = resume(t, tokenOf(t, p), s)
			require.Equal(t, poller.Succeeded, p.Status().State)
			v, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, widget[4:], string(v))
			require.Zero(t, time.Since(s.began))
		})
	})
	t.Run("cross-check", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(lostStatus([]reply{"410", succeeded}, updating, widget))
			p := begin(t, s, "PUT", crossChecking(poller.Check{}))
			_, err := p.Poll(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err)
			_, err = resume(t, tokenOf(t, p), s).PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{"PUT " + resource, get(monitor), get(resource), get(monitor), get(resource)}, s.requests())
		})
	})
	for name, opts := range map[string]*poller.Options{"repeat": trusted, "repeat without a request": repeating(poller.Repeat{})} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(failingPut(tryAgain))
				p := begin(t, s, "PUT", repeating(poller.Repeat{}))
				_, err := p.Poll(t.Context())
				require.NoError(t, err)
				p, err = poller.Resume[raw](tokenOf(t, p), s.client(), opts)
				require.NoError(t, err)
				_, err = p.PollUntilDone(t.Context())
				requireFailed(t, err, "RetryableError")
				op := failureOf(t, err)
				require.Equal(t, "op1", op.ID[strings.LastIndexByte(op.ID, '/')+1:])
			})
		})
	}
	t.Run("since when it began", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(lostStatus([]reply{running}, widget))
			p := begin(t, s, "PUT", nil)
			time.Sleep(time.Hour)
			p, err := poller.Resume[raw](tokenOf(t, p), s.client(), crossChecking(poller.Check{After: 5 * time.Minute}))
			require.NoError(t, err)
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, 65*time.Minute, time.Since(s.began), "counted from the Resume")
		})
	})
}

func TestATokenOfWhatIsUnconfirmedFits(t *testing.T) {
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
			require.NotContains(t, tokenOf(t, p), `"repeat"`, "of which there is nothing to tell")
			p, err = poller.Resume[raw](tokenOf(t, p), s.client(), opts)
			require.NoError(t, err)
			v, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, large[4:], string(v), name)
		})
	}
	s := serve(map[string][]reply{"POST " + resource: {large}})
	_, err := begin(t, s, "POST", confirming(poller.Check{URL: "/ready"})).ResumeToken()
	require.ErrorContains(t, err, "the result is 71691 bytes", "nothing would give it again")
}

// A count of any size is one more reading, and no overflow.
func TestATokenOfCountlessReadings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{get("/w"): {widget}})
		token := fmt.Sprintf(`{"lro":1,"method":"PUT","target":"%s/w","poll":"%s/op","status":{"state":"InProgress"},"confirming":true,"readings":{"state":"Succeeded","count":9223372036854775807}}`, origin, origin)
		p, err := poller.Resume[raw](token, s.client(), confirming(poller.Check{Times: 2}))
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.True(t, p.Done())
	})
}

func TestATokenThatBeginsInTheFutureBeginsNow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{get("/op"): append(repeat(running, 9), succeeded), get("/w"): {widget}})
		token := fmt.Sprintf(`{"lro":1,"method":"PUT","target":"%s/w","poll":"%s/op","memo":{"strategy":"azure-async-operation"},"status":{"state":"InProgress"},"began":"2999-01-01T00:00:00Z"}`, origin, origin)
		p, err := poller.Resume[raw](token, s.client(), crossChecking(poller.Check{After: 5 * time.Minute}))
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 5*time.Minute, time.Since(s.began))
	})
}

func TestAHostileTokenOfTheOptions(t *testing.T) {
	const good = `{"lro":1,"method":"PUT","target":"https://management.example.test/w","poll":"https://management.example.test/w","memo":{"strategy":"provisioning-state"},"status":{"state":"InProgress"}%s}`
	for _, more := range []string{
		`,"confirming":1`, `,"held":"x"`, `,"readings":{"state":"InProgress","count":1}`, `,"readings":{"state":"Succeeded","count":0}`,
		`,"readings":{"state":"Succeeded","count":-1}`, `,"readings":{"state":"Bogus","count":1}`, `,"readings":7`, `,"began":"yesterday"`,
		`,"began":"0000-01-01T00:00:00+01:00"`, `,"began":"9999-12-31T23:59:59-01:00"`, `,"repeat":{"used":-1}`, `,"repeat":{"used":1e30}`,
		`,"repeat":{"used":9223372036854775807}`, `,"repeat":{"ended":"Succeeded"}`, `,"repeat":{"ended":"InProgress"}`, `,"repeat":{"ended":"Bogus"}`,
		`,"confirming":true,"repeat":{"ended":"Failed"}`, `,"confirming":true,"first":{"url":"https://management.example.test/w","code":200}`,
		`,"confirming":true,"status":{"state":"Succeeded"}`, `,"repeat":{"ended":"Failed"},"status":{"state":"Failed"}`,
	} {
		_, err := poller.Resume[raw](fmt.Sprintf(good, more), nil, trusted)
		require.ErrorIs(t, err, lroerrors.ErrBadToken, more)
	}
	everything := &poller.Options{
		Origins: []string{origin}, Confirm: &poller.Check{After: time.Minute}, CrossCheck: &poller.Check{After: time.Minute},
		Repeat: &poller.Repeat{Request: func() (*http.Request, error) { return nil, nil }}, //nolint:nilnil // it is not called
	}
	bubble(t, func(t *testing.T) {
		for more, bound := range map[string]time.Duration{
			`,"held":true`: 10 * time.Minute, `,"held":true,"confirming":true`: time.Minute,
			`,"held":true,"repeat":{"used":1073741824,"ended":"Failed"}`:    24 * time.Hour,
			`,"began":"2999-01-01T00:00:00Z"`:                               10 * time.Minute,
			`,"readings":{"state":"Succeeded","count":9223372036854775807}`: 10 * time.Minute,
		} {
			token := fmt.Sprintf(good, more+`,"nextPoll":"2999-01-01T00:00:00Z","lastRead":"2999-01-01T00:00:00Z"`)
			p, err := poller.Resume[raw](token, serve(map[string][]reply{get("/w"): {updating}}).client(), everything)
			require.NoError(t, err, more)
			require.Equal(t, bound, time.Until(p.NextPoll()), more)
			require.False(t, p.Done())
		}
	})
}
