package poller_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/strategy"
)

var trusted = &poller.Options{Origins: []string{origin}}

func tokenOf(t *testing.T, p interface{ ResumeToken() (string, error) }) string {
	t.Helper()
	token, err := p.ResumeToken()
	require.NoError(t, err)
	require.True(t, json.Valid([]byte(token)))
	return token
}

func resume(t *testing.T, token string, s *service) *poller.Poller[raw] {
	t.Helper()
	p, err := poller.Resume[raw](token, s.client(), trusted)
	require.NoError(t, err)
	return p
}

func TestResumeSendsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"POST " + resource: {acceptedAt + "\nRetry-After: 120"},
			get(monitor):       {"202", "503", "200 {}"},
		})
		p := begin(t, s, "POST", nil)
		time.Sleep(50 * time.Second)
		p = resume(t, tokenOf(t, p), s)
		require.Len(t, s.requests(), 1)
		_, err := p.Poll(t.Context()) // reads early, 50 s after the start
		require.NoError(t, err)
		p = resume(t, tokenOf(t, p), s)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, 50 * time.Second, 170 * time.Second, 180 * time.Second}, s.times(),
			"the token carries the pause last given, the time of the next read and the failures")
	})
}

func TestTokenHoldsFinalStateVia(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted + "\nLocation: /result"}, get(monitor): {succeeded}})
		p := begin(t, s, "POST", &poller.Options{FinalStateVia: poller.FinalStateViaAzureAsyncOp})
		v, err := resume(t, tokenOf(t, p), s).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, succeeded[4:], string(v))
	})
}

func TestTokenHoldsWordsAndResultPointer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {`200 {"status":"Ready","out":[7]}`}})
		p := begin(t, s, "POST", &poller.Options{Words: map[string]poller.State{"ready": poller.Succeeded}, ResultPointer: "/out/0"})
		v, err := resume(t, tokenOf(t, p), s).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "7", string(v))
	})
}

// Resume accepts the token of an operation with unusable URLs, a method in lower case or unusual
// header values.
func TestResumeAcceptsEveryToken(t *testing.T) {
	for name, script := range map[string]map[string][]reply{
		"a result nowhere":   {"POST " + resource: {"202\nOperation-Location: " + monitor}, get(monitor): {`200 {"status":"Succeeded","resourceLocation":"%zz"}`}},
		"a result by mail":   {"POST " + resource: {"202\nOperation-Location: " + monitor}, get(monitor): {`200 {"status":"Succeeded","resourceLocation":"mailto:x"}`}},
		"a Location by mail": {"POST " + resource: {acceptedAt}, get(monitor): {"202\nLocation: mailto:x"}},
		"lower case":         {"patch " + resource: {acceptedAt}, get(monitor): {"202"}},
	} {
		s := serve(script)
		method, _, _ := strings.Cut(firstKey(script, resource), " ")
		req := newRequest(t, method, resource)
		req.Header.Set("x-ms-client-request-id", strings.Repeat("i", 2000))
		req.Header.Set("Accept-Language", "de,\ten")
		p, err := poller.Begin[raw](req, s.client(), nil)
		require.NoError(t, err, name)
		st, err := p.Poll(t.Context())
		require.NoError(t, err, name)
		require.Equal(t, st.State, resume(t, tokenOf(t, p), s).Status().State, name)
	}
}

func firstKey(m map[string][]reply, suffix string) string {
	for k := range m {
		if strings.HasSuffix(k, suffix) {
			return k
		}
	}
	return ""
}

func TestTokenHoldsNoUserInfo(t *testing.T) {
	const elsewhere = "202\nLocation: https://user:s3cret@evil.test/op"
	s := serve(map[string][]reply{"POST " + resource: {elsewhere}})
	_, err := poller.Begin[raw](newRequest(t, "POST", resource), s.client(), nil)
	require.NotContains(t, tokenOf(t, waitOf(t, err, lroerrors.ReasonUnfollowable)), "s3cret")

	for _, link := range []string{"https://user:s3cret@evil.test", "see //user:s3cret@evil.test/op", "see https://user:s3cret@evil.test/op"} {
		s = serve(map[string][]reply{"POST " + resource: {"202\nX-Link: " + link}})
		_, err = poller.Begin[raw](newRequest(t, "POST", resource), s.client(), nil)
		require.NotContains(t, tokenOf(t, waitOf(t, err, lroerrors.ReasonUnfollowable)), "s3cret", "a token must not contain the user-info in any header")
	}

	s = serve(map[string][]reply{"POST " + resource: {"202\nX-Path: /a//b@c"}})
	_, err = poller.Begin[raw](newRequest(t, "POST", resource), s.client(), nil)
	require.Contains(t, tokenOf(t, waitOf(t, err, lroerrors.ReasonUnfollowable)), "/a//b@c", "an @ in a path must stay, because it does not mean user-info")

	s = serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {elsewhere}})
	p := begin(t, s, "POST", nil)
	_, err = p.Poll(t.Context())
	require.NoError(t, err)
	require.NotContains(t, tokenOf(t, p), "s3cret")
	_, err = p.Poll(t.Context())
	requireWait(t, err, lroerrors.ReasonRefused)
	require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
}

func TestResumeWithAnotherStrategy(t *testing.T) {
	for _, memo := range []string{`{"step":1}`, `null`, `7`} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {"202 {}"}, get(monitor): {running}})
			custom := step(func(strategy.Answer) (strategy.Move, error) {
				return strategy.Move{Poll: monitor, Memo: raw(memo)}, nil
			})
			p := resume(t, tokenOf(t, begin(t, s, "POST", &poller.Options{Strategy: custom})), s)
			_, err := p.PollUntilDone(t.Context())
			requireWait(t, err, lroerrors.ReasonUnfollowable)
			require.ErrorIs(t, err, strategy.ErrNotApplicable)
			require.Len(t, s.requests(), 2)
		})
	}
}

// TestTokenText compares a token with the expected JSON, because every later release must be able
// to read it.
func TestTokenText(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"PUT " + resource: {`201 {}` + "\nAzure-AsyncOperation: " + monitor + "\nRetry-After: 30"},
			get(monitor):      {`200 {"id":"/ops/op1","name":"op1","status":"Running","percentComplete":5,"startTime":"2026-01-02T03:04:05Z"}`, "404"},
		})
		req := newRequest(t, "PUT", resource)
		req.Header.Set("Accept-Language", "de")
		p, err := poller.Begin[raw](req, s.client(), &poller.Options{
			FinalStateVia: poller.FinalStateViaLocation, ResultPointer: "/p", Words: map[string]poller.State{"Ready": poller.Succeeded},
		})
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		for range 2 {
			time.Sleep(time.Second)
			_, err = p.Poll(t.Context())
			require.Error(t, err)
		}
		require.JSONEq(t, `{
			"lro": 1, "phase": "polling", "method": "PUT", "target": "https://management.example.test/widgets/w1", "created": true,
			"header": {"Accept-Language": ["de"]}, "finalStateVia": "location", "resultPointer": "/p", "words": {"ready": "Succeeded"},
			"poll": "https://management.example.test/operations/op1", "memo": {"strategy": "azure-async-operation"},
			"status": {"state": "InProgress", "word": "Running", "percentComplete": 5, "name": "op1"},
			"began": "2000-01-01T00:00:00Z", "lastRead": "2000-01-01T00:00:02Z", "pause": "20s", "retryAfter": "30s",
			"failures": {"count": 2, "notFound": 2, "spent": "1s"}
		}`, tokenOf(t, p))
	})
}

func TestResumeNeedsOrigins(t *testing.T) {
	s := serve(map[string][]reply{"POST " + resource: {acceptedAt}})
	token := tokenOf(t, begin(t, s, "POST", nil))
	for _, opts := range []*poller.Options{nil, {}, {Origins: []string{"https://other.test"}}} {
		_, err := poller.Resume[raw](token, s.client(), opts)
		require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
		require.Contains(t, err.Error(), origin+" is not an allowed origin")
	}
	require.Len(t, s.requests(), 1)
}

func TestTokenIsValidInEveryState(t *testing.T) {
	t.Run("failed", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{
				"POST " + resource: {accepted},
				get(monitor):       {`200 {"name":"op1","status":"Canceled","error":{"code":"Preempted","message":"newer","details":[{"code":"A","message":"b"}]}}`},
			})
			p := begin(t, s, "POST", nil)
			_, want := p.PollUntilDone(t.Context())
			require.ErrorIs(t, want, lroerrors.ErrCanceled)
			again := resume(t, tokenOf(t, p), s)
			require.True(t, again.Done())
			require.Equal(t, p.Status(), again.Status())
			_, got := again.PollUntilDone(t.Context())
			require.Equal(t, want, got)
			require.Len(t, s.requests(), 2)
		})
	})
	t.Run("result at a URL", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {widget}})
			p := begin(t, s, "PUT", nil)
			time.Sleep(time.Minute)
			_, err := p.Poll(t.Context())
			require.NoError(t, err)
			v, err := resume(t, tokenOf(t, p), s).PollUntilDone(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, widget[4:], string(v))
			require.Len(t, s.requests(), 3)
		})
	})
	t.Run("result in hand", func(t *testing.T) {
		body := `{"a": "<&>\u00e9 é",  "b":[1.0, 2e3]}`
		s := serve(map[string][]reply{"POST " + resource: {"200 " + body}})
		p := begin(t, s, "POST", nil)
		require.True(t, p.Done())
		v, err := resume(t, tokenOf(t, p), s).Result(t.Context())
		require.NoError(t, err)
		require.Equal(t, body, string(v), "the result must be the same byte for byte")
	})
	t.Run("a result beyond 64 KiB", func(t *testing.T) {
		for size, fits := range map[int]bool{50_000: true, 60_000: true, 66_000: false} {
			body := `"` + strings.Repeat("x", size) + `"`
			s := serve(map[string][]reply{"POST " + resource: {"200 " + body}})
			token, err := begin(t, s, "POST", nil).ResumeToken()
			if !fits {
				require.ErrorContains(t, err, fmt.Sprint(len(body)))
				continue
			}
			require.NoError(t, err)
			require.LessOrEqual(t, len(token), 64<<10)
			v, err := resume(t, token, s).Result(t.Context())
			require.NoError(t, err)
			require.Equal(t, body, string(v))
		}
	})
	t.Run("details are omitted", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			var ops []string
			for i := range 900 {
				ops = append(ops, fmt.Sprintf(`{"name":"%s-%d","status":"Running"}`, strings.Repeat("n", 100), i))
			}
			s := serve(map[string][]reply{
				"POST " + resource: {accepted},
				get(monitor):       {`200 {"status":"Running","operations":[` + strings.Join(ops, ",") + `]}`, succeeded},
			})
			p := begin(t, s, "POST", nil)
			st, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.Len(t, st.Operations, 900)
			_, err = resume(t, tokenOf(t, p), s).PollUntilDone(t.Context())
			require.NoError(t, err)
		})
	})
}

// If the poller cannot follow an operation with its options, the error has a token. The operation
// can be resumed from that token with other options.
func TestResumeUnfollowableOperation(t *testing.T) {
	t.Run("foreign origin", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {"202\nLocation: https://status.test/op\nRetry-After: 30"}, get("/op"): {"200 7"}})
			_, err := poller.Begin[raw](newRequest(t, "POST", resource), s.client(), nil)
			token := tokenOf(t, waitOf(t, err, lroerrors.ReasonUnfollowable))
			_, err = poller.Resume[int](token, s.client(), trusted)
			requireWait(t, err, lroerrors.ReasonUnfollowable)
			p, err := poller.Resume[int](token, s.client(), &poller.Options{Origins: []string{origin, "https://status.test"}})
			require.NoError(t, err)
			v, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, 7, v)
			require.Equal(t, 30*time.Second, time.Since(s.began), "the Retry-After of the first response must still apply")
		})
	})
	t.Run("nothing to poll, but a strategy of the caller", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {`202 {"id":"j1"}`}, get("/jobs/j1"): {"200 {}"}})
			_, err := poller.Begin[raw](newRequest(t, "POST", resource), s.client(), nil)
			require.ErrorIs(t, err, lroerrors.ErrNoOperation)
			token := tokenOf(t, waitOf(t, err, lroerrors.ReasonUnfollowable))
			p, err := poller.Resume[raw](token, s.client(), &poller.Options{Origins: []string{origin}, Strategy: jobs{}})
			require.NoError(t, err)
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err)
		})
	})
	t.Run("a PUT whose body was cut", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPut {
					w.Header().Set("Content-Length", "100")
					write(w, `200 {"properties":{"provisioningState":"Cre`)
					return
				}
				write(w, widget)
			})
			_, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(h), nil)
			token := tokenOf(t, waitOf(t, err, lroerrors.ReasonUnfollowable))
			p, err := poller.Resume[raw](token, clientOf(h), trusted)
			require.NoError(t, err)
			v, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, widget[4:], string(v))
		})
	})
	t.Run("another protocol", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {acceptedAt + "\nSet-Cookie: SECRET\nX-Auth-Token: SECRET"}, get(monitor): {"200 {}"}})
			_, err := poller.Begin[raw](newRequest(t, "POST", resource), s.client(), &poller.Options{Strategy: arm.AsyncOperation})
			require.ErrorIs(t, err, strategy.ErrNotApplicable)
			token := tokenOf(t, waitOf(t, err, lroerrors.ReasonUnfollowable))
			require.NotContains(t, token, "SECRET")
			_, err = resume(t, token, s).PollUntilDone(t.Context())
			require.NoError(t, err)
		})
	})
}

// jobs is a caller's own strategy. It takes a job's ID from the first response and polls the job's
// URL.
type jobs struct{}

func (jobs) Step(a strategy.Answer) (strategy.Move, error) {
	if a.First {
		var body struct{ ID string }
		if json.Unmarshal(a.Body, &body) != nil || body.ID == "" {
			return strategy.Move{}, strategy.ErrNotApplicable
		}
		return strategy.Move{Poll: "/jobs/" + body.ID}, nil
	}
	if a.Code != http.StatusOK {
		return strategy.Move{}, errors.New("no job")
	}
	return strategy.Move{Status: poller.Status{State: poller.Succeeded}, Result: strategy.Result{Body: a.Body}}, nil
}
